package evidence_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/planted"
)

// seeds is how many incidents of each kind are made.
func seeds(t *testing.T) uint64 {
	n := 120
	if testing.Short() {
		n = 10
	}
	return uint64(n * planted.Kinds())
}

// wrong says how an answer differs from the truth, or "".
func wrong(in *planted.Incident, a evidence.Attribution) string {
	w := &in.Truth
	switch {
	case a.Result != w.Result:
		return fmt.Sprintf("%s instead of %s", a.Result, w.Result)
	case w.Result != evidence.ResultStep:
		return ""
	case a.TraceID != w.Step.Trace.String() || a.SpanID != w.Step.Span.String():
		return "another step"
	case a.Agent != w.Agent:
		return "agent " + a.Agent + " instead of " + w.Agent
	case a.Layer != w.Layer:
		return "layer " + a.Layer + " instead of " + w.Layer
	case a.Class != w.Class:
		return "class " + a.Class + " instead of " + w.Class
	case (a.Strength == evidence.StrengthProved) != w.Proved:
		return "strength " + a.Strength
	}
	return ""
}

// describe draws a run for a failure message.
func describe(run evidence.Run) string {
	var b strings.Builder
	r := evidence.NewReport(run, "")
	_ = evidence.WriteText(&b, run, r, evidence.TextOptions{Width: 200})
	return b.String()
}

// Every planted fault is found: its step, agent, layer and class; and a run
// without one, or with one that cannot be known, accuses nobody.
func TestPlantedFaultsAreFound(t *testing.T) {
	bad, shown := map[string]int{}, map[string]bool{}
	traces, agents := map[int]bool{}, map[int]bool{}
	for seed := range seeds(t) {
		in := planted.New(seed)
		traces[in.Traces], agents[in.Agents] = true, true
		why := wrong(&in, evidence.Attribute(in.Run))
		if why == "" {
			continue
		}
		key := in.Name + ": " + why
		bad[key]++
		if !shown[key] && len(shown) < 3 {
			shown[key] = true
			t.Logf("seed %d, %s: truth %+v\n%s", seed, key, in.Truth, describe(in.Run))
		}
	}
	for key, n := range bad {
		t.Errorf("%4d times %s", n, key)
	}
	for n := 3; n <= 8; n++ {
		if !traces[n] {
			t.Errorf("no run has %d traces", n)
		}
	}
	for n := 1; n <= 4; n++ {
		if !agents[n] {
			t.Errorf("no run has %d agents", n)
		}
	}
}
