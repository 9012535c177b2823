package synth

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// meet finds the span that the agent itself sent for an act. A span that was
// made of records once stays: two are worse than one that knows less.
func (s *State) meet(t *turn, a *act) *real {
	if a.real != nil || a.sent || s.set.Contexts != Auto || len(s.heard.byKey) == 0 {
		return a.real
	}
	if a == &t.root {
		a.real = s.meetRoot(t)
	} else if a.kind != actNote {
		if a.real = s.meetByID(t, a); a.real == nil {
			a.real = s.meetByTime(t, a)
		}
	}
	return a.real
}

func (s *State) meetRoot(t *turn) *real {
	if t.named {
		if r := s.heard.byKey[actKey(t.tenant, t.session, idTurn, t.turnID)]; r != nil {
			return r
		}
	}
	if t.own() {
		return s.heard.byKey[rootKey(t.tenant, t.key.trace)]
	}
	for _, a := range t.acts { // the records have no trace, but one of them met a span that has
		if a.real != nil {
			if r := s.heard.byKey[rootKey(t.tenant, a.real.trace)]; r != nil && r.start <= a.real.start {
				return r
			}
		}
	}
	return nil
}

func (s *State) meetByID(t *turn, a *act) *real {
	if call := a.call(); call != "" {
		kind := idOf(a.kind)
		if t.session != "" {
			if r := s.heard.byKey[actKey(t.tenant, t.session, kind, call)]; r != nil {
				return r
			}
		}
		if t.own() {
			if r := s.heard.byKey[actKey(t.tenant, string(t.key.trace[:]), kind, call)]; r != nil {
				return r
			}
		}
	}
	if a.extra == nil {
		return nil
	}
	for _, id := range a.extra.contexts {
		if r := s.heard.byKey[spanKey(t.tenant, t.key.trace, id)]; r != nil && r.kind == a.kind && !contradicts(r, a) && !s.around(t, a, r) {
			return r
		}
	}
	return nil
}

// around reports whether the span is that of the whole turn: a sub-agent's record
// carries the context of the agent that it works for.
func (s *State) around(t *turn, a *act, r *real) bool {
	return a.kind == actAgent && (r.parent.IsEmpty() || r == s.meetRoot(t))
}

// meetByTime joins an act and a span that have no id in common: of one kind and
// subject, ending at one moment. It is a guess, and the span says so.
func (s *State) meetByTime(t *turn, a *act) *real {
	begin, end := a.times()
	if !a.closed {
		return nil
	}
	call := a.call()
	for _, r := range s.heard.recent[short(t.tenant, t.dialect)] {
		if r.claimed || r.kind != a.kind || call != "" && r.call != "" && call != r.call || contradicts(r, a) || r.session != "" && t.session != "" && r.session != t.session ||
			t.own() && r.trace != t.key.trace || s.around(t, a, r) || distance(r.end, end) > sameMoment || begin < end && distance(r.start, begin) > 2*sameMoment {
			continue
		}
		r.claimed, a.guessed = true, true
		return r
	}
	return nil
}

func distance(a, b int64) int64 { return max(a-b, b-a) }

// contradicts reports whether the span is of another tool, model or agent.
func contradicts(r *real, a *act) bool {
	subject := a.subject()
	if a.kind == actInference {
		subject = a.str(places().requestModel)
	}
	return subject != "" && r.subject != "" && subject != r.subject
}

// holds reports whether an act waits for a span that the agent may send itself.
func (s *State) holds(t *turn, a *act) bool {
	if s.set.Contexts != Auto || !s.set.Listens || a.kind == actNote || a.sent || s.meet(t, a) != nil {
		return false
	}
	session := s.voice(t.voiceKey())
	dialect := s.voice(short("dialect", t.tenant, t.dialect))
	trace := t.own() && s.voice(short("trace", t.tenant, string(t.key.trace[:]))).speaks
	switch {
	case session.speaks || trace:
	case session.silent:
		return false
	case a.extra == nil && dialect.silent && !dialect.speaks:
		return false
	}
	if a.held == 0 {
		a.held = s.now
	}
	if s.now-a.held < int64(s.set.Wait) {
		if !t.holding {
			t.holding, t.heldAt = true, s.now
			s.held = append(s.held, t)
		}
		return true
	}
	if !session.speaks && !trace {
		session.silent, dialect.silent = true, true
	}
	return false
}

func (t *turn) voiceKey() [16]byte { return short(t.tenant, t.dialect, t.session) }

// own reports whether the turn's records came with a trace of their own.
func (t *turn) own() bool { return t.key.group != [8]byte{} }

// wake looks at a turn again whose spans have come.
func (s *State) wake(t *turn) {
	if len(t.dirty) == 0 && !t.root.dirty || t.batch == s.count {
		return
	}
	t.batch = s.count
	s.batch = append(s.batch, t)
}

// release lets go of what waited long enough.
func (s *State) release(out *Output) {
	for len(s.held) > 0 && s.now-s.held[0].heldAt >= int64(s.set.Wait) {
		t := s.held[0]
		s.held = s.held[1:]
		t.holding = false
		if s.turns[t.key] == t {
			s.send(t, out, false)
		}
	}
}

// home is where an act without a span of the agent's own hangs: below the real
// span of its parent, in that one's trace.
func (t *turn) home(parent pcommon.SpanID) (pcommon.TraceID, pcommon.SpanID) {
	up := &t.root
	if parent != t.root.id {
		if up = t.find(parent); up == nil {
			return t.key.trace, parent
		}
	}
	if up.real != nil {
		return up.real.trace, up.real.span
	}
	if t.root.real != nil {
		return t.root.real.trace, parent
	}
	return t.key.trace, parent
}

// addTo writes what records add to a span of the agent's own: its tree, times
// and name stay, and what it says itself.
func (t *turn) addTo(a *act, span ptrace.Span) {
	r := a.real
	span.SetTraceID(r.trace)
	span.SetSpanID(r.span)
	span.SetParentSpanID(r.parent)
	span.SetName(r.name)
	span.SetKind(r.spanKind)
	span.SetStartTimestamp(pcommon.Timestamp(r.start))
	span.SetEndTimestamp(pcommon.Timestamp(r.end))
	span.Status().SetCode(r.status)
	if a.errored() {
		span.Status().SetCode(ptrace.StatusCodeError)
	}
	if a.extra != nil {
		a.extra.write(span)
	}
	w := t.writer(a, span)
	if a.kind == actTool && !a.refused() { // whether a refused call ran is what its span shows
		w.enforced()
	}
	span.Attributes().RemoveIf(func(k string, _ pcommon.Value) bool {
		i, ok := keys().index[k]
		return ok && r.has.has(i)
	})
	w.inferred = slices.DeleteFunc(w.inferred, func(name string) bool {
		_, written := span.Attributes().Get(name)
		return !written
	})
	if a.guessed {
		for name := range span.Attributes().All() {
			w.inferred = append(w.inferred, name)
		}
	}
	w.inferred = append(w.inferred, r.inferred...)
	w.finish()
}
