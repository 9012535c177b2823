package mapping

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// everything reads and writes all that can be.
var everything = Options{Content: true, Digests: DigestKinds(), DigestKey: []byte("the key of this test"), TenantKey: "tenant.id", JoinRecords: 8}

// What emitters write for a value they do not have is no value, whatever the key:
// it is neither zero nor a word.
func TestPlaceholdersAreNoValues(t *testing.T) {
	tables := embedded(t, Options{})
	nothing := []any{"", " ", "null", "undefined", "NaN", "nan", math.NaN()}
	for i := range tables.keys {
		to := tables.keys[i].native
		if to == nil || to.typ == typeAny || to.private || to.key == operationKey {
			continue
		}
		values := nothing
		if to.count {
			values = append([]any{-1, -1.0, "-1"}, nothing...)
		}
		for _, v := range values {
			td := oneSpan("s", "n", map[string]any{operationKey: "chat", to.key: v})
			report := tables.MapTraces(td)
			eachSpan(td, func(s ptrace.Span) {
				if _, ok := s.Attributes().Get(to.key); ok {
					t.Errorf("%s keeps %v", to.key, v)
				}
			})
			if report.Left != nil {
				t.Errorf("%s with %v is counted as %v", to.key, v, report.Left)
			}
		}
	}
}

// A value of the wrong type is coerced where nothing is lost, else it stays as it
// is under its own key and is counted.
func TestWrongTypesAreCoercedOrCounted(t *testing.T) {
	tables := embedded(t, Options{})
	for _, c := range []struct {
		key       string
		in, want  any
		leftTyped bool
	}{
		{"gen_ai.usage.input_tokens", "12", int64(12), false},
		{"gen_ai.usage.input_tokens", 12.0, int64(12), false},
		{"gen_ai.usage.input_tokens", 12.5, 12.5, true},
		{"gen_ai.usage.input_tokens", math.Inf(1), math.Inf(1), true},
		{"gen_ai.usage.input_tokens", "9223372036854775808", "9223372036854775808", true},
		{"gen_ai.usage.input_tokens", "twelve", "twelve", true},
		{"gen_ai.usage.input_tokens", true, true, true},
		{"gen_ai.request.temperature", "0.5", 0.5, false},
		{"gen_ai.request.temperature", 1, 1.0, false},
		{"gen_ai.request.temperature", "warm", "warm", true},
		{"gen_ai.request.temperature", math.Inf(-1), math.Inf(-1), true},
		{"gen_ai.request.stream", "True", true, false},
		{"gen_ai.request.stream", 0, false, false},
		{"gen_ai.request.stream", "perhaps", "perhaps", true},
		{"gen_ai.request.model", 4, "4", false},
		{"gen_ai.request.model", map[string]any{"a": "b"}, map[string]any{"a": "b"}, true},
		{"gen_ai.request.stop_sequences", `["a","b"]`, []any{"a", "b"}, false},
		{"gen_ai.request.stop_sequences", "a", []any{"a"}, false},
	} {
		td := oneSpan("s", "n", map[string]any{operationKey: "chat", c.key: c.in})
		report := tables.MapTraces(td)
		eachSpan(td, func(s ptrace.Span) {
			got, _ := s.Attributes().Get(c.key)
			want := pcommon.NewValueEmpty()
			if err := want.FromRaw(c.want); err != nil || !got.Equal(want) {
				t.Errorf("%s: %v became %v, want %v", c.key, c.in, got.AsRaw(), c.want)
			}
		})
		if counted := len(report.Left) == 1 && report.Left[0] == (Count{"type", 1}); counted != c.leftTyped || !counted && report.Left != nil {
			t.Errorf("%s: %v is counted as %v", c.key, c.in, report.Left)
		}
	}
}

// nested makes lists in maps in lists …, far deeper than any reader goes.
func nested(v pcommon.Value, depth int) {
	for range depth {
		m := v.SetEmptyMap()
		m.PutStr("role", "user")
		v = m.PutEmpty("content").SetEmptySlice().AppendEmpty()
	}
	v.SetStr("x")
}

// Whatever stands under whatever known key, alone or together with all the
// others, is read in bounded time, and a second pass changes nothing.
func TestHostileValuesUnderEveryKey(t *testing.T) {
	tables := embedded(t, everything)
	big := func(s string) string { return strings.Repeat(s, (4<<20)/len(s)) + s }
	kinds := map[string]func(pcommon.Value){
		"a map too deep":    func(v pcommon.Value) { nested(v, 2*maxJSONDepth) },
		"brackets too deep": func(v pcommon.Value) { v.SetStr(strings.Repeat("[", 1000) + strings.Repeat("]", 1000)) },
		"NaN":               func(v pcommon.Value) { v.SetDouble(math.NaN()) },
		"the least number":  func(v pcommon.Value) { v.SetInt(math.MinInt64) },
		"bytes":             func(v pcommon.Value) { v.SetEmptyBytes().FromRaw([]byte{0, 255, 128}) },
		"no UTF-8":          func(v pcommon.Value) { v.SetStr("{\"a\": \"\xff\xfe\"}") },
		"half of JSON":      func(v pcommon.Value) { v.SetStr(`{"messages": [{"role": "user", "content": [`) },
		"nothing":           func(pcommon.Value) {},
	}
	for _, scope := range []string{"s", "openinference.instrumentation.openai"} {
		for name, fill := range kinds {
			td := oneSpan(scope, "n", nil)
			span := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
			event := span.Events().AppendEmpty()
			event.SetName("gen_ai.user.message")
			fill(event.Attributes().PutEmpty("content"))
			for i := range tables.keys {
				if key := tables.keys[i].name; key != "app.mapping.snapshot" {
					fill(span.Attributes().PutEmpty(key))
				}
			}
			span.Attributes().PutStr(operationKey, "chat")
			bounded(t, scope+" with "+name, func() { tables.MapTraces(td) })
			once := traceBytes(t, td)
			tables.MapTraces(td)
			if !bytes.Equal(once, traceBytes(t, td)) {
				t.Errorf("%s with %s changes when it is mapped again", scope, name)
			}
		}
	}
	for _, key := range []string{"gen_ai.input.messages", "gen_ai.tool.call.arguments", "gen_ai.request.stop_sequences", "gen_ai.request.model"} {
		td := oneSpan("s", "n", map[string]any{operationKey: "execute_tool", "gen_ai.tool.name": "shell"})
		nested(td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Attributes().PutEmpty(key), 10_000)
		bounded(t, "deep "+key, func() { tables.MapTraces(td) })
	}
	// Four megabytes each: of one key only, since nobody could send all at once.
	for _, key := range []string{"gen_ai.input.messages", "gen_ai.request.stop_sequences", "gen_ai.usage.input_tokens"} {
		for _, text := range []string{big("x"), big("["), big("'"), big("1"), big(`\"`), `["` + big("a") + `"]`} {
			td := oneSpan("s", "n", map[string]any{operationKey: "chat", key: text})
			bounded(t, key, func() { tables.MapTraces(td) })
		}
	}
}

// bounded fails if a call takes more than five seconds of processor time.
func bounded(t *testing.T, what string, f func()) {
	t.Helper()
	before := cpuNanos()
	f()
	if spent := cpuNanos() - before; spent > 5e9 {
		t.Errorf("%s took %.1f s", what, float64(spent)/1e9)
	}
}

// An SDK keeps the first attributes and counts the others: whatever is cut off,
// the rest is mapped, and a mapped span says that it is not whole.
func TestSetsCutAnywhereAreMappedAndMarked(t *testing.T) {
	tables := embedded(t, everything)
	mapped := 0
	samples(t, func(name string, td ptrace.Traces) {
		for keep := range 24 {
			cut := ptrace.NewTraces()
			td.CopyTo(cut)
			lost := map[[8]byte]bool{}
			eachSpan(cut, func(s ptrace.Span) {
				n := 0
				s.Attributes().RemoveIf(func(string, pcommon.Value) bool { n++; return n > keep })
				if n > keep {
					s.SetDroppedAttributesCount(uint32(n - keep))
					lost[s.SpanID()] = true
				}
			})
			tables.MapTraces(cut)
			once := traceBytes(t, cut)
			eachSpan(cut, func(s ptrace.Span) {
				_, done := s.Attributes().Get("app.mapping.dialect")
				_, marked := s.Attributes().Get("app.mapping.truncated")
				if marked != (done && lost[s.SpanID()]) {
					t.Errorf("%s cut to %d: span %q, mapped %v, marked %v", name, keep, s.Name(), done, marked)
				}
				if marked {
					mapped++
				}
			})
			tables.MapTraces(cut)
			if !bytes.Equal(once, traceBytes(t, cut)) {
				t.Errorf("%s cut to %d changes when it is mapped again", name, keep)
			}
		}
	}, nothingOfLogs)
	if mapped < 500 {
		t.Errorf("only %d cut spans were mapped", mapped)
	}
}
