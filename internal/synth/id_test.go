package synth

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// Ids are written down here by hand: a store holds years of them, so a change
// of this test is a change of the data model.
func TestIDsAreWhatTheDataModelSays(t *testing.T) {
	parts := func(list ...string) string {
		var b []byte
		for _, p := range list {
			b = append(b, 0, 0, 0, byte(len(p)))
			b = append(b, p...)
		}
		sum := sha256.Sum256(b)
		return string(sum[:])
	}
	trace := parts("acme", "demo", "s1", "t1")[:16]
	out := Step(NewState(defaults()), parse(t, `
resource tenant.id=acme
default app.session.id=s1 app.turn.id=t1 app.mapping.dialect=demo
1000 app.turn.started
2000 app.tool.completed gen_ai.tool.name=x gen_ai.tool.call.id=c1
3000 app.inference.completed app.request.id=r1`).batches[0].logs, epoch)
	want := map[string]string{
		"invoke_agent":   hex.EncodeToString([]byte(parts(trace, "turn", "")[:8])),
		"execute_tool x": hex.EncodeToString([]byte(parts(trace, "tool", "c1")[:8])),
		"chat":           hex.EncodeToString([]byte(parts(trace, "inference", "r1")[:8])),
	}
	got := map[string]string{}
	spans := out.Traces.ResourceSpans().At(0).ScopeSpans().At(0).Spans()
	for i := range spans.Len() {
		got[spans.At(i).Name()] = spans.At(i).SpanID().String()
		if id := spans.At(i).TraceID().String(); id != hex.EncodeToString([]byte(trace)) {
			t.Errorf("trace id %s", id)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Parts are told apart by their length, not by what is between them.
func TestDigestKeepsPartsApart(t *testing.T) {
	if digest("ab", "c") == digest("a", "bc") || digest("", "a") == digest("a", "") || digest("a") == digest("a", "") {
		t.Error("different parts have one digest")
	}
}

// No key that may be copied holds content, and every key that rules rely on is
// in the list.
func TestNoCopiedKeyHoldsContent(t *testing.T) {
	for _, name := range keys().names {
		if semconv.Content().Match(name) {
			t.Errorf("%s may hold content and is copied", name)
		}
	}
	for _, list := range [][]string{turnKeys, taskKeys, quietKeys} {
		for _, name := range list {
			if _, ok := keys().index[name]; !ok {
				t.Errorf("%s is relied on and not copied", name)
			}
		}
	}
	for name, r := range rules {
		for _, key := range []string{r.subject, r.detail} {
			if _, ok := keys().index[key]; key != "" && !ok {
				t.Errorf("%s names its spans by %s, which is not copied", name, key)
			}
		}
	}
	places()
}

// Every canonical event of the registry has a rule; an event of another step has none.
func TestEveryCanonicalEventHasARule(t *testing.T) {
	for _, e := range semconv.App().Events {
		if rules[e.Name] == nil {
			t.Errorf("%s has no rule", e.Name)
		}
	}
	if rules[semconv.EventGenAIEvaluationResult] != nil {
		t.Error("an evaluation belongs to the step judge")
	}
}
