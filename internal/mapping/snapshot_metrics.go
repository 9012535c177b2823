package mapping

import (
	"maps"
	"slices"

	"github.com/otelcol-agent/otelcol-agent/semconv"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// snapshotMetric is what to do with one metric.
type snapshotMetric struct {
	native  bool
	counter bool // else a histogram
	moves   []snapshotMetricMove
}

// snapshotMetricMove takes the data points under its conditions to another name.
type snapshotMetricMove struct {
	to    string
	where []snapshotTest
	drops []string
	adds  []snapshotTest // one word each
}

func snapshotMetrics(from *semconv.Translation) map[string]*snapshotMetric {
	out := map[string]*snapshotMetric{}
	for name, rule := range from.Metrics {
		m := &snapshotMetric{native: rule.Native, counter: rule.Instrument == "counter"}
		for _, move := range rule.Moves {
			to := snapshotMetricMove{to: move.To, where: snapshotTests(move.Where), drops: move.Drops}
			for _, key := range slices.Sorted(maps.Keys(move.Adds)) {
				to.adds = append(to.adds, snapshotTest{key, []string{move.Adds[key]}})
			}
			m.moves = append(m.moves, to)
		}
		out[name] = m
	}
	return out
}

func (m *snapshotMetricMove) takes(attrs pcommon.Map) bool {
	for _, add := range m.adds {
		if _, there := attrs.Get(add.key); there {
			return false
		}
	}
	return allHold(m.where, attrs)
}

func (m *snapshotMetricMove) change(attrs pcommon.Map) {
	for _, key := range m.drops {
		attrs.Remove(key)
	}
	for _, add := range m.adds {
		attrs.PutStr(add.key, add.words[0])
	}
}

// stamped translates the metrics of one scope that have a stamp ("" for none) in
// place: names, and the attributes of data points and exemplars. Units,
// temporality and the points' numbers stay as they came. A metric of which the
// goal has two is split, and the way back joins them. Metrics of no snapshot are
// left alone.
func (x *translator) stamped(list pmetric.MetricSlice, stamp string, y *tally) {
	x.metricNames(list, stamp, y)
	for _, m := range list.All() {
		if stampOf(m) == stamp {
			x.points(m, y)
		}
	}
}

func stampOf(m pmetric.Metric) string {
	if v, ok := m.Metadata().Get(semconv.AppMappingSnapshot); ok {
		return v.AsString()
	}
	return ""
}

// metricNames is stamped without the attributes, except those that names say.
func (x *translator) metricNames(list pmetric.MetricSlice, stamp string, y *tally) {
	var renamed []pmetric.Metric
	for i := range list.Len() {
		m := list.At(i)
		rule := x.metricsBy[m.Name()]
		switch {
		case rule == nil || stampOf(m) != stamp:
		case len(rule.moves) > 0 && !rule.isOf(m.Type()):
			y.leave(leftType)
		default:
			renamed = rule.apply(list, m, renamed)
			if x.metricsBy[m.Name()] == rule && !rule.native {
				y.leave(leftSnapshot)
			}
		}
	}
	if len(renamed) > 0 {
		joinMetrics(list, renamed)
	}
}

// points translates the attributes of a metric's data points and exemplars. Those
// of a metric that the goal does not have are not counted: it was.
func (x *translator) points(m pmetric.Metric, y *tally) {
	rule := x.metricsBy[m.Name()]
	if rule == nil {
		return
	}
	if !rule.native {
		y = nil
	}
	eachSet(m, func(attrs pcommon.Map) { x.attributes(attrs, y) })
}

// isOf reports whether such data points are the convention's metric at all; a
// counter under the name of a histogram is not.
func (r *snapshotMetric) isOf(t pmetric.MetricType) bool {
	if r.counter {
		return t == pmetric.MetricTypeSum
	}
	return t == pmetric.MetricTypeHistogram || t == pmetric.MetricTypeExponentialHistogram
}

// apply renames m or splits parts off it, and appends what it renamed. The part
// that is left, if any, keeps the name.
func (r *snapshotMetric) apply(list pmetric.MetricSlice, m pmetric.Metric, renamed []pmetric.Metric) []pmetric.Metric {
	for i := range r.moves {
		move := &r.moves[i]
		all, takes := 0, 0
		eachPoint(m, func(attrs pcommon.Map) {
			if all++; move.takes(attrs) {
				takes++
			}
		})
		part := m
		switch {
		case takes == 0 && all+len(move.where) > 0:
			continue
		case takes < all:
			part = list.AppendEmpty()
			splitPoints(m, part, move.takes)
		}
		eachPoint(part, move.change)
		renameMetric(part, move.to)
		renamed = append(renamed, part)
		if part == m {
			break
		}
	}
	return renamed
}

// renameMetric keeps the name that the metric came with; the way back drops it.
func renameMetric(m pmetric.Metric, to string) {
	was, ok := m.Metadata().Get(semconv.AppMappingOriginalName)
	switch {
	case !ok:
		m.Metadata().PutStr(semconv.AppMappingOriginalName, m.Name())
	case was.AsString() == to:
		m.Metadata().Remove(semconv.AppMappingOriginalName)
	}
	m.SetName(to)
}
