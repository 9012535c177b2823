package tail_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/tail"
)

// flush is what a connector sends: a counter and a histogram of calls with
// exemplars of traces, of the seconds they took.
func flush(tenant string, traces map[string]float64) pmetric.Metrics {
	md := pmetric.NewMetrics()
	rm := md.ResourceMetrics().AppendEmpty()
	rm.Resource().Attributes().PutStr("tenant.id", tenant)
	ms := rm.ScopeMetrics().AppendEmpty().Metrics()
	calls := ms.AppendEmpty()
	calls.SetName("calls")
	count := calls.SetEmptySum().DataPoints().AppendEmpty()
	took := ms.AppendEmpty()
	took.SetName("duration")
	dist := took.SetEmptyHistogram().DataPoints().AppendEmpty()
	dist.ExplicitBounds().FromRaw([]float64{1, 10})
	for trace, seconds := range traces {
		for _, to := range []pmetric.ExemplarSlice{count.Exemplars(), dist.Exemplars()} {
			e := to.AppendEmpty()
			if trace != "" {
				e.SetTraceID(traceID(trace))
			}
			e.SetTimestamp(pcommon.Timestamp(seconds * 1e9))
			e.SetDoubleValue(seconds)
		}
	}
	return md
}

// seen lists the exemplars of both metrics, by their seconds.
func seen(md pmetric.Metrics) string {
	ms := md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics()
	var out []string
	for i, list := range []pmetric.ExemplarSlice{ms.At(0).Sum().DataPoints().At(0).Exemplars(), ms.At(1).Histogram().DataPoints().At(0).Exemplars()} {
		var values []string
		for _, e := range list.All() {
			values = append(values, fmt.Sprint(e.DoubleValue()))
		}
		out = append(out, [...]string{"calls ", "duration "}[i]+strings.Join(values, ","))
	}
	return strings.Join(out, "; ")
}

func TestExemplarsWaitForTheirRun(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	fates := map[string]tail.Fate{}
	fate := func(tenant string, trace evidence.TraceID) tail.Fate {
		for name, f := range fates {
			if t, id, _ := strings.Cut(name, " "); t == tenant && evidence.TraceID(traceID(id)) == trace {
				return f
			}
		}
		return tail.FateOpen
	}
	x := tail.NewExemplars(tail.ExemplarSettings{MaxSeries: 4, Patience: time.Minute})
	send := func(what string, md pmetric.Metrics, want string, wantRemoved int) {
		t.Helper()
		removed := x.Apply(md, fate, now)
		if got := seen(md); got != want || removed != wantRemoved {
			t.Errorf("%s: %s, %d removed; want %s, %d", what, got, removed, want, wantRemoved)
		}
	}
	send("undecided ones wait", flush("acme", map[string]float64{"A": 0.5, "B": 5, "C": 50}), "calls ; duration ", 0)
	fates = map[string]tail.Fate{"acme A": tail.FateKept, "acme B": tail.FateKept, "acme C": tail.FateDropped, "other A": tail.FateDropped}
	send("kept ones come with the next point: the newest, or one a bucket", flush("acme", nil), "calls 5; duration 0.5,5", 2)
	send("and stay", flush("acme", nil), "calls 5; duration 0.5,5", 0)
	send("another tenant's run of that id is another one", flush("other", map[string]float64{"A": 0.7}), "calls ; duration ", 2)
	fates["acme D"] = tail.FateKept
	send("a newer one takes the place", flush("acme", map[string]float64{"D": 7}), "calls 7; duration 0.5,7", 0)
	send("without a trace id it passes", flush("acme", map[string]float64{"": 3}), "calls 3,7; duration 3,0.5,7", 0)
	send("undecided for too long", flush("acme", map[string]float64{"E": 8}), "calls 7; duration 0.5,7", 0)
	now = now.Add(2 * time.Minute)
	fates["acme E"] = tail.FateOpen
	send("is gone", flush("acme", nil), "calls 7; duration 0.5,7", 2)
	for i := range 4 {
		send("others", flush(fmt.Sprint("t", i), map[string]float64{"Z": 1}), "calls ; duration ", map[bool]int{false: 0, true: 2}[i >= 2])
	}
	send("made room", flush("acme", nil), "calls ; duration ", 0)
}

// TestFate: a run's fate is known to metrics as soon as it is decided, and a late
// alarm changes it.
func TestFate(t *testing.T) {
	h := newHost(t, settings(t, ""), func() string { return "" })
	want := func(trace string, fate tail.Fate) {
		t.Helper()
		if got := h.state.Fate("x", evidence.TraceID(traceID(trace))); got != fate {
			t.Errorf("%s after %s: fate %d, want %d", trace, h.now.Sub(h.start), got, fate)
		}
	}
	h.offerAll([]draw{{tenant: "x", name: "A/1"}, {tenant: "x", name: "B/1", parts: []string{"error"}}})
	want("A", tail.FateOpen)
	want("B", tail.FateOpen)
	want("C", tail.FateOpen)
	h.until(h.now.Add(20 * time.Second))
	want("A", tail.FateDropped)
	want("B", tail.FateKept)
	h.offerAll([]draw{{tenant: "x", name: "A/2", parts: []string{"error"}}, {tenant: "x", name: "B/2"}})
	want("A", tail.FateDropped)
	want("B", tail.FateKept)
	h.until(h.now.Add(20 * time.Second))
	want("A", tail.FateKept)
}
