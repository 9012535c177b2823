package redact

import "go.opentelemetry.io/collector/pdata/pmetric"

// Metrics applies the policy in place. Metrics are not stamped: an attribute
// more would be another series. A resource whose walk panics is removed and
// counted.
func (p *Policy) Metrics(md pmetric.Metrics) Hits {
	w := p.walk()
	w.migrateMetrics(md)
	md.ResourceMetrics().RemoveIf(func(rm pmetric.ResourceMetrics) bool {
		return w.guard(ResourceAttribute, func() { w.resourceMetrics(rm) })
	})
	return p.done(w)
}

func (w *walk) resourceMetrics(rm pmetric.ResourceMetrics) {
	w.resource(rm.Resource())
	w.set(rm.SchemaUrl(), rm.SetSchemaUrl, SchemaURL)
	for _, sm := range rm.ScopeMetrics().All() {
		w.scope(sm.Scope())
		w.set(sm.SchemaUrl(), sm.SetSchemaUrl, SchemaURL)
		sm.Metrics().RemoveIf(func(m pmetric.Metric) bool {
			return w.guard(MetricName, func() { w.metric(m) })
		})
	}
}

func (w *walk) metric(m pmetric.Metric) {
	w.set(m.Name(), m.SetName, MetricName)
	w.set(m.Description(), m.SetDescription, MetricDescription)
	w.set(m.Unit(), m.SetUnit, MetricUnit)
	w.attributes(m.Metadata(), MetricMetadata)
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		w.numbers(m.Gauge().DataPoints())
	case pmetric.MetricTypeSum:
		w.numbers(m.Sum().DataPoints())
	case pmetric.MetricTypeHistogram:
		for _, dp := range m.Histogram().DataPoints().All() {
			w.attributes(dp.Attributes(), PointAttribute)
			w.exemplars(dp.Exemplars())
		}
	case pmetric.MetricTypeExponentialHistogram:
		for _, dp := range m.ExponentialHistogram().DataPoints().All() {
			w.attributes(dp.Attributes(), PointAttribute)
			w.exemplars(dp.Exemplars())
		}
	case pmetric.MetricTypeSummary:
		for _, dp := range m.Summary().DataPoints().All() {
			w.attributes(dp.Attributes(), PointAttribute)
		}
	case pmetric.MetricTypeEmpty:
	}
}

func (w *walk) numbers(points pmetric.NumberDataPointSlice) {
	for _, dp := range points.All() {
		w.attributes(dp.Attributes(), PointAttribute)
		w.exemplars(dp.Exemplars())
	}
}

func (w *walk) exemplars(es pmetric.ExemplarSlice) {
	for _, e := range es.All() {
		w.restartID(e.TraceID(), e.SetTraceID)
		w.attributes(e.FilteredAttributes(), ExemplarAttribute)
	}
}
