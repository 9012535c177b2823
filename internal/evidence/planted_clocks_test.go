package evidence_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/planted"
)

// clocks are ways in which the times of a run are not what they should be.
var clocks = map[string]func(rnd *rand.Rand, run *evidence.Run){
	"each trace by a clock of its own": func(rnd *rand.Rand, run *evidence.Run) {
		const second = int64(1e9)
		shifts := []int64{0, 300 * second, -300 * second, 7200 * second, -7200 * second, 86400 * second, -86400 * second}
		off := map[evidence.TraceID]int64{run.Spans[0].ID.Trace: 0}
		for i := range run.Spans {
			s := &run.Spans[i]
			if _, known := off[s.ID.Trace]; !known {
				off[s.ID.Trace] = shifts[rnd.IntN(len(shifts))]
			}
			s.Start, s.End = s.Start+off[s.ID.Trace], s.End+off[s.ID.Trace]
			s.Events = slices.Clone(s.Events)
			for j := range s.Events {
				s.Events[j].Time += off[s.ID.Trace]
			}
		}
		for i := range run.Records {
			run.Records[i].Time += off[run.Records[i].Step.Trace]
		}
	},
	"whole seconds": func(_ *rand.Rand, run *evidence.Run) {
		each(run, func(t int64) int64 { return t / 1e9 * 1e9 })
	},
	"steps that end when they start": func(_ *rand.Rand, run *evidence.Run) {
		for i := range run.Spans {
			run.Spans[i].End = run.Spans[i].Start
		}
	},
	"records an hour late": func(_ *rand.Rand, run *evidence.Run) {
		for i := range run.Records {
			run.Records[i].Time += 3600e9
		}
	},
}

func each(run *evidence.Run, change func(int64) int64) {
	for i := range run.Spans {
		s := &run.Spans[i]
		s.Start, s.End = change(s.Start), change(s.End)
		s.Events = slices.Clone(s.Events)
		for j := range s.Events {
			s.Events[j].Time = change(s.Events[j].Time)
		}
	}
	for i := range run.Records {
		run.Records[i].Time = change(run.Records[i].Time)
	}
}

// Wrong clocks may hide a fault or leave it open which was first; they accuse no
// step at which nothing was planted.
func TestClocksAccuseNobody(t *testing.T) {
	if testing.Short() {
		t.Skip("one step after another: nothing that could race")
	}
	rnd := rand.New(rand.NewPCG(11, 12))
	bad, asked := map[string]int{}, 0
	for seed := range seeds(t) / 4 {
		in := planted.New(seed)
		for name, change := range clocks {
			run := evidence.Run{Tenant: in.Run.Tenant, Spans: slices.Clone(in.Run.Spans), Records: slices.Clone(in.Run.Records)}
			change(rnd, &run)
			a := evidence.Attribute(run)
			asked++
			if a.Result != evidence.ResultStep || in.Truth.Result == evidence.ResultStep && isFault(&in, a) {
				continue
			}
			bad[name+", "+in.Name]++
		}
	}
	for what, n := range bad {
		t.Errorf("%d times: %s", n, what)
	}
	t.Logf("%d runs with wrong clocks", asked)
}

func isFault(in *planted.Incident, a evidence.Attribution) bool {
	for step := range in.Faults {
		if a.TraceID == step.Trace.String() && a.SpanID == step.Span.String() {
			return true
		}
	}
	return false
}
