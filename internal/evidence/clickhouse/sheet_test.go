package clickhouse

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/codec"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/ledger"
)

// texts are what attributes can be called and can say: words of ours and others.
var texts = []string{"app.task.id", "app.task.parent.id", "app.outcome", "completed", "failed", "app.permission.decision", "allow", "gen_ai.tool.name", "app.protocol.name",
	"mcp", "made.up", "", "a\xffb", "gen_ai.usage.input_tokens", "app.control.phase", "requested", "write", "app.tool.effect_class", "app.effect.stage"}

func fillValue(v pcommon.Value, dice *rand.Rand, depth int) {
	switch n := dice.IntN(12); {
	case n < 4:
		v.SetStr(texts[dice.IntN(len(texts))])
	case n == 4:
		v.SetInt(dice.Int64() - dice.Int64())
	case n == 5:
		v.SetDouble([]float64{1.5, math.NaN(), math.Copysign(0, -1), dice.Float64()}[dice.IntN(4)])
	case n == 6:
		v.SetBool(dice.IntN(2) == 0)
	case n == 7:
		v.SetEmptyBytes().FromRaw([]byte{0, 255})
	case n == 8 && depth < 3:
		fillMap(v.SetEmptyMap(), dice, dice.IntN(4), depth+1)
	case n == 9 && depth < 3:
		for range dice.IntN(3) {
			fillValue(v.SetEmptySlice().AppendEmpty(), dice, depth+1)
		}
	case n == 10:
		list := v.SetEmptySlice()
		for range dice.IntN(4) {
			list.AppendEmpty().SetStr(texts[dice.IntN(len(texts))])
		}
	}
}

func fillMap(m pcommon.Map, dice *rand.Rand, n, depth int) {
	for range n {
		key := texts[dice.IntN(len(texts))]
		if n > len(texts) {
			key = fmt.Sprint(key, dice.IntN(n))
		}
		fillValue(m.PutEmpty(key), dice, depth)
	}
}

// randomTraces has what spans can have, also one with more keys than are
// remembered, and ids that are missing.
func randomTraces(dice *rand.Rand) ptrace.Traces {
	td := ptrace.NewTraces()
	for range 1 + dice.IntN(2) {
		rs := td.ResourceSpans().AppendEmpty()
		fillMap(rs.Resource().Attributes(), dice, dice.IntN(4), 0)
		ss := rs.ScopeSpans().AppendEmpty()
		ss.Scope().SetName("scope")
		for range 1 + dice.IntN(9) {
			s := ss.Spans().AppendEmpty()
			s.SetTraceID(pcommon.TraceID{byte(dice.IntN(4)), 1})
			s.SetSpanID(pcommon.SpanID{byte(dice.IntN(20))})
			s.SetName(texts[dice.IntN(len(texts))])
			s.SetStartTimestamp(pcommon.Timestamp(dice.Int64N(1000)))
			s.SetEndTimestamp(pcommon.Timestamp(dice.Uint64()))
			n := dice.IntN(12)
			if dice.IntN(20) == 0 {
				n = 2 * maxRowKeys
			}
			fillMap(s.Attributes(), dice, n, 0)
			for range dice.IntN(2) {
				e := s.Events().AppendEmpty()
				e.SetName([]string{"app.tool.decided", "gen_ai.evaluation.result", "x"}[dice.IntN(3)])
				fillMap(e.Attributes(), dice, dice.IntN(4), 0)
			}
			for range dice.IntN(2) {
				l := s.Links().AppendEmpty()
				l.SetTraceID(pcommon.TraceID{byte(dice.IntN(4)), 1})
				l.Attributes().PutStr("app.link.relation", []string{"follows", "evaluates", "retries"}[dice.IntN(3)])
			}
		}
	}
	return td
}

// What is taken in from OTLP at once is what comes by way of evidence's own spans,
// on sheets that had other batches before.
func TestSheetTakesBothAlike(t *testing.T) {
	dice := rand.New(rand.NewPCG(7, 7))
	direct, around := sheet{maxRow: 1 << 16}, sheet{maxRow: 1 << 16}
	var digester ledger.Digester
	refused, told := 0, 0
	for range 300 {
		td := randomTraces(dice)
		spans := evidence.FromTraces(td)
		direct.reset()
		direct.takeTraces(td)
		around.reset()
		around.take(evidence.Batch{Spans: spans})
		require.Equal(t, len(spans), direct.len()+len(direct.refused))
		require.Equal(t, around.refused, direct.refused)
		refused += len(direct.refused)
		require.Len(t, direct.spans, len(around.spans))
		at := 0
		for i := range direct.spans {
			a, b := &direct.spans[i], &around.spans[i]
			require.Equal(t, b.statement, a.statement)
			require.Equal(t, b.facts, a.facts)
			require.Equal(t, [...]any{b.tasks, b.task, b.stated, b.source.id}, [...]any{a.tasks, a.task, a.stated, a.source.id})
			for spans[at].ID != a.span.ID || spans[at].ID == (evidence.StepID{}) || spans[at].ID.Span == (evidence.SpanID{}) {
				at++
			}
			want, err := digester.Span(&spans[at])
			require.NoError(t, err)
			whole := a.whole()
			got, err := digester.Span(&whole)
			require.NoError(t, err)
			require.Equal(t, want, got, "nothing of the span is lost")
			at++
			all := evidence.FactsOf(&whole)
			if a.facts == nil {
				a.facts = &evidence.Facts{}
			}
			told += len(a.facts.Claims) + len(a.facts.Controls) + len(a.facts.Decisions) + len(a.facts.Verdicts)
			events := evidence.FactsOfEvents(&whole)
			require.Equal(t, [...]any{events.Decisions, events.Effects}, [...]any{a.facts.Decisions, a.facts.Effects}, "those of attributes are in columns")
			require.Equal(t, [...]any{all.Controls, all.Verdicts, all.Claims, all.Protocols, all.Extensions},
				[...]any{a.facts.Controls, a.facts.Verdicts, a.facts.Claims, a.facts.Protocols, a.facts.Extensions})
		}
	}
	require.Positive(t, refused)
	require.Greater(t, told, 100)
}

// A key that comes twice counts once, as it does in a map, also where a row has
// more keys than are remembered.
func TestFirstOfTwoKeysCounts(t *testing.T) {
	for _, n := range []int{3, maxRowKeys + 5} {
		sh := sheet{maxRow: 1 << 20}
		sh.flat.start(n+2, sh.maxRow)
		for _, text := range []string{"first", "second"} {
			sh.flat.add("app.task.id").text = text
		}
		for i := range n {
			at := sh.flat.add(fmt.Sprint("k", i))
			at.kind, at.number = attrInt, uint64(i)
		}
		row := sh.flat.end()
		require.Len(t, row.attrs, n+1)
		require.Equal(t, "first", row.whole()["app.task.id"])
	}
}

// A batch that nobody holds any more leaves nothing of itself on the sheet.
func TestSheetForgets(t *testing.T) {
	var all sheets
	sh := all.get(1 << 20)
	sh.take(agentSpans(0, 40))
	require.Len(t, sh.spans, 40)
	attrs := sh.spans[39].attrs
	all.put(sh)
	require.Same(t, sh, all.get(1<<20))
	require.Zero(t, sh.len())
	require.Equal(t, make([]attr, len(attrs)), attrs)
	sh.take(agentSpans(0, maxSheetRows+1))
	all.put(sh)
	require.NotSame(t, sh, all.get(1<<20), "a batch far longer than usual")
}

// Values without a box are digested as those in one.
func TestFlatValuesAreDigestedAsBefore(t *testing.T) {
	m := evidence.Attrs{"text": "a", "int": int64(-5), "double": math.NaN(), "yes": true, "no": false, "list": []any{"a", "b"}, "empty": []any{}, "mixed": []any{"a", int64(1)},
		"bytes": []byte{1}, "map": map[string]any{"k": nil}, "nothing": nil}
	var f flattener
	row := f.ofAttrs(m, 1<<20)
	var e codec.Encoder
	got, err := row.appendTo(nil, &e)
	require.NoError(t, err)
	var want []byte
	for _, key := range codec.Keys(nil, m) {
		want = codec.AppendText(want, key)
		want, err = e.Value(want, "", m[key])
		require.NoError(t, err)
	}
	require.Equal(t, want, got)
}
