package mapping

import (
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/otelcol-agent/otelcol-agent/semconv"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// everyPair calls f for each home and goal with a source of its own.
func everyPair(t *testing.T, f func(t *testing.T, r *rand.Rand, home, goal *semconv.Snapshot)) {
	for i, home := range semconv.Chain() {
		for j, goal := range semconv.Chain() {
			t.Run(home.Name+"_and_"+goal.Name, func(t *testing.T) {
				f(t, rand.New(rand.NewPCG(uint64(i), uint64(j))), home, goal)
			})
		}
	}
}

// pick gives a value that an attribute could have; every eighth is one that no
// convention asks for.
func pick(r *rand.Rand, a semconv.Attribute, v pcommon.Value) {
	typ := a.Type
	if r.IntN(8) == 0 {
		typ = []string{"string", "int", "double", "boolean", "string[]", "any"}[r.IntN(6)]
	}
	switch typ {
	case "int":
		v.SetInt([]int64{0, 1, 40, -3, 1 << 53, 1<<53 + 1, 1 << 62}[r.IntN(7)])
	case "double":
		v.SetDouble([]float64{0, 1, 40, 0.5, -2, 1e300, 1 << 53}[r.IntN(7)])
	case "boolean":
		v.SetBool(r.IntN(2) == 0)
	case "string[]":
		v.SetEmptySlice().AppendEmpty().SetStr("x")
	case "any":
		v.SetEmptyMap().PutStr("role", "user")
	default:
		words := append([]string{"house", "", "7", "xai", "vertex_ai", "az.ai.openai"}, a.Values...)
		v.SetStr(words[r.IntN(len(words))])
	}
}

// randomSpan has keys of the given attributes and some of its own.
func randomSpan(r *rand.Rand, from []semconv.Attribute) ptrace.Span {
	span := ptrace.NewSpan()
	span.SetKind(ptrace.SpanKind(1 + r.IntN(5)))
	attrs := span.Attributes()
	attrs.PutStr("house.key", "x")
	if r.IntN(4) > 0 {
		attrs.PutStr(operationKey, []string{"chat", "retrieval", "invoke_agent", "embeddings", "plan"}[r.IntN(5)])
	}
	for range r.IntN(24) {
		a := from[r.IntN(len(from))]
		pick(r, a, attrs.PutEmpty(a.Key))
	}
	return span
}

func raw(span ptrace.Span) string {
	m := span.Attributes().AsRaw()
	var b strings.Builder
	for _, k := range sortedKeys(m) {
		fmt.Fprintf(&b, "%s = %T %v\n", k, m[k], m[k])
	}
	return b.String()
}

// A record in a snapshot's own words comes back from any other one unchanged,
// and is left alone by a translation into its own.
func TestThereAndBackIsWhereWeWere(t *testing.T) {
	everyPair(t, func(t *testing.T, r *rand.Rand, home, goal *semconv.Snapshot) {
		in, out := newTranslator(home), newTranslator(goal)
		for range 300 {
			span := randomSpan(r, home.Attributes)
			in.span(span, nil)
			before := raw(span)
			if in.span(span, nil) {
				t.Fatalf("twice into %s:\n%s", home.Name, before)
			}
			out.span(span, nil)
			between := raw(span)
			in.span(span, nil)
			if diff := cmp.Diff(before, raw(span)); diff != "" {
				t.Fatalf("by way of\n%s(-want +got)\n%s", between, diff)
			}
		}
	})
}

// everyKey are the keys of all snapshots and the spellings before them.
func everyKey() []semconv.Attribute {
	var out []semconv.Attribute
	for _, s := range semconv.Chain() {
		out = append(out, s.Attributes...)
		for _, a := range s.Aliases {
			out = append(out, semconv.Attribute{Key: a.From, Type: "string", Values: sortedKeys(a.Values)})
		}
	}
	return out
}

// Whatever a record mixes: translating twice is translating once, keys of nobody
// are untouched, needs says yes to whatever is changed, nothing vanishes, and a
// second translation leaves and counts the same.
func TestTranslatingAnyMixture(t *testing.T) {
	all := everyKey()
	everyPair(t, func(t *testing.T, r *rand.Rand, _, goal *semconv.Snapshot) {
		x := newTranslator(goal)
		for range 300 {
			span := randomSpan(r, all)
			before := raw(span)
			needed := false
			for k, v := range span.Attributes().All() {
				needed = needed || x.needs(k, v)
			}
			was := said(x, span.Attributes())
			var first, second tally
			changed := x.span(span, &first)
			once := raw(span)
			if changed != (before != once) || changed && !needed {
				t.Fatalf("changed %v needed %v\n%s", changed, needed, cmp.Diff(before, once))
			}
			if v, ok := span.Attributes().Get("house.key"); !ok || v.Str() != "x" {
				t.Fatal("a key of nobody was touched")
			}
			now := said(x, span.Attributes())
			for value := range was {
				if now[value] == "" {
					t.Fatalf("%s vanished from\n%sleaving\n%s", value, before, once)
				}
			}
			if x.span(span, &second) || raw(span) != once {
				t.Fatalf("twice:\n%s", cmp.Diff(once, raw(span)))
			}
			for reason := range reasonNames {
				if first.reasons[reason] != second.reasons[reason] {
					t.Fatalf("%s: %d, then %d\n%s", reasonNames[reason], first.reasons[reason], second.reasons[reason], once)
				}
			}
		}
	})
}

// The same for records in some home's words with stray keys of any snapshot:
// nothing vanishes, and what the home does not have is never moved to a fact.
func TestTranslatingStrays(t *testing.T) {
	all := everyKey()
	everyPair(t, func(t *testing.T, r *rand.Rand, home, goal *semconv.Snapshot) {
		x, own := newTranslator(goal), newTranslator(home)
		after := x.after(own)
		for range 200 {
			span := randomSpan(r, all)
			before, was := raw(span), said(x, span.Attributes())
			facts := map[string]bool{}
			for key := range span.Attributes().All() {
				if k := own.keys[key]; k == nil || k.native {
					facts[key] = true
				}
			}
			after.span(span, nil)
			now := said(x, span.Attributes())
			for value, word := range was {
				if now[value] == "" && now[strings.TrimPrefix(word, "was ")] == "" {
					t.Fatalf("%s vanished from\n%sleaving\n%s", value, before, raw(span))
				}
			}
			for key := range span.Attributes().All() {
				if facts[key] || strings.HasPrefix(key, semconv.AppOriginal) {
					continue
				}
				from := ""
				for old := range facts {
					if k := x.keys[old]; k != nil {
						for i := range k.moves {
							if k.moves[i].to == key {
								from = old
							}
						}
					}
				}
				if from == "" && !strings.Contains(before, key+" = ") {
					t.Fatalf("%s came from no fact of\n%s", key, before)
				}
			}
		}
	})
}

// said is everything that the attributes say, in the goal's words, and the words
// that were used; placeholders say nothing.
func said(x *translator, attrs pcommon.Map) map[string]string {
	out := map[string]string{}
	for key, v := range attrs.All() {
		if saysNothing(v) {
			continue
		}
		word := v.AsString()
		if k := x.keys[key]; k != nil && v.Type() == pcommon.ValueTypeStr {
			if other, ok := k.words[word]; ok {
				word = other
			}
			for i := range k.moves {
				if other, ok := k.moves[i].values[word]; ok {
					word = other
				}
			}
		}
		out[word] = "was " + v.AsString()
	}
	return out
}

// streams flattens metrics into one line a data point.
func streams(list pmetric.MetricSlice) string {
	var out []string
	for _, m := range list.All() {
		head := fmt.Sprintf("%s %q %q %s %v", m.Name(), m.Unit(), m.Description(), m.Type(), m.Metadata().AsRaw())
		if m.Type() == pmetric.MetricTypeHistogram {
			head += m.Histogram().AggregationTemporality().String()
			for _, p := range m.Histogram().DataPoints().All() {
				out = append(out, fmt.Sprintf("%s sum %v %v", head, p.Sum(), p.Attributes().AsRaw()))
			}
			continue
		}
		eachPoint(m, func(attrs pcommon.Map) { out = append(out, fmt.Sprintf("%s %v", head, attrs.AsRaw())) })
	}
	sort.Strings(out)
	return strings.Join(out, "\n")
}

func randomMetrics(r *rand.Rand, from []semconv.Metric, keys *semconv.Snapshot) pmetric.MetricSlice {
	list := pmetric.NewMetricSlice()
	for range 1 + r.IntN(4) {
		def := from[r.IntN(len(from))]
		m := list.AppendEmpty()
		m.SetName(def.Metric)
		m.SetUnit([]string{def.Unit, "ms"}[r.IntN(2)])
		m.SetDescription([]string{"", "text"}[r.IntN(2)])
		var point func() pcommon.Map
		switch {
		case r.IntN(6) == 0:
			g := m.SetEmptyGauge()
			point = func() pcommon.Map { return g.DataPoints().AppendEmpty().Attributes() }
		case def.Instrument == "counter":
			s := m.SetEmptySum()
			point = func() pcommon.Map { return s.DataPoints().AppendEmpty().Attributes() }
		default:
			h := m.SetEmptyHistogram()
			h.SetAggregationTemporality(pmetric.AggregationTemporality(1 + r.IntN(2)))
			point = func() pcommon.Map {
				p := h.DataPoints().AppendEmpty()
				p.SetSum(r.Float64())
				return p.Attributes()
			}
		}
		for range r.IntN(6) {
			attrs := point()
			for _, key := range append(append(def.Required, def.Conditional...), def.Recommended...) {
				if r.IntN(5) == 0 {
					continue
				}
				if key == operationKey {
					attrs.PutStr(key, []string{"chat", "embeddings", "text_completion"}[r.IntN(3)])
					continue
				}
				pick(r, *keys.Attribute(key), attrs.PutEmpty(key))
			}
		}
	}
	return list
}

// Metrics come back too, up to the order of data points, and no data point is
// lost or made on the way.
func TestMetricsThereAndBack(t *testing.T) {
	everyPair(t, func(t *testing.T, r *rand.Rand, home, goal *semconv.Snapshot) {
		in, out := newTranslator(home), newTranslator(goal)
		for range 200 {
			list := randomMetrics(r, home.Metrics, home)
			in.stamped(list, "", nil)
			before := streams(list)
			out.stamped(list, "", nil)
			between := streams(list)
			if strings.Count(before, "\n") != strings.Count(between, "\n") {
				t.Fatal("a data point was lost or made")
			}
			out.stamped(list, "", nil)
			if diff := cmp.Diff(between, streams(list)); diff != "" {
				t.Fatalf("twice:\n%s", diff)
			}
			in.stamped(list, "", nil)
			if diff := cmp.Diff(before, streams(list)); diff != "" {
				t.Fatalf("by way of\n%s\n(-want +got)\n%s", between, diff)
			}
		}
	})
}

func TestMetricsMappedBeforeAreLeftAlone(t *testing.T) {
	list := pmetric.NewMetricSlice()
	m := list.AppendEmpty()
	m.SetName("gen_ai.client.inference.usage.input_tokens")
	m.SetEmptySum().DataPoints().AppendEmpty().Attributes().PutStr("gen_ai.system", "openai")
	m.Metadata().PutStr("app.mapping.snapshot", semconv.DefaultSnapshot)
	var y tally
	before := streams(list)
	translatorInto(t, semconv.DefaultSnapshot).stamped(list, "", &y)
	if streams(list) != before || counted(&y) != "" {
		t.Error(counted(&y), cmp.Diff(before, streams(list)))
	}
}

// A set on the wire may have a key twice.
func TestTranslatingSetsWithAKeyTwice(t *testing.T) {
	const text = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"attributes":[
		{"key":"gen_ai.system","value":{"stringValue":"xai"}},{"key":"gen_ai.system","value":{"stringValue":"openai"}},
		{"key":"gen_ai.provider.name","value":{"stringValue":"x_ai"}},{"key":"gen_ai.provider.name","value":{"stringValue":"openai"}},
		{"key":"gen_ai.request.top_k","value":{"doubleValue":4}},{"key":"gen_ai.request.top_k","value":{"doubleValue":4}},
		{"key":"gen_ai.retrieval.top_k","value":{"intValue":4}},{"key":"gen_ai.retrieval.top_k","value":{"intValue":5}},
		{"key":"gen_ai.usage.cache_write.input_tokens","value":{"intValue":4}},{"key":"gen_ai.usage.cache_creation.input_tokens","value":{"intValue":4}},
		{"key":"gen_ai.usage.cache_write.input_tokens","value":{"intValue":4}},{"key":"gen_ai.usage.cache_creation.input_tokens","value":{"intValue":5}},
		{"key":"gen_ai.operation.name","value":{"stringValue":"retrieval"}},{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}}
	]}]}]}]}`
	everyPair(t, func(t *testing.T, _ *rand.Rand, home, goal *semconv.Snapshot) {
		for _, x := range []*translator{newTranslator(goal), newTranslator(goal).after(newTranslator(home))} {
			td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			eachSpan(td, func(s ptrace.Span) {
				for range 3 {
					x.span(s, nil)
				}
			})
		}
	})
}

func TestRecognise(t *testing.T) {
	for _, c := range []struct {
		name, keys, want string
		mixed            bool
	}{
		{"", "gen_ai.system gen_ai.operation.name", "core-1.36.0", false},
		{"", "gen_ai.usage.prompt_tokens", "core-1.36.0", false},
		{"gen_ai.user.message", "", "core-1.36.0", false},
		{"", "gen_ai.provider.name server.address", "core-1.41.1", false},
		{"gen_ai.client.inference.operation.details", "gen_ai.operation.name", "core-1.41.1", false},
		{"", "gen_ai.provider.name gen_ai.usage.cache_creation.input_tokens", "core-1.41.1", false},
		{"", "gen_ai.memory.store.id", "genai-2026-08-03", false},
		{"gen_ai.invoke_workflow.duration", "", "genai-2026-08-15", false},
		{"", "gen_ai.usage.cache_write.input_tokens", "genai-2026-09-03", false},
		{"", "gen_ai.usage.image.output_tokens", "genai-2026-09-03", false},
		{"gen_ai.client.inference.duration", "gen_ai.provider.name", "genai-2026-10-09", false},
		{"", "gen_ai.skill.name", "genai-2026-10-09", false},
		{"", "gen_ai.system gen_ai.provider.name", "core-1.41.1", true},
		{"", "gen_ai.usage.cache_creation.input_tokens gen_ai.usage.cache_write.input_tokens", "genai-2026-09-03", true},
		{"", "server.address http.request.method", "", false},
		{"", "", "", false},
	} {
		attrs := pcommon.NewMap()
		for _, key := range strings.Fields(c.keys) {
			attrs.PutStr(key, "x")
		}
		got, mixed := recognise(c.name, attrs)
		if got != c.want || mixed != c.mixed {
			t.Errorf("%q with %s is %q, mixed %v", c.name, c.keys, got, mixed)
		}
	}
}
