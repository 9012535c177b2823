package mapping

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/otelcol-agent/otelcol-agent/semconv"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"golang.org/x/tools/txtar"
	"gopkg.in/yaml.v3"
)

// samples calls f for each recorded trace and log request.
func samples(t *testing.T, spans func(string, ptrace.Traces), logs func(string, plog.Logs)) {
	paths, err := filepath.Glob("testdata/samples/*.json")
	if err != nil || len(paths) < 10 {
		t.Fatal("samples are missing", err)
	}
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(b, []byte(`"resourceSpans"`)) {
			td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(b)
			if err != nil {
				t.Fatal(path, err)
			}
			spans(filepath.Base(path), td)
		}
		if bytes.Contains(b, []byte(`"resourceLogs"`)) {
			ld, err := (&plog.JSONUnmarshaler{}).UnmarshalLogs(b)
			if err != nil {
				t.Fatal(path, err)
			}
			logs(filepath.Base(path), ld)
		}
	}
}

func nothingOfLogs(string, plog.Logs) {}

func traceBytes(t *testing.T, td ptrace.Traces) []byte {
	b, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func logBytes(t *testing.T, ld plog.Logs) []byte {
	b, err := (&plog.ProtoMarshaler{}).MarshalLogs(ld)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestMappingTwiceIsMappingOnce(t *testing.T) {
	for _, options := range []Options{{}, {Content: true}, everything} {
		tables := embedded(t, options)
		samples(t, func(name string, td ptrace.Traces) {
			tables.MapTraces(td)
			once := traceBytes(t, td)
			tables.MapTraces(td)
			if !bytes.Equal(once, traceBytes(t, td)) {
				t.Errorf("%s changes when it is mapped again", name)
			}
		}, func(name string, ld plog.Logs) {
			tables.MapLogs(ld)
			once := logBytes(t, ld)
			tables.MapLogs(ld)
			if !bytes.Equal(once, logBytes(t, ld)) {
				t.Errorf("%s changes when it is mapped again", name)
			}
		})
	}
}

// Without the stamp the result must still be stable where no rule reads what it
// wrote: names, kinds and operations. Token sums of an exclusive source are the
// exception that the stamp exists for.
func TestNoRuleMatchesItsOwnOutput(t *testing.T) {
	tables := embedded(t, Options{})
	samples(t, func(name string, td ptrace.Traces) {
		tables.MapTraces(td)
		var before []string
		eachSpan(td, func(s ptrace.Span) {
			before = append(before, outline(s))
			s.Attributes().Remove("app.mapping.snapshot")
		})
		tables.MapTraces(td)
		i := 0
		eachSpan(td, func(s ptrace.Span) {
			if got := outline(s); got != before[i] {
				t.Errorf("%s: %s became %s", name, before[i], got)
			}
			i++
		})
	}, nothingOfLogs)
}

func outline(s ptrace.Span) string {
	out := s.Name() + " " + s.Kind().String()
	for _, k := range []string{"gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.request.model", "gen_ai.tool.name", "gen_ai.agent.name", "app.mapping.dialect"} {
		out += " " + attribute(s, k)
	}
	return out
}

func attribute(s ptrace.Span, key string) string {
	v, ok := s.Attributes().Get(key)
	if !ok {
		return "-"
	}
	return v.AsString()
}

func TestSpansOfNoDialectKeepEveryByte(t *testing.T) {
	tables := embedded(t, Options{})
	samples(t, func(name string, td ptrace.Traces) {
		var before []ptrace.Span
		eachSpan(td, func(s ptrace.Span) {
			c := ptrace.NewSpan()
			s.CopyTo(c)
			before = append(before, c)
		})
		tables.MapTraces(td)
		i := 0
		eachSpan(td, func(s ptrace.Span) {
			_, mapped := s.Attributes().Get("app.mapping.dialect")
			if !mapped && !sameSpan(t, s, before[i]) {
				t.Errorf("%s: span %q of no dialect was changed", name, s.Name())
			}
			i++
		})
	}, nothingOfLogs)
}

func sameSpan(t *testing.T, a, b ptrace.Span) bool {
	wrap := func(s ptrace.Span) ptrace.Traces {
		td := ptrace.NewTraces()
		s.CopyTo(td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty())
		return td
	}
	return bytes.Equal(traceBytes(t, wrap(a)), traceBytes(t, wrap(b)))
}

// Keys that no dialect knows and another order of attributes change nothing.
func TestDetectionDoesNotDependOnOrder(t *testing.T) {
	tables := embedded(t, Options{})
	dialects := func(td ptrace.Traces) []string {
		tables.MapTraces(td)
		var out []string
		eachSpan(td, func(s ptrace.Span) {
			out = append(out, attribute(s, "app.mapping.dialect"))
		})
		return out
	}
	spansOfSamplesAndCases(t, func(name string, td ptrace.Traces) {
		more := ptrace.NewTraces()
		td.CopyTo(more)
		eachSpan(more, func(s ptrace.Span) {
			reversed := pcommon.NewMap()
			var keys []string
			for k := range s.Attributes().All() {
				keys = append(keys, k)
			}
			reversed.PutStr("zz.unheard.of", "x")
			for i := len(keys) - 1; i >= 0; i-- {
				v, _ := s.Attributes().Get(keys[i])
				v.CopyTo(reversed.PutEmpty(keys[i]))
			}
			reversed.MoveTo(s.Attributes())
		})
		want, got := dialects(td), dialects(more)
		if strings.Join(want, " ") != strings.Join(got, " ") {
			t.Errorf("%s: %v became %v", name, want, got)
		}
	})
}

// spansOfSamplesAndCases calls f for the spans of each sample and of each case.
func spansOfSamplesAndCases(t *testing.T, f func(string, ptrace.Traces)) {
	samples(t, f, nothingOfLogs)
	paths, err := filepath.Glob("testdata/cases/*.txtar")
	if err != nil || len(paths) < 50 {
		t.Fatal("cases are missing", err)
	}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var in caseInput
		if err := yaml.Unmarshal(archive.Files[0].Data, &in); err != nil {
			t.Fatal(path, err)
		}
		td, _, _ := in.build(t)
		f(filepath.Base(path), td)
	}
}

// Every text of the input is somewhere in the output, unless the output says
// the same in the snapshot's words: nothing vanishes.
func TestNoTextVanishes(t *testing.T) {
	tables := embedded(t, Options{})
	said := snapshotWords(t)
	for _, d := range tables.dialects {
		for _, p := range d.sections {
			if p != nil {
				dialectWords(&p.body, said)
			}
		}
	}
	samples(t, func(name string, td ptrace.Traces) {
		withoutDropped(tables, td)
		before := texts(td)
		tables.MapTraces(td)
		after := texts(td)
		for text := range before {
			if !after[text] && !said[text] && !placeholders[text] && !retyped(text, after) {
				t.Errorf("%s: %d characters of some attribute vanished", name, len(text))
			}
		}
	}, nothingOfLogs)
}

// withoutDropped takes out the spans that rules drop: another span says them.
func withoutDropped(tables *Tables, td ptrace.Traces) {
	mapped, stays := ptrace.NewTraces(), map[pcommon.SpanID]bool{}
	td.CopyTo(mapped)
	tables.MapTraces(mapped)
	eachSpan(mapped, func(s ptrace.Span) { stays[s.SpanID()] = true })
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			ss.Spans().RemoveIf(func(s ptrace.Span) bool { return !stays[s.SpanID()] })
		}
	}
}

// snapshotWords are words that the snapshot has another word for.
func snapshotWords(t *testing.T) map[string]bool {
	snapshot, err := semconv.LoadSnapshot(semconv.DefaultSnapshot)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{"accept": true, "reject": true}
	for _, r := range snapshot.Renamed {
		for word := range r.Values {
			out[word] = true
		}
	}
	return out
}

// dialectWords adds words that a dialect has another word for, or none since
// they say nothing.
func dialectWords(b *block, said map[string]bool) {
	for i := range b.fields {
		for word := range b.fields[i].values {
			said[word] = true
		}
		for _, word := range b.fields[i].absent {
			said[word] = true
		}
	}
	for _, inner := range [][]block{b.cases, b.finally} {
		for i := range inner {
			dialectWords(&inner[i], said)
		}
	}
}

// retyped reports whether a text became a number, a boolean or a list.
func retyped(text string, after map[string]bool) bool {
	if _, err := strconv.ParseFloat(text, 64); err == nil || strings.EqualFold(text, "true") || strings.EqualFold(text, "false") {
		return true
	}
	parts, ok := jsonStrings(text)
	if !ok {
		parts = strings.Split(text, ",")
	}
	for _, p := range parts {
		if !after[strings.TrimSpace(p)] {
			return false
		}
	}
	return true
}

func texts(td ptrace.Traces) map[string]bool {
	out := map[string]bool{}
	var walk func(v pcommon.Value)
	walk = func(v pcommon.Value) {
		switch v.Type() {
		case pcommon.ValueTypeSlice:
			for _, e := range v.Slice().All() {
				walk(e)
			}
		case pcommon.ValueTypeMap:
			for _, e := range v.Map().All() {
				walk(e)
			}
		case pcommon.ValueTypeStr:
			out[v.Str()] = true
			for _, part := range strings.Split(v.Str(), "/") {
				out[part] = true
			}
		}
	}
	eachSpan(td, func(s ptrace.Span) {
		out[s.Name()] = true
		for _, v := range s.Attributes().All() {
			walk(v)
		}
	})
	return out
}

// The OpenAI Agents SDK's own export is no telemetry: whoever sends it here by
// mistake gets nothing back, and nothing breaks.
func TestWhatIsNoTelemetryIsNothing(t *testing.T) {
	b, err := os.ReadFile("testdata/samples/28_openai_agents_native_NOT_OTLP.json")
	if err != nil {
		t.Fatal(err)
	}
	tables := embedded(t, Options{Content: true})
	if td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(b); err == nil {
		if r := tables.MapTraces(td); td.SpanCount() != 0 || r.Mapped != nil {
			t.Error("spans came out of it")
		}
	}
	if ld, err := (&plog.JSONUnmarshaler{}).UnmarshalLogs(b); err == nil {
		if r := tables.MapLogs(ld); ld.LogRecordCount() != 0 || r.Mapped != nil {
			t.Error("log records came out of it")
		}
	}
}

// In the step of detection that decides, no two dialects claim a span.
func TestAtMostOneDialectClaimsASpan(t *testing.T) {
	tables := embedded(t, Options{})
	det := &tables.detect[signalSpans]
	s := tables.scratch()
	s.tally = &tally{}
	spansOfSamplesAndCases(t, func(name string, td ptrace.Traces) {
		for _, rs := range td.ResourceSpans().All() {
			s.setResource(rs.Resource().Attributes())
			for _, ss := range rs.ScopeSpans().All() {
				s.setScope(ss.Scope())
				for _, span := range ss.Spans().All() {
					s.begin(span.Name(), "")
					s.span, s.isSpan = span, true
					s.scan(span.Attributes(), signalSpans)
					for step, claims := range claimsOf(tables, det, s) {
						if len(claims) > 1 {
							t.Errorf("%s: span %q: %d dialects by its %s", name, span.Name(), len(claims), step)
						}
						if len(claims) > 0 {
							break
						}
					}
				}
			}
		}
	})
}

// claimsOf gives, step by step, the dialects that claim the scanned span.
func claimsOf(tables *Tables, det *detector, s *scratch) func(func(string, map[int16]bool) bool) {
	return func(yield func(string, map[int16]bool) bool) {
		markers, keys, all := map[int16]bool{}, map[int16]bool{}, map[int16]bool{}
		for id := range tables.keys {
			if !s.has(int32(id)) {
				continue
			}
			if m := tables.keys[id].marker[signalSpans]; m > 0 {
				markers[m-1] = true
			}
			if o := tables.keys[id].owned[signalSpans]; o > 0 {
				keys[o-1] = true
			}
		}
		for k := range s.attributes.All() {
			if k == "" {
				continue
			}
			for _, f := range det.keyFamily[k[0]] {
				if strings.HasPrefix(k, f.prefix) {
					keys[f.dialect] = true
				}
			}
		}
		longest := 0
		for i := range det.conjunctions {
			if g := &det.conjunctions[i]; len(g.when) >= longest && !(g.last && longest > 0) && s.matches(g.when) {
				longest = len(g.when)
				all[g.dialect] = true
			}
		}
		scope := map[int16]bool{}
		if d := det.hoist(s); d >= 0 {
			scope[d] = true
		}
		_ = yield("marker", markers) && yield("scope", scope) && yield("keys", keys) && yield("conjunction", all)
	}
}

// A key that another dialect owns does not take a span away from the dialect of
// its scope.
func TestScopeHoldsAgainstForeignKeys(t *testing.T) {
	tables := embedded(t, Options{})
	det := &tables.detect[signalSpans]
	var owned []string
	for i := range tables.keys {
		if tables.keys[i].owned[signalSpans] > 0 {
			owned = append(owned, tables.keys[i].name)
		}
	}
	for i := range det.keyFamily {
		for _, f := range det.keyFamily[i] {
			owned = append(owned, f.prefix+"x")
		}
	}
	for scope, dialect := range det.scopes {
		for _, key := range owned {
			td := oneSpan(scope, "n", map[string]any{key: "x", "gen_ai.operation.name": "chat"})
			tables.MapTraces(td)
			eachSpan(td, func(span ptrace.Span) {
				if got := attribute(span, "app.mapping.dialect"); got != tables.dialects[dialect].name {
					t.Errorf("scope %s with %s became %s", scope, key, got)
				}
			})
		}
	}
}
