package evidence

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func reportJSON(t testing.TB, run Run) string {
	t.Helper()
	var b bytes.Buffer
	j, err := json.Marshal(NewReport(run, ""))
	if err != nil {
		t.Fatal(err)
	}
	b.Write(j)
	return b.String()
}

// scramble sends a run in another order and parts of it twice; spans that grew
// arrive in pieces.
func scramble(run Run, rnd *rand.Rand) Run {
	out := Run{Tenant: run.Tenant, Spans: slices.Clone(run.Spans), Records: slices.Clone(run.Records)}
	for i := range run.Spans {
		switch rnd.IntN(4) {
		case 0:
			out.Spans = append(out.Spans, run.Spans[i])
		case 1:
			early := run.Spans[i]
			early.End, early.Events, early.Links, early.Status = early.Start, nil, nil, StatusUnset
			early.Attrs = Attrs{}
			out.Spans = append(out.Spans, early)
		}
	}
	for i := range run.Records {
		if rnd.IntN(3) == 0 {
			out.Records = append(out.Records, run.Records[i])
		}
	}
	rnd.Shuffle(len(out.Spans), func(i, j int) { out.Spans[i], out.Spans[j] = out.Spans[j], out.Spans[i] })
	rnd.Shuffle(len(out.Records), func(i, j int) { out.Records[i], out.Records[j] = out.Records[j], out.Records[i] })
	return out
}

// The report depends on what is known, not on the order or the number of times
// in which it arrived.
func TestArrivalOrderDoesNotMatter(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	var runs []Run
	for _, in := range incidents(t) {
		runs = append(runs, in.run)
	}
	for range 400 {
		runs = append(runs, randomRun(rnd, 2+rnd.IntN(25)))
	}
	for i, run := range runs {
		want := reportJSON(t, run)
		for range 4 {
			if got := reportJSON(t, scramble(run, rnd)); got != want {
				t.Fatalf("run %d: the report depends on arrival:\n%s", i, cmp.Diff(strings.Split(want, "},"), strings.Split(got, "},")))
			}
		}
	}
}

// Asking does not change what was asked about.
func TestReportLeavesTheRunAlone(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for range 100 {
		run := randomRun(rnd, 20)
		before := fmt.Sprintf("%#v", run)
		reportJSON(t, run)
		Classify(run)
		Summarize(run)
		if after := fmt.Sprintf("%#v", run); after != before {
			t.Fatalf("the run changed:\n%s\n%s", before, after)
		}
	}
}

// Statements that close a question can only be missed: without them the answer
// stays or becomes unknown, it never accuses another step.
func TestRemovedEvidenceDoesNotAccuse(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	var runs []Run
	for _, in := range incidents(t) {
		runs = append(runs, in.run)
	}
	for range 600 {
		runs = append(runs, randomRun(rnd, 2+rnd.IntN(20)))
	}
	changed := 0
	for i, run := range runs {
		before := Attribute(run)
		for _, less := range withoutOne(run) {
			after := Attribute(less.run)
			if after.Result == before.Result && after.SpanID == before.SpanID {
				continue
			}
			changed++
			if after.Result == ResultStep {
				t.Fatalf("run %d without %s: %s %s becomes an accusation of %s (%s)", i, less.what, before.Result, before.SpanID, after.SpanID, after.Class)
			}
		}
	}
	if changed == 0 {
		t.Fatal("nothing that was removed mattered: the property is not tested")
	}
}

type reduced struct {
	what string
	run  Run
}

// withoutOne removes, one at a time, statements that only close questions:
// that a denied call was blocked, how a cancel ended, the end of a remote task,
// and that a verifier could not say.
func withoutOne(run Run) []reduced {
	closing := []string{"app.permission.enforced", "app.external_task.state"}
	var out []reduced
	drop := func(a Attrs, key string) Attrs {
		b := Attrs{}
		for k, v := range a {
			if k != key {
				b[k] = v
			}
		}
		return b
	}
	if text := spell(run); strings.Contains(text, `"executed"`) || strings.Contains(text, `"dispatched"`) || strings.Contains(text, `"acked"`) {
		closing = closing[1:] // what contradicts a blocking would be left and speak alone
	}
	for i := range run.Spans {
		for _, key := range closing {
			// A denied call that ended well did run unless blocking is stated.
			if v := run.Spans[i].Attrs.Str(key); v != "" && v != "executed" && run.Spans[i].Status == StatusError {
				r := Run{run.Tenant, slices.Clone(run.Spans), run.Records}
				r.Spans[i].Attrs = drop(r.Spans[i].Attrs, key)
				out = append(out, reduced{key, r})
			}
		}
	}
	for i := range run.Records {
		a := run.Records[i].Attrs
		for key, values := range map[string][]string{"app.control.phase": {"effective", "acked"}, "app.verifier.verdict": {"unknown"}, "app.external_task.state": nil} {
			if v := a.Str(key); v != "" && (values == nil || slices.Contains(values, v)) {
				r := Run{run.Tenant, run.Spans, slices.Clone(run.Records)}
				r.Records[i].Attrs = drop(a, key)
				out = append(out, reduced{"record " + key, r})
			}
		}
	}
	return out
}

// What another tenant says changes nothing.
func TestOtherTenantsDoNotCount(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	for _, in := range incidents(t) {
		want := reportJSON(t, in.run)
		noise := randomRun(rnd, 20)
		run := in.run
		run.Spans, run.Records = slices.Clone(run.Spans), slices.Clone(run.Records)
		for _, s := range noise.Spans {
			s.Tenant = "someone else"
			run.Spans = append(run.Spans, s)
		}
		for _, r := range noise.Records {
			r.Tenant = "someone else"
			run.Records = append(run.Records, r)
		}
		if got := reportJSON(t, run); got != want {
			t.Fatalf("%s: another tenant changed the report", in.name)
		}
	}
}
