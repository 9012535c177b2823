package tail_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/sampling"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// TestCountsOfRandomHistories plays histories, in which spans come late, runs meet
// after one of them was decided, memory runs out, the next component refuses and the
// process is killed, and adds up the adjusted counts of what went out: together they
// are the number of spans that were accepted, to within 1 %. The spans of a run
// share its fate, so it takes many histories.
func TestCountsOfRandomHistories(t *testing.T) {
	if testing.Short() {
		t.Skip("plays thousands of histories")
	}
	for name, policy := range map[string]string{
		"memory":       "ratio 0.5\nmemory_bytes 9000\nmax_wait 40s\nfold 2",
		"rules":        "ratio 0.6\nmax_wait 40s\nrule some 0.7 app.task.id=k1",
		"late alarms":  "ratio 0.4\nstorage 20000000",
		"and upstream": "ratio 0.4",
	} {
		t.Run(name, func(t *testing.T) {
			accepted, counted := 0, 0.0
			for seed := range uint64(historiesOf(name)) {
				a, c := playCounted(t, policy, name, seed)
				accepted, counted = accepted+a, counted+c
			}
			off := counted/float64(accepted) - 1
			t.Logf("%d spans were accepted, the adjusted counts add up to %.0f: %+.2f %%", accepted, counted, 100*off)
			if math.Abs(off) > 0.01 {
				t.Errorf("%d spans were accepted, the adjusted counts add up to %.0f", accepted, counted)
			}
		})
	}
}

func historiesOf(name string) int {
	if name == "late alarms" {
		return 250 // each has a log on the disk
	}
	return 1500
}

func playCounted(t *testing.T, policy, name string, seed uint64) (accepted int, counted float64) {
	r := rand.New(rand.NewPCG(seed, 21))
	down := false
	h := newHost(t, settings(t, policy), func() string {
		if down || r.IntN(5) == 0 {
			return "down"
		}
		return ""
	})
	defer h.state.Arena.Close()
	if h.state.DiskBytes > 0 {
		h.open(t, logSettings(t, time.Hour))
		defer h.disk.log.Close()
	}
	sums := map[string]float64{}
	h.sees = func(tenant string, span ptrace.Span) {
		w3c, err := sampling.NewW3CTraceState(span.TraceState().AsRaw())
		if err != nil {
			t.Fatal(err)
		}
		n := w3c.OTelValue().AdjustedCount()
		if v, ok := span.Attributes().Get("app.fold.count"); ok {
			n *= float64(v.Int())
		}
		sums[tenant+" "+span.SpanID().String()] = n // a span that is sent again is one
	}
	all := history(r, 20+r.IntN(40))
	for i := range all {
		all[i].tenant += fmt.Sprint(seed) // another one draws anew
		if name == "and upstream" && !all[i].record {
			all[i].parts = append(all[i].parts, fmt.Sprintf("state=ot=rv:%014x;th:0", r.Uint64()>>8))
		}
	}
	for len(all) > 0 {
		n := 1 + r.IntN(min(5, len(all)))
		down = r.IntN(3) == 0
		for _, d := range h.offerAll(all[:n]) {
			if !d.record {
				accepted++
			}
		}
		all = all[n:]
		h.until(h.now.Add(time.Duration(r.IntN(20)) * time.Second))
		if h.disk != nil {
			h.flush()
			if r.IntN(10) == 0 {
				h.kill()
			}
		}
	}
	down = false
	for !h.state.Idle() {
		h.until(h.now.Add(time.Second))
	}
	for _, n := range sums {
		counted += n
	}
	return accepted, counted
}
