package redact

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// nameOf is the name of a span behind the policy, and checks that a second pass
// leaves it.
func nameOf(t *testing.T, s Settings, name string, fill func(ptrace.Span)) string {
	s.Secrets, s.PII = true, PIIKinds()
	p := compile(t, s)
	td := ptrace.NewTraces()
	span := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	span.SetName(name)
	fill(span)
	p.Traces(td)
	out := span.Name()
	assert.Zero(t, p.Traces(td).Total(), "a second pass changes nothing")
	assert.Equal(t, out, span.Name())
	return out
}

func TestSpanNamesThatHoldWhatWasSaid(t *testing.T) {
	const prompt = "find the invoice of the patient and pay it"
	nothing := func(ptrace.Span) {}
	agents := func(s ptrace.Span) { s.Attributes().PutStr("gen_ai.operation.name", "chat") }
	asked := func(s ptrace.Span) { s.Attributes().PutStr("input.value", "please "+prompt+" now") }
	told := func(s ptrace.Span) {
		ev := s.Events().AppendEmpty()
		ev.SetName("gen_ai.user.message")
		ev.Attributes().PutStr("content", prompt)
	}
	const token = `\[redacted:content\.text\.[0-9]+:[0-9a-f]{12}\]`
	for _, c := range []struct {
		name string
		fill func(ptrace.Span)
		want string // "" if it stays
	}{
		{"chat gpt-4o", agents, ""},
		{"invoke_agent Math Tutor of the third grade", agents, ""},
		{"Agent workflow", agents, ""},
		{"POST /v1/messages", agents, ""},
		{"chat " + prompt, agents, "^chat " + token + "$"},
		{"Who is ill?", agents, "^" + token + "$"},
		{"谁生病了？", agents, "^" + token + "$"},
		{"first line\nsecond", agents, "^" + token + "$"},
		{prompt, asked, "^" + token + "$"},
		{"pay it", asked, ""}, // two words of a text are not that text
		{"run: " + prompt, told, "^" + token + "$"},
		{"chat bob@corp.example.com", agents, `^chat \[redacted:email:[0-9a-f]{12}\]$`},
		{"SELECT a, b, c, d, e, f, g, h FROM shop.orders.", nothing, ""},
	} {
		out := nameOf(t, Settings{}, c.name, c.fill)
		if c.want == "" {
			assert.Equal(t, c.name, out)
		} else {
			assert.Regexp(t, c.want, out, c.name)
		}
	}
	assert.Equal(t, "chat", nameOf(t, Settings{Content: Drop}, "chat "+prompt, agents))
	assert.Equal(t, "chat "+prompt, nameOf(t, Settings{Content: Keep}, "chat "+prompt, agents))
}

func TestARecordWithAContentAttributeIsAnAgents(t *testing.T) {
	for key, want := range map[string]bool{"input.value": true, "exception.message": false, "http.route": false} {
		lr, _ := record(t, func(lr plog.LogRecord) {
			lr.Attributes().PutStr(key, "words")
			lr.Body().SetStr("Maria")
		})
		assert.Equal(t, want, lr.Body().Str() != "Maria", key)
	}
}
