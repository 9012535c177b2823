package mapping

import (
	"math"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"gopkg.in/yaml.v3"
)

// timeSource is where a log record without a time of its own says it.
type timeSource struct {
	from    []source
	plus    []source // added, in the same unit
	seconds float64  // of one unit of a number
}

// timeUnits are seconds a unit.
var timeUnits = map[string]float64{"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}

func (r *reader) time(n *yaml.Node) *timeRule {
	rule := &timeRule{line: n.Line, unit: "ms"}
	if n.Kind != yaml.MappingNode {
		rule.from = r.texts(n, "time")
		return rule
	}
	r.object(n, "time", map[string]func(*yaml.Node){
		"from": func(n *yaml.Node) { rule.from = r.texts(n, "time.from") },
		"plus": func(n *yaml.Node) { rule.plus = r.texts(n, "time.plus") },
		"unit": func(n *yaml.Node) { rule.unit = r.oneOf(n, "time.unit", sortedKeys(timeUnits)...) },
	})
	return rule
}

func (c *compiler) time(rule *timeRule) *timeSource {
	if rule == nil {
		return nil
	}
	if len(rule.from) == 0 {
		c.r.fail(rule.line, "time has no from")
	}
	return &timeSource{from: c.sources(rule.from, rule.line), plus: c.sources(rule.plus, rule.line), seconds: timeUnits[rule.unit]}
}

// settleTime gives a record that has no time the one that it states: a number in
// the rule's unit, or text as in RFC 3339.
func (s *scratch) settleTime() {
	if s.decision.time == nil || s.record.Timestamp() != 0 {
		return
	}
	for i := range s.decision.time.from {
		d := s.read(&s.decision.time.from[i])
		if n, ok := d.number(); ok && s.decision.time.plus != nil {
			d = datum{kind: kindDouble, f: n + s.sumOf(s.decision.time.plus)}
		}
		if at, ok := s.decision.time.parse(&d); ok {
			s.record.SetTimestamp(at)
			return
		}
	}
}

func (t *timeSource) parse(d *datum) (pcommon.Timestamp, bool) {
	if n, ok := d.number(); ok {
		// Through microseconds: what emitters state is no finer, and a product of
		// doubles is.
		us := math.Round(n * t.seconds * 1e6)
		if !(us > 0 && us < math.MaxInt64/1e3) {
			return 0, false
		}
		return pcommon.Timestamp(int64(us) * 1e3), true
	}
	text, ok := d.text()
	if !ok {
		return 0, false
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || at.UnixNano() <= 0 {
		return 0, false
	}
	return pcommon.NewTimestampFromTime(at), true
}
