package mapping

import (
	"math"
	"slices"

	"github.com/otelcol-agent/otelcol-agent/semconv"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// translator rewrites records that follow any listed snapshot into one of them,
// the goal. What the goal has under another name, word or number type moves;
// what it has nothing for stays as it came and is counted. Translating into the
// goal and back gives what was there before, and translating twice is
// translating once. It is immutable and safe for concurrent use.
type translator struct {
	goal       string
	keys       map[string]*snapshotKey // only keys that something may have to be done for
	filter     keyFilter
	operations map[string]bool
	events     map[string]bool
	metricsBy  map[string]*snapshotMetric
	spans      []snapshotSpan
}

// snapshotKey is what to do with one key.
type snapshotKey struct {
	native bool
	words  map[string]string // native: other words of this key
	number valueType         // native: typeInt or typeDouble if another snapshot has the other
	moves  []snapshotMove
	stray  *snapshotKey // the home's rule for a key that the home does not have
}

type snapshotMove struct {
	to     string
	values map[string]string
	folded map[string]bool // words that share theirs with another
	where  []snapshotTest
	number valueType
}

// snapshotTest is a condition on one attribute; without words it must be there.
type snapshotTest struct {
	key   string
	words []string
}

// snapshotSpan lists keys that the goal does not put on such spans.
type snapshotSpan struct {
	kind  ptrace.SpanKind
	where []snapshotTest
	keys  []string
}

func newTranslator(goal *semconv.Snapshot) *translator {
	from := semconv.Into(goal)
	x := &translator{
		goal: goal.Name, keys: map[string]*snapshotKey{}, operations: from.Operations, events: from.Events,
		metricsBy: snapshotMetrics(from),
	}
	for key, rule := range from.Keys {
		k := &snapshotKey{native: rule.Native, words: rule.Words, number: numberType(rule.Type)}
		for _, m := range rule.Moves {
			k.moves = append(k.moves, snapshotMove{
				to: m.To, values: m.Values, folded: foldedWords(m.Values), where: snapshotTests(m.Where),
				number: numberType(from.Keys[m.To].Type),
			})
		}
		if !k.native || k.words != nil || k.number != 0 || k.moves != nil {
			x.keys[key] = k
			x.filter.add(key)
		}
	}
	for _, off := range from.TakenOff {
		x.spans = append(x.spans, snapshotSpan{kind: spanKinds[off.Kind], where: snapshotTests(off.Where), keys: off.Keys})
	}
	return x
}

func numberType(word string) valueType {
	if t := valueTypes[word]; t == typeInt || t == typeDouble {
		return t
	}
	return 0
}

// snapshotTests orders the conditions of one record, so that they are read the
// same way each time.
func snapshotTests(where semconv.Where) []snapshotTest {
	var out []snapshotTest
	for _, key := range sortedKeys(where) {
		out = append(out, snapshotTest{key, where[key]})
	}
	return out
}

func allHold(tests []snapshotTest, attrs pcommon.Map) bool {
	for i := range tests {
		v, ok := attrs.Get(tests[i].key)
		if !ok || len(tests[i].words) > 0 && !slices.Contains(tests[i].words, v.AsString()) {
			return false
		}
	}
	return true
}

// span translates a span and its events in place and reports whether it changed
// any attribute. A nil tally counts nothing.
func (x *translator) span(span ptrace.Span, y *tally) bool {
	changed := x.attributes(span.Attributes(), y)
	for _, e := range span.Events().All() {
		if known, listed := x.event(e.Name(), y); known || listed {
			changed = x.attributes(e.Attributes(), y) || changed
		}
	}
	x.checkSpan(span, y)
	return changed
}

// checkSpan counts what the goal has no place for though it has the key: the
// operation, and keys that it does not put on such a span.
func (x *translator) checkSpan(span ptrace.Span, y *tally) {
	if y == nil {
		return
	}
	attrs := span.Attributes()
	if op, ok := attrs.Get(operationKey); ok && op.Type() == pcommon.ValueTypeStr {
		if has, listed := x.operations[op.Str()]; listed && !has {
			y.left(leftSnapshot)
		}
	}
	for i := range x.spans {
		s := &x.spans[i]
		if s.kind != span.Kind() || !allHold(s.where, attrs) {
			continue
		}
		for _, key := range s.keys {
			if _, ok := attrs.Get(key); ok {
				y.left(leftSpan)
			}
		}
	}
}

// log translates the attributes of a log record in place. An event's name and
// body stay: no snapshot has another name for one that it has.
func (x *translator) log(record plog.LogRecord, y *tally) bool {
	x.event(record.EventName(), y)
	return x.attributes(record.Attributes(), y)
}

// event counts an event that another snapshot has and the goal has not.
func (x *translator) event(name string, y *tally) (has, listed bool) {
	if name == "" {
		return false, false
	}
	has, listed = x.events[name]
	if listed && !has && y != nil {
		y.left(leftSnapshot)
	}
	return has, listed
}

// needs reports whether attributes would do or count anything for this one; it
// does not allocate.
func (x *translator) needs(key string, v pcommon.Value) bool {
	if !x.filter.mayHave(key) {
		return false
	}
	k := x.keys[key]
	return k != nil && k.needs(v)
}

// mayNeed is false if needs is, whatever the value.
func (k *snapshotKey) mayNeed() bool {
	return k.stray != nil || !k.native || len(k.moves) > 0 || len(k.words) > 0 || k.number != 0
}

func (k *snapshotKey) needs(v pcommon.Value) bool {
	if k.stray != nil || !k.native || len(k.moves) > 0 {
		return true
	}
	switch v.Type() {
	case pcommon.ValueTypeStr:
		return k.words != nil && k.words[v.Str()] != ""
	case pcommon.ValueTypeInt:
		return k.number == typeDouble
	case pcommon.ValueTypeDouble:
		return k.number == typeInt && !math.IsNaN(v.Double())
	}
	return false
}
