package synth

import (
	"encoding/binary"
	"math"
	"math/bits"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// Outcome says what became of a record.
type Outcome int

const (
	// Joined records are on a span.
	Joined Outcome = iota
	// Ignored records are no canonical event of this step.
	Ignored
	// NoIdentity records name no session, turn, conversation or trace.
	NoIdentity
	// NoTime records have neither an event nor an observed time.
	NoTime
	// InContext records state a fact about the span whose context they carry;
	// the record itself is the evidence, so no span is made.
	InContext
	// AlreadyJoined records were joined by a collector before this one; their spans
	// come by themselves, maybe much later, and must not be made twice.
	AlreadyJoined
	// Late records reached a span that was already sent once and may not be
	// sent again.
	Late
	outcomes
)

// String returns the outcome's name in metrics.
func (o Outcome) String() string {
	return [...]string{"joined", "ignored", "no_identity", "no_time", "in_context", "already_joined", "late"}[o]
}

// Outcomes lists all outcomes.
func Outcomes() []Outcome {
	return []Outcome{Joined, Ignored, NoIdentity, NoTime, InContext, AlreadyJoined, Late}
}

// event is a record as this package sees it. It is reused for the next one.
type event struct {
	head

	attrs []attr // sorted by key, one a key

	seen  keySet
	found []attr          // in the record's order
	place [maxKeys]uint16 // of a seen key in found

	scratch []byte
}

// head is what the tree is built from.
type head struct {
	name  string
	rule  *rule
	time  int64 // the act ended then, Unix nanoseconds
	start int64 // time minus duration

	tenant, dialect, session, turn string
	trace                          pcommon.TraceID
	span                           pcommon.SpanID

	call, request, instance string
	parentInstance          string // of the agent that started the record's own
	parentCall              string // by which it did
	operation               string
}

// delegated reports whether the record says who began its agent: it is a sub-agent's.
func (h *head) delegated() bool { return h.parentInstance != "" || h.parentCall != "" }

// maxDuration bounds what is believed: longer than a year is a wrong unit.
const maxDuration = 365 * 24 * 3600.0

// read fills the event from a record.
func (e *event) read(lr plog.LogRecord, tenant string) Outcome {
	e.reset()
	e.tenant, e.name, e.rule = tenant, lr.EventName(), rules[lr.EventName()]
	if e.rule == nil {
		return Ignored
	}
	if v, ok := lr.Attributes().Get(semconv.AppEventJoined); ok && v.Bool() {
		return AlreadyJoined
	}
	if e.time = int64(lr.Timestamp()); e.time <= 0 {
		e.time = int64(lr.ObservedTimestamp())
	}
	if e.time <= 0 {
		return NoTime
	}
	e.trace = lr.TraceID()
	if !e.trace.IsEmpty() {
		e.span = lr.SpanID()
	}
	e.readAttributes(lr.Attributes())
	if e.session == "" && e.turn == "" && e.trace.IsEmpty() {
		return NoIdentity
	}
	if e.rule.act == actNote && !e.span.IsEmpty() {
		return InContext
	}
	return Joined
}

// reset clears what the last record left. The places stay: only those of seen
// keys count.
func (e *event) reset() {
	clear(e.attrs)
	clear(e.found)
	e.head = head{}
	e.attrs, e.found, e.seen = e.attrs[:0], e.found[:0], keySet{}
}

func (e *event) readAttributes(m pcommon.Map) {
	table := keys()
	e.start = e.time
	var conversation string
	var inferred pcommon.Value
	var marked bool
	for k, v := range m.All() {
		switch k {
		case semconv.AppEventDuration:
			e.readDuration(v)
			continue
		case semconv.GenAIOperationName:
			e.operation = v.Str()
			continue
		case semconv.AppMappingInferred:
			inferred, marked = v, true
			continue
		case semconv.AppSessionID:
			e.session = v.Str()
		case semconv.AppTurnID:
			e.turn = v.Str()
		case semconv.GenAIConversationID:
			conversation = v.Str()
		case semconv.AppMappingDialect:
			e.dialect = v.Str()
		case semconv.GenAIToolCallID:
			e.call = v.Str()
		case semconv.AppRequestID:
			e.request = v.Str()
		case semconv.AppAgentInstanceID:
			e.instance = v.Str()
		case semconv.AppAgentParentInstanceID:
			e.parentInstance = v.Str()
		case semconv.AppAgentParentCallID:
			e.parentCall = v.Str()
		}
		if i, ok := table.index[k]; ok {
			a := attr{key: i, time: e.time}
			if a.set(v) {
				e.add(a)
			}
		}
	}
	if e.session == "" {
		e.session = conversation
	}
	e.sort()
	if marked && inferred.Type() == pcommon.ValueTypeSlice {
		e.markInferred(inferred.Slice())
	}
}

// add takes in one attribute. Decoders let duplicate keys through: of those the
// one that beats the others stays.
func (e *event) add(a attr) {
	if !e.seen.has(a.key) {
		e.seen.add(a.key)
		e.place[a.key] = uint16(len(e.found))
		e.found = append(e.found, a)
		return
	}
	if old := &e.found[e.place[a.key]]; a.beats(old) {
		*old = a
	}
}

// sort puts the attributes in the order of their keys.
func (e *event) sort() {
	for w, word := range e.seen {
		for ; word != 0; word &= word - 1 {
			key := uint16(w*64 + bits.TrailingZeros64(word))
			e.attrs = append(e.attrs, e.found[e.place[key]])
		}
	}
}

func (e *event) markInferred(list pcommon.Slice) {
	for i := range list.Len() {
		if key, ok := keys().index[list.At(i).Str()]; ok {
			if a := find(e.attrs, key); a != nil {
				a.inferred = true
			}
		}
	}
}

func (e *event) readDuration(v pcommon.Value) {
	var seconds float64
	switch v.Type() {
	case pcommon.ValueTypeDouble:
		seconds = v.Double()
	case pcommon.ValueTypeInt:
		seconds = float64(v.Int())
	default:
		return
	}
	if !(seconds >= 0 && seconds <= maxDuration) {
		return
	}
	if ns := int64(math.Round(seconds * 1e9)); ns < e.time {
		e.start = e.time - ns
	}
}

// content is a digest of what the record says. It stands for an id where there
// is none, so that the same record sent twice is one span.
func (e *event) content() string {
	quiet := keys().quiet
	buf := make([]byte, 0, 512)
	buf = append(buf, e.name...)
	buf = binary.BigEndian.AppendUint64(buf, uint64(e.time))
	buf = binary.BigEndian.AppendUint64(buf, uint64(e.start))
	for i := range e.attrs {
		a := &e.attrs[i]
		if quiet[a.key] {
			continue
		}
		// Names, not places: a later version may copy more keys.
		name := keys().names[a.key]
		buf = binary.BigEndian.AppendUint32(buf, uint32(len(name)))
		buf = append(buf, name...)
		buf = append(buf, byte(a.kind))
		buf = binary.BigEndian.AppendUint64(buf, a.num)
		buf = binary.BigEndian.AppendUint32(buf, uint32(len(a.str)))
		buf = append(buf, a.str...)
	}
	sum := digest(string(buf))
	return string(sum[:])
}
