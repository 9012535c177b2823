package tail

import (
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/sampling"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// FuzzTraceState: whatever a sender wrote, what goes out is a trace state that
// parses if the rest of it did, counts for at least as many as it came with, has a
// randomness that is not below its threshold, and is not written twice as something
// else.
func FuzzTraceState(f *testing.F) {
	for _, raw := range []string{"", "ot=th:c", "ot=rv:80000000000000;th:8", "a=b,ot=th:zz;x:y", "ot=th:0,ot=th:1", "ot=", ",,=", "ot=rv:1;th:fffffffffffffff", "a=1, ot=th:8 ,b=2"} {
		f.Add(raw, uint64(1), uint64(1<<52), uint64(1<<55))
	}
	f.Fuzz(func(t *testing.T, raw string, trace, place, kept uint64) {
		id := pcommon.TraceID{15: byte(trace), 14: byte(trace >> 8), 9: byte(trace >> 16)}
		w := Odds{Place: 1 + place%places, Keep: 1 + kept%places}
		if !w.kept() {
			w.Place = w.Keep
		}
		st := readState(raw, id)
		if st.width == 0 || st.width > places || st.rv > places {
			t.Fatalf("%q: %d of 2^56 places were kept, at place %d", raw, st.width, st.rv)
		}
		out := st.with(w)
		own, others := cutOwn(out)
		after, err := sampling.NewOpenTelemetryTraceState(own)
		if err != nil {
			t.Fatalf("%q became %q: %v", raw, out, err)
		}
		if before, err := sampling.NewW3CTraceState(raw); err == nil && raw != "" {
			if _, err := sampling.NewW3CTraceState(out); err != nil {
				t.Fatalf("%q, which parses, became %q: %v", raw, out, err)
			}
			if th, ok := before.OTelValue().TValueThreshold(); ok && !st.invalid && after.AdjustedCount() < th.AdjustedCount() {
				t.Fatalf("%q became %q, which counts for less", raw, out)
			}
		}
		th, ok := after.TValueThreshold()
		if !ok {
			t.Fatalf("%q became %q, which has no threshold", raw, out)
		}
		if rnd, stated := after.RValueRandomness(); stated && !th.ShouldSample(rnd) {
			t.Fatalf("%q became %q, which contradicts itself", raw, out)
		}
		again := readState(out, id)
		if again.others != others || again.invalid && th.Unsigned() == 0 {
			t.Fatalf("%q became %q, which is not read as it was written", raw, out)
		}
		if twice := again.with(certain); !again.invalid && twice != out {
			t.Fatalf("%q became %q and then %q", raw, out, twice)
		}
	})
}
