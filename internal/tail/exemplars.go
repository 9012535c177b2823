package tail

import (
	"container/list"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"math"
	"slices"
	"sort"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// Fate is what has become of the run of a trace.
type Fate int

// Fates.
const (
	FateOpen Fate = iota // not decided, not seen yet, or forgotten
	FateKept
	FateDropped
)

// Fate looks up a trace. In a dry run nothing is dropped.
func (s *State) Fate(tenant string, trace evidence.TraceID) Fate {
	k := traceKey(tenant, trace)
	var d Decision
	if r := s.runs[k]; r != nil && r.prior != nil {
		d = *r.prior
	} else if r != nil {
		return FateOpen
	} else if found, ok := s.decided.lookup(k); ok {
		d = found
	} else {
		return FateOpen
	}
	if d.Keep || s.DryRun {
		return FateKept
	}
	return FateDropped
}

// ExemplarSettings bound what Exemplars holds.
type ExemplarSettings struct {
	MaxSeries int           // the one not seen for longest makes room
	Patience  time.Duration // how long the run of an exemplar may stay undecided
}

// Exemplars lets only those exemplars of metrics pass whose run is kept. Metrics
// that are made of spans before sampling are ahead of the decision, so exemplars
// wait here for it, by series; a later point of the series takes them along. The
// ones that are kept stay with every further point until newer ones come: one for
// each bucket of a histogram, one for any other point.
type Exemplars struct {
	ExemplarSettings

	series map[Key]*list.Element
	order  *list.List // of *series, the one seen last in front
}

const (
	maxWaiting = 16 // exemplars of a series
	maxKept    = 16 // buckets of a series with an exemplar
)

type series struct {
	key     Key
	waiting []waiting
	kept    map[int]pmetric.Exemplar // by bucket
}

type waiting struct {
	exemplar pmetric.Exemplar
	bucket   int
	tenant   string
	since    time.Time
}

// NewExemplars holds nothing yet.
func NewExemplars(set ExemplarSettings) *Exemplars {
	return &Exemplars{ExemplarSettings: set, series: map[Key]*list.Element{}, order: list.New()}
}

// Apply takes exemplars out of a batch and puts those in that may be there.
// removed counts those that are gone for good. An exemplar without a trace id
// passes.
func (x *Exemplars) Apply(md pmetric.Metrics, fate func(tenant string, trace evidence.TraceID) Fate, now time.Time) (removed int) {
	w := &walk{x: x, fate: fate, now: now}
	for _, rm := range md.ResourceMetrics().All() {
		w.resource = rm.Resource()
		for _, sm := range rm.ScopeMetrics().All() {
			w.scope = sm.Scope().Name()
			for _, m := range sm.Metrics().All() {
				w.metric(m)
			}
		}
	}
	return w.removed
}

type walk struct {
	x        *Exemplars
	fate     func(string, evidence.TraceID) Fate
	now      time.Time
	resource pcommon.Resource
	scope    string
	removed  int
}

func (w *walk) metric(m pmetric.Metric) {
	switch m.Type() {
	case pmetric.MetricTypeSum:
		for _, p := range m.Sum().DataPoints().All() {
			w.point(m.Name(), p.Attributes(), p.Exemplars(), whole)
		}
	case pmetric.MetricTypeGauge:
		for _, p := range m.Gauge().DataPoints().All() {
			w.point(m.Name(), p.Attributes(), p.Exemplars(), whole)
		}
	case pmetric.MetricTypeHistogram:
		for _, p := range m.Histogram().DataPoints().All() {
			w.point(m.Name(), p.Attributes(), p.Exemplars(), func(e pmetric.Exemplar) int {
				return sort.SearchFloat64s(p.ExplicitBounds().AsRaw(), valueOf(e))
			})
		}
	case pmetric.MetricTypeExponentialHistogram:
		for _, p := range m.ExponentialHistogram().DataPoints().All() {
			w.point(m.Name(), p.Attributes(), p.Exemplars(), func(e pmetric.Exemplar) int {
				_, exp := math.Frexp(valueOf(e))
				return exp
			})
		}
	}
}

func whole(pmetric.Exemplar) int { return 0 }

func valueOf(e pmetric.Exemplar) float64 {
	if e.ValueType() == pmetric.ExemplarValueTypeInt {
		return float64(e.IntValue())
	}
	return e.DoubleValue()
}

func (w *walk) point(metric string, attrs pcommon.Map, at pmetric.ExemplarSlice, bucket func(pmetric.Exemplar) int) {
	if at.Len() == 0 && w.x.order.Len() == 0 {
		return
	}
	key := w.key(metric, attrs)
	e := w.x.series[key]
	if e == nil && at.Len() == 0 {
		return
	}
	s := w.x.open(key, e, &w.removed)
	tenant := tenantOfPoint(w.resource, attrs)
	at.RemoveIf(func(e pmetric.Exemplar) bool {
		if e.TraceID().IsEmpty() {
			return false
		}
		own := pmetric.NewExemplar()
		e.CopyTo(own)
		s.waiting = append(s.waiting, waiting{own, bucket(e), tenant, w.now})
		return true
	})
	w.settle(s)
	for _, b := range sortedBuckets(s.kept) {
		s.kept[b].CopyTo(at.AppendEmpty())
	}
}

// settle asks what has become of the runs of those that wait.
func (w *walk) settle(s *series) {
	s.waiting = slices.DeleteFunc(s.waiting, func(c waiting) bool {
		switch w.fate(c.tenant, evidence.TraceID(c.exemplar.TraceID())) {
		case FateKept:
			if old, there := s.kept[c.bucket]; !there && len(s.kept) >= maxKept {
				w.removed++
			} else if !there || old.Timestamp() <= c.exemplar.Timestamp() {
				s.kept[c.bucket] = c.exemplar
			}
			return true
		case FateDropped:
			w.removed++
			return true
		}
		if w.now.Sub(c.since) > w.x.Patience {
			w.removed++
			return true
		}
		return false
	})
	if over := len(s.waiting) - maxWaiting; over > 0 {
		s.waiting = slices.Delete(s.waiting, 0, over)
		w.removed += over
	}
}

func (x *Exemplars) open(key Key, e *list.Element, removed *int) *series {
	if e == nil {
		if x.order.Len() >= x.MaxSeries {
			oldest := x.order.Back()
			gone := oldest.Value.(*series)
			*removed += len(gone.waiting)
			delete(x.series, gone.key)
			x.order.Remove(oldest)
		}
		e = x.order.PushFront(&series{key: key, kept: map[int]pmetric.Exemplar{}})
		x.series[key] = e
	}
	x.order.MoveToFront(e)
	return e.Value.(*series)
}

// tenantOfPoint is the tenant that the metric's resource names, else the point.
func tenantOfPoint(r pcommon.Resource, attrs pcommon.Map) string {
	if tenant := tenantOf(r); tenant != "" {
		return tenant
	}
	if v, ok := attrs.Get(semconv.TenantID); ok {
		return v.AsString()
	}
	return ""
}

func sortedBuckets(kept map[int]pmetric.Exemplar) []int {
	out := make([]int, 0, len(kept))
	for b := range kept {
		out = append(out, b)
	}
	slices.Sort(out)
	return out
}

// key is a digest of all that names a series.
func (w *walk) key(metric string, attrs pcommon.Map) Key {
	h := sha256.New()
	digestMap(h, w.resource.Attributes())
	digestText(h, w.scope)
	digestText(h, metric)
	digestMap(h, attrs)
	return Key(h.Sum(nil)[:16])
}

func digestMap(h hash.Hash, m pcommon.Map) {
	keys := make([]string, 0, m.Len())
	for k := range m.All() {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		v, _ := m.Get(k)
		digestText(h, k)
		digestText(h, v.AsString())
	}
	digestText(h, "")
}

func digestText(h hash.Hash, s string) {
	var n [4]byte
	binary.BigEndian.PutUint32(n[:], uint32(len(s)))
	h.Write(n[:])
	h.Write([]byte(s))
}
