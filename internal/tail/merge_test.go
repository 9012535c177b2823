package tail

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// TestMergedSpansEqualMergedRows: merging spans and then reading them gives what
// reading them and then merging the rows gives.
func TestMergedSpansEqualMergedRows(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 3))
		td := ptrace.NewTraces()
		n := 2 + r.IntN(3)
		for range n {
			drawVersion(r, td)
		}
		rows := evidence.FromTraces(td)
		want := rows[0]
		for _, row := range rows[1:] {
			want = evidence.MergeSpan(want, row)
		}
		mergeSpans(td)
		got := evidence.FromTraces(td)
		if len(got) != 1 {
			t.Fatalf("seed %d: %d spans of one id are left", seed, len(got))
		}
		// merged with itself a row is only brought into order
		if diff := cmp.Diff(evidence.MergeSpan(want, want), evidence.MergeSpan(got[0], got[0])); diff != "" {
			t.Fatalf("seed %d: -rows +spans\n%s", seed, diff)
		}
	}
}

func drawVersion(r *rand.Rand, td ptrace.Traces) {
	s := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	s.SetTraceID(pcommon.TraceID{1})
	s.SetSpanID(pcommon.SpanID{1})
	s.SetName([]string{"", "chat", "execute_tool"}[r.IntN(3)])
	s.SetKind(ptrace.SpanKind(r.IntN(3)))
	s.SetStartTimestamp(pcommon.Timestamp(10 + r.IntN(5)))
	s.SetEndTimestamp(pcommon.Timestamp(20 + r.IntN(3)))
	s.Status().SetCode(ptrace.StatusCode(r.IntN(3)))
	s.Status().SetMessage([]string{"", "a", "b"}[r.IntN(3)])
	if r.IntN(2) == 0 {
		s.Attributes().PutStr("app.permission.decision", []string{"deny", "allow", "ask"}[r.IntN(3)])
		s.Attributes().PutStr("gen_ai.tool.call.id", "c1")
	}
	guessed := pcommon.NewSlice()
	for i := range 4 {
		if r.IntN(2) == 0 {
			continue
		}
		key := fmt.Sprintf("k%d", i)
		s.Attributes().PutInt(key, int64(r.IntN(3)))
		if r.IntN(2) == 0 {
			guessed.AppendEmpty().SetStr(key)
		}
	}
	if guessed.Len() > 0 {
		guessed.CopyTo(s.Attributes().PutEmptySlice("app.mapping.inferred"))
	}
	for to := range byte(3) {
		if r.IntN(2) == 0 {
			continue
		}
		l := s.Links().AppendEmpty()
		l.SetTraceID(pcommon.TraceID{2 + to})
		l.SetSpanID(pcommon.SpanID{2})
	}
	for at := range pcommon.Timestamp(3) {
		if r.IntN(2) == 0 {
			continue
		}
		e := s.Events().AppendEmpty()
		e.SetTimestamp(10 + at)
		e.SetName("e")
	}
}
