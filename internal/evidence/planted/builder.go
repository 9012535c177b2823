package planted

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

const ms = int64(1e6)

// start is an arbitrary moment.
const start = int64(1_790_000_000) * 1e9

// builder writes a run act by act on one clock, so that no two steps end together.
type builder struct {
	rnd     *dice
	seed    uint64
	prefix  string
	now     int64
	n       int
	agents  []string
	used    map[string]bool
	traces  int
	want    int // traces
	spans   []*evidence.Span
	records []evidence.Record
	tasks   int
	truth   Truth
	decoys  bool
	rootAt  *evidence.Span
	claimed string // of the root task, at the end
	inDecoy bool
	excused Decoys
	faults  map[evidence.StepID]bool
}

func newBuilder(seed uint64, rnd *dice, prefix string) *builder {
	b := &builder{rnd: rnd, seed: seed, prefix: prefix, now: start, used: map[string]bool{}, faults: map[evidence.StepID]bool{}, decoys: true,
		excused: Decoys{map[evidence.StepID]bool{}, map[evidence.RecordID]bool{}}}
	b.want = 3 + rnd.IntN(6)
	for i := range 1 + rnd.IntN(4) {
		b.agents = append(b.agents, fmt.Sprintf("agent-%d", i+1))
	}
	b.truth.Result = evidence.ResultClean
	return b
}

func (b *builder) chance(of int) bool         { return b.rnd.IntN(of) == 0 }
func (b *builder) pick(list ...string) string { return list[b.rnd.IntN(len(list))] }
func (b *builder) tick() int64                { b.now += (1 + b.rnd.Int64N(40)) * ms; return b.now }
func (b *builder) id(kind string) string {
	b.n++
	return fmt.Sprintf("%s-%s-%d-%d", kind, b.prefix, b.seed, b.n)
}
func (b *builder) agent() string      { return b.agents[b.rnd.IntN(len(b.agents))] }
func set(s *evidence.Span, kv ...any) { put(s.Attrs, kv...) }
func put(a evidence.Attrs, kv ...any) {
	for i := 0; i < len(kv); i += 2 {
		a[kv[i].(string)] = kv[i+1]
	}
}

func (b *builder) newTask() string {
	b.tasks++
	return fmt.Sprintf("%s-%d-%d", b.prefix, b.seed, b.tasks)
}

func (b *builder) stepID(trace evidence.TraceID) evidence.StepID {
	b.n++
	id := evidence.StepID{Trace: trace}
	binary.BigEndian.PutUint32(id.Span[:], uint32(b.n))
	copy(id.Span[4:], b.prefix+"pad")
	return id
}

// trace opens a trace with its root, which ends in close.
func (b *builder) trace(op, name, task string, kv ...any) *evidence.Span {
	b.traces++
	var t evidence.TraceID
	binary.BigEndian.PutUint64(t[:], b.seed+1)
	binary.BigEndian.PutUint32(t[8:], uint32(b.traces))
	copy(t[12:], b.prefix+"pad")
	s := b.add(evidence.StepID{Trace: t}, evidence.SpanID{}, op, name)
	if task != "" {
		set(s, semconv.AppTaskID, task)
	}
	set(s, kv...)
	return s
}

// open begins a step below another.
func (b *builder) open(parent *evidence.Span, op, name string, kv ...any) *evidence.Span {
	s := b.add(evidence.StepID{Trace: parent.ID.Trace}, parent.ID.Span, op, name)
	if t := parent.Attrs.Str(semconv.AppTaskID); t != "" && b.chance(2) {
		set(s, semconv.AppTaskID, t)
	}
	set(s, kv...)
	return s
}

func (b *builder) add(id evidence.StepID, parent evidence.SpanID, op, name string) *evidence.Span {
	id = b.stepID(id.Trace)
	s := &evidence.Span{ID: id, Parent: parent, Name: op + " " + name, Kind: "internal", Start: b.tick(), Status: evidence.StatusUnset,
		Service: "svc", Attrs: evidence.Attrs{}, Resource: evidence.Attrs{}}
	switch op {
	case "invoke_agent":
		set(s, semconv.GenAIOperationName, op, semconv.GenAIAgentName, name)
		b.used[name] = true
	case "execute_tool":
		set(s, semconv.GenAIOperationName, op, semconv.GenAIToolName, name, semconv.GenAIToolCallID, b.id("call"))
	case "chat", "plan":
		set(s, semconv.GenAIOperationName, op)
	default:
		s.Name = name
	}
	b.spans = append(b.spans, s)
	if b.inDecoy {
		b.excused.Steps[s.ID] = true
	}
	return s
}

// close ends a step well; fail ends it in error.
func (b *builder) close(s *evidence.Span) *evidence.Span {
	s.End = b.tick()
	if b.chance(2) {
		s.Status = evidence.StatusOK
	}
	return s
}

func (b *builder) fail(s *evidence.Span, errorType string) *evidence.Span {
	s.End, s.Status = b.tick(), evidence.StatusError
	if errorType != "" {
		set(s, semconv.ErrorType, errorType)
	}
	return s
}

// end closes or fails.
func (b *builder) end(s *evidence.Span, failed bool) {
	if failed {
		b.fail(s, b.pick("", "agent_failed", "exception"))
		return
	}
	b.close(s)
}

func link(s *evidence.Span, relation string, to *evidence.Span) {
	s.Links = append(s.Links, evidence.Link{To: to.ID, Relation: relation})
}

// say states facts about a step by one of the carriers.
func (b *builder) say(s *evidence.Span, event string, kv ...any) {
	a := evidence.Attrs{}
	put(a, kv...)
	switch b.rnd.IntN(3) {
	case 0:
		set(s, kv...)
	case 1:
		s.Events = append(s.Events, evidence.SpanEvent{Time: b.tick(), Name: event, Attrs: a})
	default:
		b.record(s, event, kv...)
	}
}

// record states facts in a log record, in the context of a step if there is one.
func (b *builder) record(s *evidence.Span, event string, kv ...any) {
	a := evidence.Attrs{}
	put(a, kv...)
	r := evidence.Record{Time: b.tick(), Event: event, Attrs: a, Service: "svc"}
	if s != nil {
		r.Step = s.ID
	}
	b.n++
	binary.BigEndian.PutUint64(r.ID[:], b.seed+1)
	binary.BigEndian.PutUint32(r.ID[8:], uint32(b.n))
	b.records = append(b.records, r)
	if b.inDecoy {
		b.excused.Records[r.ID] = true
	}
}

// blame says what the truth is.
func (b *builder) blame(s *evidence.Span, agent, layer, class string, proved bool) {
	b.faults[s.ID] = true
	b.truth = Truth{Result: evidence.ResultStep, Step: s.ID, Agent: agent, Layer: layer, Class: class, Proved: proved}
}

func (b *builder) unknown() { b.truth = Truth{Result: evidence.ResultUnknown} }

// skewClocks moves the clocks of all traces but the first.
func (b *builder) skewClocks() {
	first := b.spans[0].ID.Trace
	by := map[evidence.TraceID]int64{}
	off := func(t evidence.TraceID) int64 {
		if t == first || t == (evidence.TraceID{}) {
			return 0
		}
		if _, ok := by[t]; !ok {
			by[t] = (b.rnd.Int64N(2*86400) - 86400) * 1000 * ms
		}
		return by[t]
	}
	for _, s := range b.spans {
		d := off(s.ID.Trace)
		s.Start, s.End = s.Start+d, s.End+d
		for i := range s.Events {
			s.Events[i].Time += d
		}
	}
	for i := range b.records {
		b.records[i].Time += off(b.records[i].Step.Trace)
	}
}

func (b *builder) finish(name string) Incident {
	in := Incident{Name: name, Truth: b.truth, Faults: b.faults, Decoys: b.excused, Traces: b.traces, Agents: len(b.used)}
	for _, s := range b.spans {
		if s.End == 0 {
			panic("planted: a step was not ended: " + s.Name)
		}
		in.Run.Spans = append(in.Run.Spans, *s)
	}
	in.Run.Records = slices.Clone(b.records)
	return in
}
