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
	t.settle()
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
	if t.root.dirty && !(once && t.root.sent) {
		t.writeRoot(out.spans(t.res).AppendEmpty())
		out.mark(t, &t.root)
	}
	waiting := t.dirty[:0]
	for _, a := range t.dirty {
		switch {
		case once && a.sent:
			a.dirty = false
		case a.waits() && !closing:
			waiting = append(waiting, a)
		default:
			t.write(a, out.spans(t.res).AppendEmpty())
			out.mark(t, a)
		}
	}
	clear(t.dirty[len(waiting):])
	t.dirty = waiting
}

// follow gives the turn its place in its session.
func (s *State) follow(t *turn) {
	if t.sess == nil || !t.named || !t.acting {
		return
	}
	next, changed := t.sess.place(turnMark{key: t.key, root: t.root.id, start: t.root.first, derived: t.derived})
	if !changed {
		return
	}
	if n := s.turns[next]; n != nil {
		s.resend(n)
	}
}

func (o *Output) mark(t *turn, a *act) {
	a.dirty, a.sent = false, true
	o.sent = append(o.sent, sentAct{t, a})
}

func (t *turn) writeRoot(span ptrace.Span) {
	a := &t.root
	t.frame(a, span, a.first, a.last)
	w := t.writer(a, span)
	if t.acting {
		w.operation(semconv.GenAIOperationNameInvokeAgent, a.str(places().agent), !t.started)
	} else {
		span.SetName("session") // facts of a session outside any turn
	}
	w.finish()
	if t.sess == nil {
		return
	}
	if prev, ok := t.sess.before(t.key); ok {
		link(span, prev.key.trace, prev.root, semconv.AppLinkRelationFollows)
	}
	if t.key.trace != t.derived {
		return
	}
	for _, part := range t.sess.members { // of the same turn, in traces of their own
		if part != t && part.derived == t.derived {
			link(span, part.key.trace, part.root.id, semconv.AppLinkRelationRelated)
		}
	}
}

// write writes the span of an act other than the root.
func (t *turn) write(a *act, span ptrace.Span) {
	begin, end := a.times()
	t.frame(a, span, begin, end)
	span.SetParentSpanID(a.parent)
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
	if a.failed {
		span.Status().SetCode(ptrace.StatusCodeError)
	}
	if a.extra == nil {
		return
	}
	for _, id := range a.extra.contexts {
		link(span, t.key.trace, id, semconv.AppLinkRelationRelated)
	}
	span.SetDroppedEventsCount(a.extra.dropped)
	for i := range a.extra.asides {
		x := &a.extra.asides[i]
		event := span.Events().AppendEmpty()
		event.SetName(x.name)
		event.SetTimestamp(pcommon.Timestamp(x.time))
		for j := range x.attrs {
			x.attrs[j].put(event.Attributes(), keys().names[x.attrs[j].key])
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
