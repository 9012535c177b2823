package tail_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/internal/tail"
)

// TestExplainDecidesAlike: what is explained is what a collector decides that is
// given the same spans and records.
func TestExplainDecidesAlike(t *testing.T) {
	const policy = "ratio 0.4\nunprotected error\nrule some 0.5 app.task.id=k1\nfold 2\nrun_bytes 900"
	for seed := range uint64(rounds) {
		r := rand.New(rand.NewPCG(seed, 9))
		all := history(r, 5+r.IntN(40))
		h := newHost(t, settings(t, policy), func() string { return "" })
		h.offerAll(all)
		h.until(h.now.Add(30 * 60 * 1e9))
		want := map[string]bool{}
		for name := range h.sent {
			want[name] = true
		}

		again := newHost(t, settings(t, policy), func() string { return "" })
		td, ld := ptrace.NewTraces(), plog.NewLogs()
		for _, d := range all {
			if d.record {
				recordOf(again.script, d.name, "app.tool.decided", append([]string{"tenant=" + d.tenant}, d.parts...)).ResourceLogs().MoveAndAppendTo(ld.ResourceLogs())
			} else {
				again.batch([]draw{d}).ResourceSpans().MoveAndAppendTo(td.ResourceSpans())
			}
		}
		runs, err := tail.Explain(settings(t, policy).Policy, td, ld)
		if err != nil {
			t.Fatal(err)
		}
		kept := map[string]bool{}
		for _, x := range runs {
			for _, trace := range x.Traces {
				kept[x.Tenant+" "+trace] = x.Decision.Keep
			}
		}
		for _, d := range all {
			if d.record {
				continue
			}
			if got := kept[d.tenant+" "+traceID(d.trace()).String()]; got != want[d.tenant+" "+d.name] {
				t.Fatalf("seed %d: %s is explained as kept: %v, and was: %v\n%s", seed, d.name, got, want[d.tenant+" "+d.name], fmt.Sprint(runs))
			}
		}
	}
}
