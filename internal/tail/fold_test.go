package tail_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// TestWhatIsDoneToARunLeavesItsMeaning: folding and shedding change no class, no
// proof and no answer to a question about a run, invent no span, and count right.
func TestWhatIsDoneToARunLeavesItsMeaning(t *testing.T) {
	parts := []string{"error", "app.permission.decision=deny", "app.effect.stage=dispatched", "app.tool.effect_class=destructive",
		"gen_ai.operation.name=execute_tool", "event=app.control.changed", "app.outcome=completed", "->T1/3:verifies", "size=300", "size=2000", "app.mapping.dialect=d"}
	folded, truncated := 0, 0
	for seed := range uint64(rounds) {
		r := rand.New(rand.NewPCG(seed, 11))
		h := newHost(t, settings(t, ""), nil)
		var spans []draw
		for i := range 60 {
			d := draw{tenant: "x", name: fmt.Sprintf("T%d/%d", r.IntN(2), i), parts: []string{"task=k", "name=" + []string{"token", "chunk"}[r.IntN(2)], fmt.Sprintf("<%d", r.IntN(6))}}
			for r.IntN(4) == 0 {
				d.parts = append(d.parts, parts[r.IntN(len(parts))])
			}
			spans = append(spans, d)
		}
		td := h.batch(spans)
		before := evidence.FromTraces(td)
		out, done := keep(t, settings(t, "ratio 1\nfold 2\nrun_bytes 8000"), td)
		after := evidence.FromTraces(out)
		folded, truncated = folded+done.Folded, truncated+done.Truncated
		meaning := func(spans []evidence.Span) any {
			report := evidence.NewReport(evidence.Run{Tenant: "x", Spans: spans}, "k")
			return []any{withoutCounts(evidence.Classify(evidence.Run{Tenant: "x", Spans: spans})), report.Attribution, report.Effects, report.Decisions, report.Controls, report.Claims}
		}
		if diff := cmp.Diff(meaning(before), meaning(after)); diff != "" {
			t.Fatalf("seed %d: -before +after\n%s", seed, diff)
		}
		was := map[evidence.StepID]bool{}
		for i := range before {
			was[before[i].ID] = true
		}
		stands, cut := 0, 0
		for i := range after {
			s := &after[i]
			if !was[s.ID] {
				t.Fatalf("seed %d: span %s was invented", seed, s.ID)
			}
			delete(was, s.ID)
			if n, ok := s.Attrs.Int("app.fold.count"); ok {
				stands += int(n) - 1
			}
			if yes, _ := s.Attrs.Bool("app.sampling.truncated"); yes {
				cut++
			}
		}
		if len(was) != done.Folded || stands != done.Folded || cut > done.Truncated {
			t.Fatalf("seed %d: %d spans are gone, %d are stood for, %d truncated; told were %+v", seed, len(was), stands, cut, done)
		}
	}
	if folded < rounds || truncated < rounds {
		t.Errorf("%d folded and %d truncated prove little", folded, truncated)
	}
}

func withoutCounts(hits []evidence.ClassHit) []evidence.ClassHit {
	for i := range hits {
		hits[i].Count = 0
	}
	return hits
}

// TestFoldedAgain: a collector behind this one folds no further what is folded, and
// with a lower limit adds up what the folded span stands for.
func TestFoldedAgain(t *testing.T) {
	td := manyOf(newHost(t, settings(t, ""), nil).script, "10", "A/token", []string{"<1"})
	once, _ := keep(t, settings(t, "ratio 1\nfold 4"), td)
	twice, _ := keep(t, settings(t, "ratio 1\nfold 4"), once)
	if n := twice.SpanCount(); n != 5 {
		t.Errorf("%d spans are left, want 5", n)
	}
	third, _ := keep(t, settings(t, "ratio 1\nfold 2"), twice)
	var got []string
	for _, span := range spansOf(third) {
		got = append(got, finished(span))
	}
	want := []string{"", "", "[for 8 of 0.052s 0.003s-0.010s over 0.007s]"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
