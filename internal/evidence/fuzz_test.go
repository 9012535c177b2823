package evidence

import (
	"encoding/json"
	"io"
	"math/rand/v2"
	"testing"
)

// FuzzCase feeds the reader of cases and, with what it reads, everything that
// is said about a run.
func FuzzCase(f *testing.F) {
	for _, in := range incidents(f) {
		f.Add(section(in.arc, "run"))
	}
	f.Fuzz(func(t *testing.T, input string) {
		p, err := parseCase(input)
		if err != nil {
			return
		}
		checkRun(t, p.run)
	})
}

// FuzzReport asks about random runs: whatever attributes say, there is a report.
func FuzzReport(f *testing.F) {
	f.Add(uint64(1), uint64(2), 10)
	f.Add(uint64(3), uint64(4), 60)
	f.Fuzz(func(t *testing.T, a, b uint64, n int) {
		checkRun(t, randomRun(rand.New(rand.NewPCG(a, b)), 1+int(uint(n)%80)))
	})
}

// checkRun holds for every run there can be.
func checkRun(t *testing.T, run Run) {
	t.Helper()
	r := NewReport(run, "")
	if _, err := json.Marshal(r); err != nil {
		t.Fatal(err)
	}
	if err := WriteText(io.Discard, run, r, TextOptions{Color: true, Width: 70}); err != nil {
		t.Fatal(err)
	}
	a := r.Attribution
	switch a.Result {
	case ResultStep:
		if a.SpanID == "" || a.Layer == "" || a.Class == "" || len(a.Evidence) == 0 {
			t.Fatalf("an accusation without step, layer, class or evidence: %+v", a)
		}
		if a.Strength != StrengthProved && a.Strength != StrengthLikely {
			t.Fatalf("strength %q", a.Strength)
		}
	case ResultUnknown:
		if len(a.Missing) == 0 || a.Strength != StrengthUnknown || a.SpanID != "" {
			t.Fatalf("an unknown without what is missing, or with a step: %+v", a)
		}
	case ResultClean:
		if a.SpanID != "" {
			t.Fatalf("a clean run with a step: %+v", a)
		}
	default:
		t.Fatalf("result %q", a.Result)
	}
	if s := Summarize(run); s.Result != a.Result || s.Class != r.Keep.Class {
		t.Fatalf("summary and report differ: %+v", s)
	}
	if len(r.Questions) != 10 {
		t.Fatalf("%d questions", len(r.Questions))
	}
}
