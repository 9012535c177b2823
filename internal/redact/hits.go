package redact

import "strings"

// Position names a place in the data that holds text.
type Position uint8

// The positions that a policy reaches.
const (
	ResourceAttribute Position = iota
	ResourceEntity
	SchemaURL
	ScopeName
	ScopeVersion
	ScopeAttribute
	SpanName
	SpanStatus
	SpanTracestate
	SpanAttribute
	EventName
	EventAttribute
	LinkAttribute
	LinkTracestate
	LogBody
	LogEventName
	LogSeverity
	LogAttribute
	MetricName
	MetricDescription
	MetricUnit
	MetricMetadata
	PointAttribute
	ExemplarAttribute
	AttributeKey // of any attribute or nested map
	TraceID      // of a span, link, log record, exemplar or profile
	ProfileString
	ProfileAttribute
	ProfilePayload
	numPositions
)

var positionNames = [numPositions]string{
	"resource_attribute", "resource_entity", "schema_url", "scope_name", "scope_version", "scope_attribute",
	"span_name", "span_status", "span_tracestate", "span_attribute", "event_name", "event_attribute",
	"link_attribute", "link_tracestate", "log_body", "log_event_name", "log_severity", "log_attribute",
	"metric_name", "metric_description", "metric_unit", "metric_metadata", "datapoint_attribute",
	"exemplar_attribute", "attribute_key", "trace_id", "profile_string", "profile_attribute", "profile_payload",
}

func (p Position) String() string { return positionNames[p] }

// Reason says why a value could not be judged.
type Reason uint8

// The reasons for which a value is replaced without having been judged.
const (
	TooLong     Reason = iota // longer than Settings.MaxValueBytes
	TooDeep                   // nested deeper than Settings.MaxDepth
	TooMuch                   // candidates needed more work than its length allows
	Unstable                  // still matched after the last round
	Panicked                  // a rule or a walk panicked
	UnknownType               // a value of a type that pdata did not have
	Opaque                    // bytes in a format of their own, which are not read
	numReasons
)

var reasonNames = [numReasons]string{"too_long", "too_deep", "too_much_work", "unstable", "panic", "unknown_type", "opaque"}

func (r Reason) String() string { return reasonNames[r] }

// Hit is one rule at one position.
type Hit struct {
	Rule     string // one of Policy.Rules
	Position Position
}

// Failure is one reason at one position.
type Failure struct {
	Reason   Reason
	Position Position
}

// Hits counts what one pass replaced. It holds no value.
type Hits struct {
	Values   map[Hit]int64     // replaced by rule
	Failures map[Failure]int64 // replaced, or for a panic outside a value removed, unjudged
	Keys     map[KeyHit]int64  // both by attribute, if the policy tells keys
}

// KeyHit is a rule, or a reason, at one attribute. A key in which something was
// found is empty.
type KeyHit struct {
	Rule     string
	Position Position
	Key      string
}

// Total is the number of replaced values.
func (h Hits) Total() (n int64) {
	for _, c := range h.Values {
		n += c
	}
	for _, c := range h.Failures {
		n += c
	}
	return n
}

// tally counts into dense tables and remembers which cells are not zero, so
// that a clean batch costs nothing to report.
type tally struct {
	values   []int32 // rule*numPositions + position
	failures [int(numReasons) * int(numPositions)]int32
	touched  []int32 // cells of values
	failed   bool
	item     int64 // replaced in the current span or record

	keyed map[KeyHit]int64 // nil unless keys are told
	rules []string
	key   string // of the attribute that is treated
}

// at counts under the attribute's own key, if that is wanted.
func (t *tally) at(rule string, pos Position) {
	if t.keyed != nil && t.key != "" {
		t.keyed[KeyHit{rule, pos, strings.Clone(t.key)}]++
	}
}

func (t *tally) hit(rule int, pos Position) {
	cell := int32(rule*int(numPositions) + int(pos))
	if t.values[cell]++; t.values[cell] == 1 {
		t.touched = append(t.touched, cell)
	}
	t.item++
	if t.keyed != nil {
		t.at(t.rules[rule], pos)
	}
}

func (t *tally) fail(r Reason, pos Position) {
	t.failures[int(r)*int(numPositions)+int(pos)]++
	t.failed = true
	t.item++
	t.at(r.String(), pos)
}

// take returns the counts and empties the tally.
func (t *tally) take(rules []string) Hits {
	var h Hits
	if len(t.touched) > 0 {
		h.Values = make(map[Hit]int64, len(t.touched))
	}
	for _, cell := range t.touched {
		h.Values[Hit{rules[int(cell)/int(numPositions)], Position(int(cell) % int(numPositions))}] = int64(t.values[cell])
		t.values[cell] = 0
	}
	t.touched = t.touched[:0]
	if t.failed {
		h.Failures = map[Failure]int64{}
		for cell, n := range t.failures {
			if n > 0 {
				h.Failures[Failure{Reason(cell / int(numPositions)), Position(cell % int(numPositions))}] = int64(n)
			}
		}
		clear(t.failures[:])
		t.failed = false
	}
	t.item = 0
	if h.Keys = t.keyed; t.keyed != nil {
		t.keyed = map[KeyHit]int64{}
	}
	return h
}
