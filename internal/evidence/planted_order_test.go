package evidence_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/planted"
)

// The report of a planted incident does not depend on the order of its spans
// and records, or on how often they came.
func TestPlantedOrderDoesNotMatter(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 5))
	said := func(run evidence.Run) string {
		data, err := json.Marshal(evidence.NewReport(run, ""))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	for seed := range seeds(t) / 10 {
		in := planted.New(seed)
		want := said(in.Run)
		run := evidence.Run{Spans: slices.Clone(in.Run.Spans), Records: slices.Clone(in.Run.Records)}
		for range 5 {
			run.Spans = append(run.Spans, run.Spans[rnd.IntN(len(run.Spans))])
			if n := len(run.Records); n > 0 {
				run.Records = append(run.Records, run.Records[rnd.IntN(n)])
			}
		}
		rnd.Shuffle(len(run.Spans), func(i, j int) { run.Spans[i], run.Spans[j] = run.Spans[j], run.Spans[i] })
		rnd.Shuffle(len(run.Records), func(i, j int) { run.Records[i], run.Records[j] = run.Records[j], run.Records[i] })
		if diff := cmp.Diff(want, said(run)); diff != "" {
			t.Fatalf("seed %d, %s: another order gives another report: %s", seed, in.Name, diff)
		}
	}
}

// Seeds make the same incident each time, and every kind is really planted.
func TestPlantedIncidentsRepeat(t *testing.T) {
	results := map[string]int{}
	for seed := range uint64(planted.Kinds()) {
		a, b := planted.New(seed), planted.New(seed)
		if diff := cmp.Diff(a, b); diff != "" {
			t.Fatalf("seed %d: %s", seed, diff)
		}
		results[a.Truth.Result]++
		if (a.Truth.Result == evidence.ResultStep) != !a.Truth.Step.IsZero() {
			t.Errorf("%s: a truth of %s with step %s", a.Name, a.Truth.Result, a.Truth.Step)
		}
	}
	t.Logf("%d kinds: %v", planted.Kinds(), results)
	for _, r := range []string{evidence.ResultStep, evidence.ResultClean, evidence.ResultUnknown} {
		if results[r] < 8 {
			t.Errorf("only %d kinds of %s", results[r], r)
		}
	}
}
