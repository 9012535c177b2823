package semconv

import "testing"

func TestContentKeys(t *testing.T) {
	for key, want := range map[string]bool{
		"gen_ai.input.messages":                  true,
		"gen_ai.tool.call.arguments":             true,
		"exception.message":                      true,
		"gen_ai.prompt":                          true,
		"gen_ai.prompt.0.content":                true,
		"gen_ai.completion.3.role":               true,
		"gen_ai.prompt.variable.city":            true,
		"gen_ai.prompt.name":                     false,
		"gen_ai.prompt.version":                  false,
		"gen_ai.request.model":                   false,
		"gen_ai.tool.call.id":                    false,
		"prompt":                                 true,
		"error":                                  true,
		"error.type":                             false,
		"workspace.host_paths":                   true,
		"llm.input_messages.12.message.content":  true,
		"evaluations.0.evaluation.explanation":   true,
		"evaluations.0.evaluation.score":         false,
		"llm.token_count.prompt":                 false,
		"llm.some_new_host.messages":             true,
		"llm.some_new_host.messages.0":           false,
		"llm.some_new_host.model":                false,
		"llm..messages":                          false,
		"llm.request.type":                       false,
		"app.tool.effect_class":                  false,
		"":                                       false,
		"....":                                   false,
		"gen_ai.prompting":                       false,
		"llm.input_messages":                     false,
		"session.evaluations.1.evaluation.label": false,
	} {
		if got := Content().Match(key); got != want {
			t.Errorf("Content().Match(%q) = %v, want %v", key, got, want)
		}
	}
}

func TestKnownKeys(t *testing.T) {
	for key, want := range map[string][2]bool{
		"gen_ai.agent.name":              {true, true},
		"gen_ai.operation.name":          {true, false}, // words of a list
		"gen_ai.system":                  {true, false}, // an earlier name of such a key
		"gen_ai.usage.input_tokens":      {false, false},
		"gen_ai.input.messages":          {false, false},
		"gen_ai.response.finish_reasons": {true, true},
		"gen_ai.prompt.0.content":        {false, false},
		"user.id":                        {false, false},
		"service.name":                   {true, true},
		"app.handoff.facts":              {true, true},
		"acme.note":                      {false, false},
		"gen_ai.agent.name.but.not.this": {false, false},
		"":                               {false, false},
	} {
		if known, free := Known().Match(key); known != want[0] || free != want[1] {
			t.Errorf("Known().Match(%q) = %v, %v, want %v", key, known, free, want)
		}
	}
}

func TestPersonKeys(t *testing.T) {
	for key, want := range map[string]bool{
		"user.email":            true,
		"organization.id":       true,
		"app.authority.subject": true,
		"user.account_uuid":     true,
		"session.id":            false,
		"gen_ai.agent.id":       false,
	} {
		if got := PersonKey(key); got != want {
			t.Errorf("PersonKey(%q) = %v, want %v", key, got, want)
		}
	}
}

func TestIndexedMembersOfASet(t *testing.T) {
	s := keySet{}
	s.add("a.*.b")
	for key, want := range map[string]bool{"a.0.b": true, "a.17.b": true, "a.x.b": false, "a..b": false, "a.0.b.c": false} {
		if got := s.has(key); got != want {
			t.Errorf("has(%q) = %v, want %v", key, got, want)
		}
	}
	if !s.hasParentOf("a.5.b.c") {
		t.Error("hasParentOf does not see an indexed parent")
	}
}

func TestKeyMatchingDoesNotAllocate(t *testing.T) {
	c, p, k := Content(), Person(), Known()
	for _, key := range []string{"llm.input_messages.12.message.content", "gen_ai.request.model", "evaluations.0.evaluation.score", "llm.some_new_host.messages"} {
		if n := testing.AllocsPerRun(100, func() { c.Match(key); p.Match(key); k.Match(key) }); n != 0 {
			t.Errorf("Match(%q) allocates %v times", key, n)
		}
	}
}

func BenchmarkContentMatch(b *testing.B) {
	c := Content()
	keys := []string{"gen_ai.request.model", "llm.input_messages.0.message.content", "gen_ai.usage.input_tokens", "http.request.method"}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		c.Match(keys[i&3])
	}
}
