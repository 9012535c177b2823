package mapping

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// point and points are what the five kinds of data points share.
type point[P any] interface {
	Attributes() pcommon.Map
	MoveTo(P)
}

type points[P any] interface {
	AppendEmpty() P
	RemoveIf(func(P) bool)
}

// takePoints moves the points that match, in order.
func takePoints[P point[P], S points[P]](from, to S, match func(pcommon.Map) bool) {
	from.RemoveIf(func(p P) bool {
		if !match(p.Attributes()) {
			return false
		}
		p.MoveTo(to.AppendEmpty())
		return true
	})
}

// splitPoints moves the points that match into part, a new metric that is like
// the old one otherwise.
func splitPoints(m, part pmetric.Metric, match func(pcommon.Map) bool) {
	part.SetName(m.Name())
	part.SetDescription(m.Description())
	part.SetUnit(m.Unit())
	m.Metadata().CopyTo(part.Metadata())
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		part.SetEmptyGauge()
	case pmetric.MetricTypeSum:
		s := part.SetEmptySum()
		s.SetAggregationTemporality(m.Sum().AggregationTemporality())
		s.SetIsMonotonic(m.Sum().IsMonotonic())
	case pmetric.MetricTypeHistogram:
		part.SetEmptyHistogram().SetAggregationTemporality(m.Histogram().AggregationTemporality())
	case pmetric.MetricTypeExponentialHistogram:
		part.SetEmptyExponentialHistogram().SetAggregationTemporality(m.ExponentialHistogram().AggregationTemporality())
	case pmetric.MetricTypeSummary:
		part.SetEmptySummary()
	}
	movePoints(m, part, match)
}

// movePoints is for two metrics of one type.
func movePoints(from, to pmetric.Metric, match func(pcommon.Map) bool) {
	switch from.Type() {
	case pmetric.MetricTypeGauge:
		takePoints(from.Gauge().DataPoints(), to.Gauge().DataPoints(), match)
	case pmetric.MetricTypeSum:
		takePoints(from.Sum().DataPoints(), to.Sum().DataPoints(), match)
	case pmetric.MetricTypeHistogram:
		takePoints(from.Histogram().DataPoints(), to.Histogram().DataPoints(), match)
	case pmetric.MetricTypeExponentialHistogram:
		takePoints(from.ExponentialHistogram().DataPoints(), to.ExponentialHistogram().DataPoints(), match)
	case pmetric.MetricTypeSummary:
		takePoints(from.Summary().DataPoints(), to.Summary().DataPoints(), match)
	}
}

// joinMetrics puts the points of each renamed metric into the first metric that is the
// same in everything but its points, so that what was split is whole again.
func joinMetrics(list pmetric.MetricSlice, renamed []pmetric.Metric) {
	gone := map[pmetric.Metric]bool{}
	for _, part := range renamed {
		for i := range list.Len() {
			m := list.At(i)
			if m == part {
				break
			}
			if !gone[m] && alike(m, part) {
				movePoints(part, m, func(pcommon.Map) bool { return true })
				gone[part] = true
				break
			}
		}
	}
	if len(gone) > 0 {
		list.RemoveIf(func(m pmetric.Metric) bool { return gone[m] })
	}
}

func alike(a, b pmetric.Metric) bool {
	if a.Name() != b.Name() || a.Type() != b.Type() || a.Unit() != b.Unit() || a.Description() != b.Description() || !a.Metadata().Equal(b.Metadata()) {
		return false
	}
	switch a.Type() {
	case pmetric.MetricTypeSum:
		return a.Sum().AggregationTemporality() == b.Sum().AggregationTemporality() && a.Sum().IsMonotonic() == b.Sum().IsMonotonic()
	case pmetric.MetricTypeHistogram:
		return a.Histogram().AggregationTemporality() == b.Histogram().AggregationTemporality()
	case pmetric.MetricTypeExponentialHistogram:
		return a.ExponentialHistogram().AggregationTemporality() == b.ExponentialHistogram().AggregationTemporality()
	}
	return true
}

// eachSet calls f for the attributes of each data point and of its exemplars.
func eachSet(m pmetric.Metric, f func(pcommon.Map)) {
	eachPoint(m, f)
	exemplars := func(list pmetric.ExemplarSlice) {
		for _, e := range list.All() {
			f(e.FilteredAttributes())
		}
	}
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		for _, p := range m.Gauge().DataPoints().All() {
			exemplars(p.Exemplars())
		}
	case pmetric.MetricTypeSum:
		for _, p := range m.Sum().DataPoints().All() {
			exemplars(p.Exemplars())
		}
	case pmetric.MetricTypeHistogram:
		for _, p := range m.Histogram().DataPoints().All() {
			exemplars(p.Exemplars())
		}
	case pmetric.MetricTypeExponentialHistogram:
		for _, p := range m.ExponentialHistogram().DataPoints().All() {
			exemplars(p.Exemplars())
		}
	}
}
