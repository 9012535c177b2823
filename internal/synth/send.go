package synth

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// send writes those spans of a turn that are due. Closing says that the turn is
// over: what still waits goes out as it stands.
func (s *State) send(t *turn, out *Output, closing bool) {
	s.save(t)
	t.settle()
	s.resume(t)
	s.follow(t)
	if t.ended && t.queue == &s.open {
		t.leave()
		s.ending.push(t)
	}
	defer s.thin(t, out)
	if s.set.Mode == Closed && !closing {
		return
	}
	once := s.set.Mode == Closed
	for _, a := range t.dirty { // the root may be known by them
		s.meet(t, a)
	}
	if s.meet(t, &t.root); t.root.dirty && !(once && t.root.sent) && (closing || !s.holds(t, &t.root)) {
		t.writeRoot(out.spans(t.res).AppendEmpty())
		out.mark(t, &t.root)
	}
	waiting := t.dirty[:0]
	for _, a := range t.dirty {
		switch {
		case once && a.sent:
			a.dirty = false
		case !closing && (a.waits() || s.holds(t, a)):
			waiting = append(waiting, a)
		default:
			t.write(a, out.spans(t.res).AppendEmpty())
			out.mark(t, a)
		}
	}
	clear(t.dirty[len(waiting):])
	t.dirty = waiting
}

// resume finds the turn that one which says that it resumes its task goes on from:
// the latest one of that task before it, of whatever session.
func (s *State) resume(t *turn) {
	p := places()
	id := t.root.str(p.task)
	if id == "" || !t.acting {
		return
	}
	key := short("task", t.tenant, id)
	last, known := s.tasks[key]
	if known && t.resumes == nil && last.derived != t.derived && last.start <= t.root.first && t.root.str(p.phase) == semconv.AppTaskPhaseResume {
		t.resumes = &last
	}
	if known && last.start > t.root.first {
		return
	}
	if len(s.tasks) >= maxTasks {
		clear(s.tasks)
	}
	s.tasks[key] = turnMark{key: t.key, trace: t.rootTrace(), root: t.rootSpan(), start: t.root.first, derived: t.derived}
}

// follow gives the turn its place in its session.
func (s *State) follow(t *turn) {
	if t.sess == nil || !t.named || !t.acting {
		return
	}
	mark := turnMark{key: t.key, trace: t.rootTrace(), root: t.rootSpan(), start: t.root.first, derived: t.derived, sub: t.root.facts.has(places().delegated)}
	for _, next := range t.sess.place(mark) {
		if n := s.turns[next]; n != nil {
			s.resend(n)
		}
	}
}

func (o *Output) mark(t *turn, a *act) {
	a.dirty, a.sent = false, true
	o.sent = append(o.sent, sentAct{t, a})
}

func (t *turn) writeRoot(span ptrace.Span) {
	a := &t.root
	if a.real != nil {
		t.addTo(a, span)
		t.linkTurns(span)
		return
	}
	t.frame(a, span, a.first, a.last)
	w := t.writer(a, span)
	if t.acting {
		w.operation(semconv.GenAIOperationNameInvokeAgent, a.str(places().agent), !t.started)
	} else {
		span.SetName("session") // facts of a session outside any turn
	}
	w.finish()
	t.linkTurns(span)
}

// linkTurns links a root to the turn before it and to the other parts of its own.
func (t *turn) linkTurns(span ptrace.Span) {
	if t.resumes != nil {
		link(span, t.resumes.trace, t.resumes.root, semconv.AppLinkRelationContinues)
	}
	if t.sess == nil {
		return
	}
	if prev, relation := t.sess.before(t.key); relation != "" && (t.resumes == nil || t.resumes.derived != prev.derived) {
		link(span, prev.trace, prev.root, relation)
	}
	if t.key.trace != t.derived {
		return
	}
	for _, part := range t.sess.members { // of the same turn, in traces of their own
		if part != t && part.derived == t.derived && part.rootSpan() != t.rootSpan() {
			link(span, part.rootTrace(), part.rootSpan(), semconv.AppLinkRelationRelated)
		}
	}
}

// write writes the span of an act other than the root.
func (t *turn) write(a *act, span ptrace.Span) {
	if a.real != nil {
		t.addTo(a, span)
		return
	}
	begin, end := a.times()
	t.frame(a, span, begin, end)
	trace, parent := t.home(a.parent)
	span.SetTraceID(trace)
	span.SetParentSpanID(parent)
	w := t.writer(a, span)
	p := places()
	switch a.kind {
	case actInference:
		span.SetKind(ptrace.SpanKindClient)
		op := a.operation
		if op == "" {
			op = semconv.GenAIOperationNameChat
		}
		model := a.str(p.requestModel)
		if model == "" {
			model = a.str(p.responseModel)
		}
		w.operation(op, model, false)
	case actTool:
		w.operation(semconv.GenAIOperationNameExecuteTool, a.str(p.tool), false)
		w.enforced()
	case actAgent:
		w.operation(semconv.GenAIOperationNameInvokeAgent, a.str(p.agent), a.implied)
	case actNote:
		span.SetName(a.noteName())
	}
	w.finish()
}

// frame writes what all spans have.
func (t *turn) frame(a *act, span ptrace.Span, begin, end int64) {
	span.SetTraceID(t.key.trace)
	span.SetSpanID(a.id)
	span.SetKind(ptrace.SpanKindInternal)
	span.SetStartTimestamp(pcommon.Timestamp(begin))
	span.SetEndTimestamp(pcommon.Timestamp(end))
	if a.errored() {
		span.Status().SetCode(ptrace.StatusCodeError)
	}
	if a.extra == nil {
		return
	}
	for _, id := range a.extra.contexts {
		link(span, t.key.trace, id, semconv.AppLinkRelationRelated)
	}
	a.extra.write(span)
}

func (t *turn) rootTrace() pcommon.TraceID {
	if t.root.real != nil {
		return t.root.real.trace
	}
	return t.key.trace
}

func (t *turn) rootSpan() pcommon.SpanID {
	if t.root.real != nil {
		return t.root.real.span
	}
	return t.root.id
}

// write writes the records that became span events.
func (x *extra) write(span ptrace.Span) {
	span.SetDroppedEventsCount(x.dropped)
	for i := range x.asides {
		x := &x.asides[i]
		event := span.Events().AppendEmpty()
		event.SetName(x.name)
		event.SetTimestamp(pcommon.Timestamp(x.time))
		for r := x.facts.read(); r.next(); {
			r.put(event.Attributes(), keys().names[r.key])
		}
	}
}

func link(span ptrace.Span, trace pcommon.TraceID, id pcommon.SpanID, relation string) {
	l := span.Links().AppendEmpty()
	l.SetTraceID(trace)
	l.SetSpanID(id)
	l.Attributes().PutStr(semconv.AppLinkRelation, relation)
}

func (a *act) noteName() string {
	i, ok := keys().index[a.rule.detail]
	if !ok {
		return a.rule.label
	}
	return strings.TrimSpace(a.rule.label + " " + a.str(i))
}
