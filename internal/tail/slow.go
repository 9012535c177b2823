package tail

import (
	"container/list"
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// RuleSlow is the rule of runs with a part that took longer than nearly all of
// its kind.
const RuleSlow = "slow"

// Part is a span by which a run is timed: one that invokes an agent or a workflow,
// or a root that names its operation.
type Part struct {
	ID    uint64 // hash of the span's ids
	Kind  uint64 // hash of tenant, agent and operation
	Nanos int64  // how long it took
}

// isPart reports whether a run is timed by a span.
func isPart(operation string, root bool) bool {
	switch operation {
	case "":
		return false
	case semconv.GenAIOperationNameInvokeAgent, semconv.GenAIOperationNameInvokeWorkflow:
		return true
	}
	return root
}

// partKind is what a part is compared with.
type partKind struct{ tenant, agent, operation string }

func (k partKind) hash() uint64 {
	return key(kindPart, k.tenant, k.agent+"\x00"+k.operation).hash64()
}

// kinds remembers hashes: a batch has few kinds, and many parts of each.
type kinds map[partKind]uint64

const maxKinds = 256

func (m kinds) of(k partKind) uint64 {
	h, ok := m[k]
	if !ok {
		if len(m) >= maxKinds {
			clear(m)
		}
		h = k.hash()
		m[partKind{strings.Clone(k.tenant), strings.Clone(k.agent), strings.Clone(k.operation)}] = h
	}
	return h
}

func hashOf(id evidence.StepID) uint64 {
	return binary.LittleEndian.Uint64(id.Trace[8:]) ^ binary.LittleEndian.Uint64(id.Trace[:8]) ^ binary.LittleEndian.Uint64(id.Span[:])
}

// maxParts is how many parts a run is timed by; those that come later are not seen.
const maxParts = 64

// addPart adds a part of a run; of a span that came twice the longer one counts.
func addPart(all []Part, p Part) []Part {
	if i := slices.IndexFunc(all, func(have Part) bool { return have.ID == p.ID }); i >= 0 {
		all[i].Nanos = max(all[i].Nanos, p.Nanos)
		return all
	}
	if len(all) < maxParts {
		all = append(all, p)
	}
	return all
}

func addParts(all, more []Part) []Part {
	for _, p := range more {
		all = addPart(all, p)
	}
	return all
}

func partsOf(rows *evidence.Run) (out []Part) {
	for i := range rows.Spans {
		if p, ok := partOfRow(rows.Tenant, &rows.Spans[i]); ok {
			out = addPart(out, p)
		}
	}
	return out
}

func partOfRow(tenant string, s *evidence.Span) (Part, bool) {
	agent, operation := agentOf(s)
	if !isPart(operation, s.Parent == evidence.SpanID{}) {
		return Part{}, false
	}
	return Part{hashOf(s.ID), partKind{tenant, agent, operation}.hash(), max(s.End-s.Start, 0)}, true
}

func agentOf(s *evidence.Span) (agent, operation string) {
	return s.Attrs.Str(semconv.GenAIAgentName), s.Attrs.Str(semconv.GenAIOperationName)
}

// SlowSettings say what is slow.
type SlowSettings struct {
	Percentile float64 // above 0, below 1
	MinCount   int     // parts of a kind that must have been seen before any is slow
	MaxKinds   int     // kinds that are timed; the one not seen for longest makes room
}

// Slow knows how long parts take by kind. It counts durations in buckets a
// sixteenth of a power of two wide, so its estimate of a percentile is the true
// one or above it by less than 1/16; a part is slow if it took longer than the
// estimate. The last one to two times 2^14 parts of a kind count. A kind takes
// 5 KiB.
type Slow struct {
	SlowSettings

	kinds map[uint64]*list.Element
	order *list.List // of *timing, the one seen last in front
}

// NewSlow knows nothing yet.
func NewSlow(set SlowSettings) *Slow {
	return &Slow{SlowSettings: set, kinds: map[uint64]*list.Element{}, order: list.New()}
}

// Slower reports whether a part took longer than nearly all of its kind before it.
func (s *Slow) Slower(parts []Part) bool {
	for _, p := range parts {
		if limit, ok := s.Limit(p.Kind); ok && p.Nanos > limit {
			return true
		}
	}
	return false
}

// Limit is the estimate for a kind, in nanoseconds, once enough of it were seen.
func (s *Slow) Limit(kind uint64) (nanos int64, known bool) {
	e := s.kinds[kind]
	if e == nil {
		return 0, false
	}
	t := e.Value.(*timing)
	if n := t.now.n + t.before.n; n < s.MinCount {
		return 0, false
	} else if n >= t.stale {
		t.refresh(s.Percentile, n)
	}
	return t.limit, true
}

// Observe takes in the parts of a run that was decided.
func (s *Slow) Observe(parts []Part) {
	for _, p := range parts {
		e := s.kinds[p.Kind]
		if e == nil {
			if s.order.Len() >= s.MaxKinds {
				oldest := s.order.Back()
				delete(s.kinds, oldest.Value.(*timing).kind)
				s.order.Remove(oldest)
			}
			e = s.order.PushFront(&timing{kind: p.Kind})
			s.kinds[p.Kind] = e
		}
		s.order.MoveToFront(e)
		e.Value.(*timing).add(p.Nanos)
	}
}

const (
	finest    = 16             // 2^16 ns: what is shorter is one bucket
	steps     = 16             // buckets a power of two
	buckets   = 36*steps + 1   // up to 2^52 ns, 52 days; what is longer is in the last one
	windowLen = 1 << 14        // parts after which the window before is forgotten
	freshFor  = 1.0 / (1 << 6) // the estimate is made again when so much more was seen
)

// timing is what is known of one kind.
type timing struct {
	kind        uint64
	now, before window
	limit       int64
	stale       int // count at which limit is made again
}

type window struct {
	n      int
	counts [buckets]uint32
}

func (t *timing) add(nanos int64) {
	if t.now.n >= windowLen {
		t.before, t.now = t.now, window{}
		t.stale = 0
	}
	t.now.n++
	t.now.counts[bucketOf(nanos)]++
}

func (t *timing) refresh(percentile float64, n int) {
	t.stale = n + max(1, int(float64(n)*freshFor))
	rest := int(float64(n) * (1 - percentile)) // parts that may be above the estimate
	for b := buckets - 1; b >= 0; b-- {
		rest -= int(t.now.counts[b] + t.before.counts[b])
		if rest < 0 {
			t.limit = upperOf(b)
			return
		}
	}
}

// bucketOf: bucket 0 is below 2^finest ns; then each power of two has steps.
func bucketOf(nanos int64) int {
	if nanos < 1<<finest {
		return 0
	}
	log := bits.Len64(uint64(nanos)) - 1
	step := int(nanos>>(log-4)) & (steps - 1)
	return min(1+(log-finest)*steps+step, buckets-1)
}

// upperOf is the longest duration of a bucket.
func upperOf(bucket int) int64 {
	if bucket == 0 {
		return 1<<finest - 1
	}
	log, step := finest+(bucket-1)/steps, (bucket-1)%steps
	return (int64(steps+step+1)<<(log-4) - 1)
}
