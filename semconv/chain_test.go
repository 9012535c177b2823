package semconv

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// neighbours calls f for each snapshot and the one it follows.
func neighbours(t *testing.T, f func(t *testing.T, from, to *Snapshot)) {
	chain := Chain()
	for i, to := range chain[1:] {
		t.Run(to.Name, func(t *testing.T) { f(t, chain[i], to) })
	}
}

func TestChangesNameEveryKeyThatEnded(t *testing.T) {
	neighbours(t, func(t *testing.T, from, to *Snapshot) {
		var ended, told []string
		for _, a := range from.Attributes {
			if to.Attribute(a.Key) == nil {
				ended = append(ended, a.Key)
			}
		}
		told = slices.Clone(to.Changes.Removed)
		for _, r := range to.Changes.Renamed {
			assert.NotNil(t, from.Attribute(r.From), "renamed from %s", r.From)
			assert.NotNil(t, to.Attribute(r.To), "renamed to %s", r.To)
			assert.Nil(t, from.Attribute(r.To), "%s was there before: two keys would become one", r.To)
			if r.Where == nil {
				told = append(told, r.From)
			}
			for key := range r.Where {
				assert.NotNil(t, from.Attribute(key))
				assert.NotNil(t, to.Attribute(key), "a condition on %s, which is not the same on both sides", key)
			}
		}
		assert.ElementsMatch(t, ended, told)
	})
}

func TestChangesNameEveryNewTypeAndEveryLostWord(t *testing.T) {
	neighbours(t, func(t *testing.T, from, to *Snapshot) {
		var retyped []Retype
		for _, a := range from.Attributes {
			if b := to.Attribute(a.Key); b != nil {
				if a.Type != b.Type {
					retyped = append(retyped, Retype{a.Key, a.Type, b.Type})
				}
				assert.Subset(t, b.Values, a.Values, a.Key)
			}
		}
		assert.ElementsMatch(t, to.Changes.Retyped, retyped)
		for _, r := range to.Changes.Renamed {
			old, now := from.Attribute(r.From), to.Attribute(r.To)
			if old.Type != now.Type { // only by a type that also changed under its own name
				assert.Contains(t, to.Changes.Retyped, Retype{r.From, old.Type, now.Type}, r.From)
			}
			for _, word := range old.Values {
				if further, ok := r.Values[word]; ok {
					word = further
				}
				assert.Contains(t, now.Values, word, r.To)
			}
			back := map[string]bool{}
			for word, further := range r.Values {
				assert.Contains(t, old.Values, word, r.From)
				assert.False(t, back[further], "%s: two words become %s", r.From, further)
				back[further] = true
			}
		}
	})
}

// after gives the keys of a span, metric or event under their next names.
func after(keys []string, to *Snapshot, drops ...string) []string {
	var out []string
	for _, key := range keys {
		if slices.Contains(drops, key) {
			continue
		}
		for _, r := range to.Changes.Renamed {
			if r.From == key && r.Where == nil {
				key = r.To
			}
		}
		out = append(out, key)
	}
	return out
}

func TestChangesNameEveryKeyTakenOffASpan(t *testing.T) {
	neighbours(t, func(t *testing.T, from, to *Snapshot) {
		now := map[string]Span{}
		for _, s := range to.Spans {
			now[s.Span] = s
		}
		for _, r := range to.Changes.SpansRenamed {
			assert.Contains(t, now, r.To)
			assert.True(t, slices.ContainsFunc(from.Spans, func(s Span) bool { return s.Span == r.From }), r.From)
		}
		for _, was := range from.Spans {
			name := was.Span
			for _, r := range to.Changes.SpansRenamed {
				if r.From == name {
					name = r.To
				}
			}
			is, ok := now[name]
			if !assert.True(t, ok, "span %s ended", was.Span) {
				continue
			}
			if was.Kind != "" && is.Kind != "" {
				assert.Equal(t, was.Kind, is.Kind, name)
			}
			for _, key := range after(was.all(), to) {
				if !slices.Contains(is.all(), key) {
					assert.True(t, tellsOf(to, name, key), "%s was taken off %s", key, name)
				}
			}
		}
		for _, off := range to.Changes.TakenOff {
			for _, key := range off.Keys {
				kept := slices.Contains(now[off.Span].all(), key)
				assert.True(t, !kept || len(off.Where) > 1, "%s is still on %s, whatever the record", key, off.Span)
			}
		}
	})
}

// tellsOf: the key was taken off, or has another name on these records.
func tellsOf(to *Snapshot, span, key string) bool {
	for _, off := range to.Changes.TakenOff {
		if off.Span == span && slices.Contains(off.Keys, key) {
			return true
		}
	}
	for _, s := range to.Spans {
		for _, r := range to.Changes.Renamed {
			if s.Span == span && r.Where != nil && r.From == key && slices.Contains(s.all(), r.To) {
				return true
			}
		}
	}
	return false
}

// What was taken off a span does not come back: the rule holds for every later
// snapshot.
func TestKeysTakenOffStayOff(t *testing.T) {
	chain := Chain()
	for i, s := range chain {
		for _, off := range s.Changes.TakenOff {
			for _, later := range chain[i+1:] {
				for _, sp := range later.Spans {
					if sp.Span == off.Span && len(off.Where) == 1 {
						for _, key := range off.Keys {
							assert.NotContains(t, sp.all(), key, "%s: %s", later.Name, off.Span)
						}
					}
				}
			}
		}
	}
}

func TestChangesNameEveryMetricAndEventThatEnded(t *testing.T) {
	neighbours(t, func(t *testing.T, from, to *Snapshot) {
		now := map[string]Metric{}
		for _, m := range to.Metrics {
			now[m.Metric] = m
		}
		told := map[string]bool{}
		for _, r := range to.Changes.MetricsRenamed {
			told[r.From] = true
			assert.True(t, from.hasMetric(r.From), r.From)
			assert.False(t, from.hasMetric(r.To), "%s was there before: two metrics would become one", r.To)
			for _, key := range r.Drops {
				assert.Len(t, r.Where[key], 1, "%s: an attribute that is dropped has one word", r.From)
			}
		}
		for _, was := range from.Metrics {
			_, lives := now[was.Metric]
			assert.True(t, lives || told[was.Metric], "metric %s ended", was.Metric)
			for _, r := range to.Changes.MetricsRenamed {
				if is := now[r.To]; r.From == was.Metric {
					assert.Equal(t, []string{was.Instrument, was.Unit}, []string{is.Instrument, is.Unit}, r.To)
					assert.Equal(t, was.Buckets, is.Buckets, r.To)
					assert.Subset(t, is.all(), after(was.all(), to, r.Drops...), r.To)
				}
			}
			if lives {
				assert.Subset(t, now[was.Metric].all(), after(was.all(), to), was.Metric)
			}
		}
		ended := map[string]bool{}
		for _, e := range to.Changes.EventsEnded {
			ended[e.Event] = true
		}
		for _, e := range from.Events {
			lives := slices.ContainsFunc(to.Events, func(o Event) bool { return o.Event == e.Event })
			assert.NotEqual(t, lives, ended[e.Event], e.Event)
		}
		for _, c := range to.Changes.ContentChanged {
			assert.NotNil(t, to.Attribute(c.Key), c.Key)
			assert.NotNil(t, from.Attribute(c.Key), c.Key)
		}
	})
}

// A key, metric or event that ended does not come back with the same name: a
// name means one thing in all snapshots that have it.
func TestNamesLiveOnce(t *testing.T) {
	lives := map[string][]int{}
	for i, s := range Chain() {
		for _, a := range s.Attributes {
			lives[a.Key] = append(lives[a.Key], i)
		}
		for _, m := range s.Metrics {
			lives["metric "+m.Metric] = append(lives["metric "+m.Metric], i)
		}
		for _, e := range s.Events {
			lives["event "+e.Event] = append(lives["event "+e.Event], i)
		}
	}
	for name, at := range lives {
		assert.Equal(t, at[0]+len(at)-1, at[len(at)-1], name)
	}
}

func TestAliasesLeadToTheOldestSnapshot(t *testing.T) {
	oldest := Chain()[0]
	for _, a := range oldest.Aliases {
		assert.NotNil(t, oldest.Attribute(a.To), a.To)
		for _, s := range Chain() {
			assert.True(t, a.From == a.To || s.Attribute(a.From) == nil, "%s: %s", s.Name, a.From)
			assert.Empty(t, s.Aliases[min(len(s.Aliases), len(oldest.Aliases)):])
		}
	}
	for _, s := range Chain()[1:] {
		assert.Empty(t, s.Aliases, "%s: aliases are of the oldest snapshot only", s.Name)
	}
}

func TestRenamedIntoTheDefault(t *testing.T) {
	s, err := LoadSnapshot(DefaultSnapshot)
	assert.NoError(t, err)
	got := map[string]Rename{}
	for _, r := range s.Renamed {
		got[r.From] = r
	}
	assert.Equal(t, map[string]Rename{
		"gen_ai.system": {From: "gen_ai.system", To: "gen_ai.provider.name", Values: map[string]string{
			"vertex_ai": "gcp.vertex_ai", "gemini": "gcp.gemini", "az.ai.inference": "azure.ai.inference", "az.ai.openai": "azure.ai.openai", "xai": "x_ai"}},
		"gen_ai.usage.prompt_tokens":                {From: "gen_ai.usage.prompt_tokens", To: "gen_ai.usage.input_tokens"},
		"gen_ai.usage.completion_tokens":            {From: "gen_ai.usage.completion_tokens", To: "gen_ai.usage.output_tokens"},
		"gen_ai.usage.cache_write.input_tokens":     {From: "gen_ai.usage.cache_write.input_tokens", To: "gen_ai.usage.cache_creation.input_tokens"},
		"gen_ai.openai.request.seed":                {From: "gen_ai.openai.request.seed", To: "gen_ai.request.seed"},
		"gen_ai.openai.request.response_format":     {From: "gen_ai.openai.request.response_format", To: "gen_ai.output.type", Values: map[string]string{"json_object": "json", "json_schema": "json"}},
		"gen_ai.openai.request.service_tier":        {From: "gen_ai.openai.request.service_tier", To: "openai.request.service_tier"},
		"gen_ai.openai.response.service_tier":       {From: "gen_ai.openai.response.service_tier", To: "openai.response.service_tier"},
		"gen_ai.openai.response.system_fingerprint": {From: "gen_ai.openai.response.system_fingerprint", To: "openai.response.system_fingerprint"},
	}, got)
	var retired []string
	for _, a := range s.Retired {
		retired = append(retired, a.Key)
	}
	assert.Equal(t, []string{"gen_ai.prompt", "gen_ai.completion"}, retired)
}

func into(t *testing.T, goal string) *Translation {
	s, err := LoadSnapshot(goal)
	assert.NoError(t, err)
	return Into(s)
}

// One line a key and goal: where it goes, or that it stays or cannot be carried.
func TestKeysInto(t *testing.T) {
	for _, c := range []struct{ goal, key, to, where string }{
		{"core-1.36.0", "gen_ai.provider.name", "gen_ai.system", ""},
		{"core-1.41.1", "gen_ai.system", "gen_ai.provider.name", ""},
		{"genai-2026-10-09", "gen_ai.system", "gen_ai.provider.name", ""},
		{"core-1.36.0", "openai.response.service_tier", "gen_ai.openai.response.service_tier", ""},
		{"genai-2026-10-09", "gen_ai.usage.prompt_tokens", "gen_ai.usage.input_tokens", ""},
		{"core-1.36.0", "gen_ai.usage.prompt_tokens", "gen_ai.usage.input_tokens", ""},
		{"genai-2026-09-03", "gen_ai.usage.cache_creation.input_tokens", "gen_ai.usage.cache_write.input_tokens", ""},
		{"core-1.41.1", "gen_ai.usage.cache_write.input_tokens", "gen_ai.usage.cache_creation.input_tokens", ""},
		{"core-1.36.0", "gen_ai.usage.cache_write.input_tokens", "", ""},
		{"genai-2026-08-03", "gen_ai.request.top_k", "gen_ai.retrieval.top_k", "retrieval"},
		{"core-1.41.1", "gen_ai.retrieval.top_k", "gen_ai.request.top_k", "retrieval"},
		{"core-1.36.0", "gen_ai.retrieval.top_k", "gen_ai.request.top_k", "retrieval"},
		{"genai-2026-10-09", "gen_ai.token.type", "", ""},
		{"genai-2026-09-03", "gen_ai.skill.name", "", ""},
	} {
		rule, ok := into(t, c.goal).Keys[c.key]
		assert.True(t, ok, c.key)
		to, where := "", ""
		for _, m := range rule.Moves {
			to = m.To
			for _, words := range m.Where {
				where = words[0]
			}
		}
		assert.Equal(t, []string{c.to, c.where}, []string{to, where}, "%s into %s", c.key, c.goal)
	}
}

func TestWordsInto(t *testing.T) {
	folded := map[string]string{"vertex_ai": "gcp.vertex_ai", "gemini": "gcp.gemini", "az.ai.inference": "azure.ai.inference", "az.ai.openai": "azure.ai.openai"}
	now, before := maps.Clone(folded), maps.Clone(folded)
	now["xai"], before["x_ai"] = "x_ai", "xai"
	assert.Equal(t, now, into(t, "genai-2026-10-09").Keys["gen_ai.provider.name"].Words)
	assert.Equal(t, before, into(t, "core-1.36.0").Keys["gen_ai.system"].Words)
	assert.Equal(t, before, into(t, "core-1.36.0").Keys["gen_ai.provider.name"].Moves[0].Values)
	assert.Nil(t, into(t, DefaultSnapshot).Keys["gen_ai.output.type"].Words, "two words that fold into one are folded only where the source stays")
	assert.Equal(t, "double", into(t, "core-1.41.1").Keys["gen_ai.request.top_k"].Type)
	assert.Equal(t, "int", into(t, "genai-2026-08-03").Keys["gen_ai.request.top_k"].Type)
}

func TestMetricsInto(t *testing.T) {
	newest, oldest := into(t, "genai-2026-10-09"), into(t, "core-1.36.0")
	usage := newest.Metrics["gen_ai.client.token.usage"]
	assert.False(t, usage.Native)
	assert.Len(t, usage.Moves, 2)
	back := oldest.Metrics["gen_ai.client.inference.operation.output_tokens"]
	assert.Equal(t, "gen_ai.client.token.usage", back.Moves[0].To)
	assert.Equal(t, map[string]string{"gen_ai.token.type": "output"}, back.Moves[0].Adds)
	assert.NotContains(t, back.Moves[0].Where, "gen_ai.token.type")
	duration := newest.Metrics["gen_ai.client.operation.duration"]
	assert.True(t, duration.Native)
	assert.Equal(t, "gen_ai.client.inference.duration", duration.Moves[0].To)
	assert.Empty(t, oldest.Metrics["gen_ai.client.inference.usage.input_tokens"].Moves, "counters cannot become a histogram")
	assert.Empty(t, into(t, "core-1.41.1").Metrics["gen_ai.workflow.duration"].Moves)
	assert.Equal(t, "gen_ai.workflow.duration", into(t, "genai-2026-08-03").Metrics["gen_ai.invoke_workflow.duration"].Moves[0].To)
}

func goesTo(r KeyRule, key string) bool {
	return slices.ContainsFunc(r.Moves, func(m Move) bool { return m.To == key })
}

// Every way into a goal ends at a name that the goal has, and the way back ends
// where it began.
func TestEveryWayEndsInTheGoalAndLeadsBack(t *testing.T) {
	chain := Chain()
	for _, goal := range chain {
		tr := Into(goal)
		for key, rule := range tr.Keys {
			assert.Equal(t, goal.Attribute(key) != nil, rule.Native, "%s into %s", key, goal.Name)
			for _, m := range rule.Moves {
				assert.NotNil(t, goal.Attribute(m.To), "%s into %s", key, goal.Name)
				for _, home := range chain {
					if home.Attribute(key) == nil || goesTo(Into(home).Keys[key], m.To) {
						continue // not of this snapshot, or not as it spells it
					}
					assert.True(t, goesTo(Into(home).Keys[m.To], key), "%s of %s became %s in %s and cannot come back", key, home.Name, m.To, goal.Name)
				}
			}
		}
		for name, rule := range tr.Metrics {
			assert.Equal(t, goal.hasMetric(name), rule.Native, "%s into %s", name, goal.Name)
			for _, m := range rule.Moves {
				assert.True(t, goal.hasMetric(m.To), "%s into %s", name, goal.Name)
			}
		}
		for _, off := range tr.TakenOff {
			assert.NotEmpty(t, off.Kind)
			for _, key := range off.Keys {
				assert.NotNil(t, goal.Attribute(key))
			}
		}
	}
}
