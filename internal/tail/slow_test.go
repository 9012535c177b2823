package tail_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/otelcol-agent/otelcol-agent/internal/tail"
)

// TestSlowLimit: the estimate is the percentile of the parts seen, or above it by
// less than a sixteenth, for durations of every size.
func TestSlowLimit(t *testing.T) {
	const kind = 1
	for _, percentile := range []float64{0.5, 0.9, 0.99, 0.999} {
		for _, spread := range []int64{1 << 17, 1e9, 1e12, 1e15} {
			r := rand.New(rand.NewPCG(uint64(spread), 3))
			s := tail.NewSlow(tail.SlowSettings{Percentile: percentile, MinCount: 100, MaxKinds: 1})
			var all []int64
			for range 10_000 {
				d := 1<<16 + int64(r.ExpFloat64()*float64(spread)/8)
				all = append(all, d)
				s.Observe([]tail.Part{{Kind: kind, Nanos: d}})
			}
			slices.Sort(all)
			truth := all[len(all)-1-int(float64(len(all))*(1-percentile))]
			got, known := s.Limit(kind)
			if !known || got < truth || float64(got) > float64(truth)*(1+1.0/16) {
				t.Errorf("percentile %v of a spread of %d ns is %d, estimated as %d", percentile, spread, truth, got)
			}
		}
	}
}

// TestSlowShare: about one in a hundred is slow, two to three while the durations grow
// tenfold, and none of equal ones.
func TestSlowShare(t *testing.T) {
	const kind = 1
	r := rand.New(rand.NewPCG(1, 1))
	for name, draw := range map[string]func(i int) int64{
		"steady": func(int) int64 { return int64(1e9 * r.ExpFloat64()) },
		"grows":  func(i int) int64 { return int64(1e9 * r.ExpFloat64() * (1 + float64(i)/10_000)) },
		"equal":  func(int) int64 { return 1e9 },
	} {
		s := tail.NewSlow(tail.SlowSettings{Percentile: 0.99, MinCount: 200, MaxKinds: 1})
		const n = 100_000
		slow := 0
		for i := range n {
			part := []tail.Part{{Kind: kind, Nanos: draw(i)}}
			if s.Slower(part) {
				slow++
			}
			s.Observe(part)
		}
		least, most := n*0.006, n*0.02
		if name == "grows" {
			most = n * 0.03
		}
		if name == "equal" {
			least, most = 0, 0
		}
		if float64(slow) < least || float64(slow) > most {
			t.Errorf("%s: %d of %d parts were slow, want %v to %v", name, slow, n, least, most)
		}
	}
}

// TestSlowEdges: durations beyond the buckets are no fault.
func TestSlowEdges(t *testing.T) {
	s := tail.NewSlow(tail.SlowSettings{Percentile: 0.5, MinCount: 2, MaxKinds: 1})
	for _, d := range []int64{0, 1, 1<<16 - 1, 1 << 16, 1<<62 + 1, 1<<63 - 1} {
		s.Observe([]tail.Part{{Kind: 1, Nanos: d}})
		s.Slower([]tail.Part{{Kind: 1, Nanos: d}})
	}
}
