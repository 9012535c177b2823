package judge

import (
	"cmp"
	"math"
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// Other stands for metric, verifier and version of what came after the bound of
// series was reached.
const Other = "_other"

// Scores counts results. It is not safe for concurrent use.
type Scores struct {
	series map[series]*tally
	max    int
	since  time.Time
}

// series is one verifier in one version on one metric, in one tenant.
type series struct{ tenant, metric, verifier, version string }

type tally struct {
	verdicts [3]int64 // pass, fail, unknown
	gates    int64    // failing verdicts of gates
	scores   [buckets]uint64
	count    uint64
	sum      float64
}

// Scores stand on their scale: 0 is its lowest, 1 its highest end.
const buckets = 11

var bounds = []float64{0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9}

// NewScores counts at most so many series by themselves.
func NewScores(most int, since time.Time) *Scores {
	return &Scores{series: map[series]*tally{}, max: most, since: since}
}

// First reports whether a result is counted for the first time.
func (m *Memory) First(v *Verdict, now time.Time) bool {
	v.identify()
	k := key(v.id.Trace) // a hash over tenant and result
	if _, known := m.counted.get(k, m.since(now)); known {
		return false
	}
	m.counted.put(k, struct{}{}, now)
	return true
}

// Count adds a result. Its score counts only if it may stand beside others.
func (c *Scores) Count(v *Verdict) {
	s := series{v.Tenant, v.Metric, v.Verifier, v.Version}
	t := c.series[s]
	if t == nil {
		if len(c.series) >= c.max {
			s = series{Other, Other, Other, Other}
		}
		if t = c.series[s]; t == nil {
			t = &tally{}
			c.series[s] = t
		}
	}
	at := max(slices.Index(verdicts, v.Verdict), 0)
	t.verdicts[at]++
	if v.Verdict == semconv.AppVerifierVerdictFail && v.Gate != nil && *v.Gate {
		t.gates++
	}
	if !v.Comparable || v.Score == nil {
		return
	}
	score := onUnit(*v.Score, *v.ScaleMin, *v.ScaleMax)
	i, _ := slices.BinarySearch(bounds, score)
	t.scores[i]++
	t.count++
	t.sum += score
}

// onUnit places a score on its scale: 0 is the lowest, 1 the highest end. A scale
// may be so wide that its width is no number.
func onUnit(score, low, high float64) float64 {
	if width := high - low; !math.IsInf(width, 0) {
		return (score - low) / width
	}
	return (score/2 - low/2) / (high/2 - low/2)
}

// Metrics returns all counts since the start, in a fixed order.
func (c *Scores) Metrics(now time.Time) pmetric.Metrics {
	out := pmetric.NewMetrics()
	if len(c.series) == 0 {
		return out
	}
	sm := out.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty()
	sm.Scope().SetName(Scope)
	results := sum(declared(sm, semconv.MetricAppEvaluationResults))
	gates := sum(declared(sm, semconv.MetricAppEvaluationGateFailures))
	scores := declared(sm, semconv.MetricAppEvaluationScores).SetEmptyHistogram()
	scores.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
	all := make([]series, 0, len(c.series))
	for s := range c.series {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b series) int {
		return cmp.Or(cmp.Compare(a.tenant, b.tenant), cmp.Compare(a.metric, b.metric), cmp.Compare(a.verifier, b.verifier), cmp.Compare(a.version, b.version))
	})
	for _, s := range all {
		t := c.series[s]
		for i, n := range t.verdicts {
			if n > 0 {
				p := c.point(results.DataPoints().AppendEmpty(), s, n, now)
				p.PutStr(semconv.AppVerifierVerdict, verdicts[i])
			}
		}
		if t.gates > 0 {
			c.point(gates.DataPoints().AppendEmpty(), s, t.gates, now)
		}
		if t.count > 0 {
			p := scores.DataPoints().AppendEmpty()
			s.label(p.Attributes())
			p.SetStartTimestamp(stamp(c.since))
			p.SetTimestamp(stamp(now))
			p.SetCount(t.count)
			p.SetSum(t.sum)
			p.ExplicitBounds().FromRaw(bounds)
			p.BucketCounts().FromRaw(t.scores[:])
		}
	}
	sm.Metrics().RemoveIf(func(m pmetric.Metric) bool {
		return m.Type() == pmetric.MetricTypeSum && m.Sum().DataPoints().Len() == 0 || m.Type() == pmetric.MetricTypeHistogram && m.Histogram().DataPoints().Len() == 0
	})
	return out
}

// declared begins a metric as the registry has it.
func declared(sm pmetric.ScopeMetrics, name string) pmetric.Metric {
	d := semconv.App().Metric(name)
	m := sm.Metrics().AppendEmpty()
	m.SetName(d.Name)
	m.SetUnit(d.Unit)
	m.SetDescription(d.Brief)
	return m
}

func sum(m pmetric.Metric) pmetric.Sum {
	s := m.SetEmptySum()
	s.SetIsMonotonic(true)
	s.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
	return s
}

func (c *Scores) point(p pmetric.NumberDataPoint, s series, n int64, now time.Time) pcommon.Map {
	s.label(p.Attributes())
	p.SetStartTimestamp(stamp(c.since))
	p.SetTimestamp(stamp(now))
	p.SetIntValue(n)
	return p.Attributes()
}

func (s series) label(a pcommon.Map) {
	for _, kv := range [...][2]string{
		{semconv.TenantID, s.tenant}, {semconv.GenAIEvaluationName, s.metric}, {semconv.AppVerifierName, s.verifier}, {semconv.AppVerifierVersion, s.version},
	} {
		if kv[1] != "" {
			a.PutStr(kv[0], kv[1])
		}
	}
}
