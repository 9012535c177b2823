package mapping

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// MapMetrics maps metric names, units and the attributes of data points in
// place; temporality stays as it came. The provenance goes to the metric's
// metadata, since two more attributes on each point would only be paid for.
func (t *Tables) MapMetrics(md pmetric.Metrics) Report {
	s := t.scratch()
	y := &tally{mapped: make([]int64, len(t.dialects))}
	s.tally = y
	for _, rm := range md.ResourceMetrics().All() {
		s.setResource(rm.Resource().Attributes())
		for _, sm := range rm.ScopeMetrics().All() {
			s.setScope(sm.Scope())
			hoisted := t.detect[signalMetrics].hoist(s)
			t.into.metricNames(sm.Metrics(), "", s.pivotTally())
			for _, m := range sm.Metrics().All() {
				s.mapMetric(m, hoisted)
			}
			t.from.metrics(sm.Metrics(), y)
		}
	}
	s.release()
	return t.report(y)
}

func (s *scratch) mapMetric(m pmetric.Metric, hoisted int16) {
	k := &s.t.known
	if _, done := m.Metadata().Get(k.snapshot.key); done {
		return
	}
	s.begin(m.Name(), m.Name())
	index := s.t.detect[signalMetrics].pick(s, hoisted, m.Name())
	if index < 0 {
		s.tally.left(leftDialect)
		return
	}
	d := s.t.dialects[index]
	p := d.sections[signalMetrics]
	if to, ok := p.rename[m.Name()]; ok {
		m.Metadata().PutStr(k.originalName.key, m.Name())
		m.SetName(to)
	}
	if p.seconds[m.Name()] {
		s.toSeconds(m)
	}
	if p.conform == conformFirst {
		s.t.into.points(m, s.pivotTally())
	}
	eachPoint(m, func(attrs pcommon.Map) {
		s.begin(m.Name(), m.Name())
		s.scan(attrs, signalMetrics)
		s.open()
		s.notePresent(p)
		s.run(&p.body)
		s.runFinally()
		if p.conform != "" {
			s.conform()
		}
		s.commit(nil, 0)
	})
	m.Metadata().PutStr(k.dialect.key, d.name)
	m.Metadata().PutStr(k.snapshot.key, s.t.into.goal)
	s.tally.mapped[index]++
}

func eachPoint(m pmetric.Metric, f func(pcommon.Map)) {
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		for _, p := range m.Gauge().DataPoints().All() {
			f(p.Attributes())
		}
	case pmetric.MetricTypeSum:
		for _, p := range m.Sum().DataPoints().All() {
			f(p.Attributes())
		}
	case pmetric.MetricTypeHistogram:
		for _, p := range m.Histogram().DataPoints().All() {
			f(p.Attributes())
		}
	case pmetric.MetricTypeExponentialHistogram:
		for _, p := range m.ExponentialHistogram().DataPoints().All() {
			f(p.Attributes())
		}
	case pmetric.MetricTypeSummary:
		for _, p := range m.Summary().DataPoints().All() {
			f(p.Attributes())
		}
	}
}

// secondDivisors are the UCUM codes of shorter units.
var secondDivisors = map[string]float64{"ms": 1e3, "us": 1e6, "ns": 1e9}

// toSeconds converts a metric of a shorter unit. The buckets of an exponential
// histogram cannot be scaled exactly: such a metric is left and counted.
func (s *scratch) toSeconds(m pmetric.Metric) {
	div, ok := secondDivisors[m.Unit()]
	if !ok {
		return
	}
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		scaleNumbers(m.Gauge().DataPoints(), div)
	case pmetric.MetricTypeSum:
		scaleNumbers(m.Sum().DataPoints(), div)
	case pmetric.MetricTypeHistogram:
		scaleHistograms(m.Histogram().DataPoints(), div)
	default:
		s.tally.left(leftUnit)
		return
	}
	m.SetUnit("s")
}

func scaleNumbers(points pmetric.NumberDataPointSlice, div float64) {
	for _, p := range points.All() {
		if p.ValueType() == pmetric.NumberDataPointValueTypeInt {
			p.SetDoubleValue(float64(p.IntValue()) / div)
		} else {
			p.SetDoubleValue(p.DoubleValue() / div)
		}
		scaleExemplars(p.Exemplars(), div)
	}
}

func scaleHistograms(points pmetric.HistogramDataPointSlice, div float64) {
	for _, p := range points.All() {
		if p.HasSum() {
			p.SetSum(p.Sum() / div)
		}
		if p.HasMin() {
			p.SetMin(p.Min() / div)
		}
		if p.HasMax() {
			p.SetMax(p.Max() / div)
		}
		bounds := p.ExplicitBounds()
		for i := range bounds.Len() {
			bounds.SetAt(i, bounds.At(i)/div)
		}
		scaleExemplars(p.Exemplars(), div)
	}
}

func scaleExemplars(exemplars pmetric.ExemplarSlice, div float64) {
	for _, e := range exemplars.All() {
		if e.ValueType() == pmetric.ExemplarValueTypeInt {
			e.SetDoubleValue(float64(e.IntValue()) / div)
		} else {
			e.SetDoubleValue(e.DoubleValue() / div)
		}
	}
}
