package synth

import (
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Reason says why a turn was closed.
type Reason int

const (
	// Ended turns stated their end.
	Ended Reason = iota
	// Idle turns had no record for a while.
	Idle
	// Evicted turns had to make room.
	Evicted
	// Stopped turns were open when the caller stopped.
	Stopped
	reasons
)

// String returns the reason's name in metrics.
func (r Reason) String() string { return [...]string{"ended", "idle", "evicted", "shutdown"}[r] }

// Reasons lists all reasons.
func Reasons() []Reason { return []Reason{Ended, Idle, Evicted, Stopped} }

// Output is what a call asks its caller to do and to count.
type Output struct {
	Traces  ptrace.Traces
	Records [outcomes]int64
	Closed  [reasons]int64

	state *State
	group map[*resource]ptrace.SpanSlice
	sent  []sentAct
}

type sentAct struct {
	t *turn
	a *act
}

func (s *State) newOutput() Output {
	return Output{Traces: ptrace.NewTraces(), state: s}
}

// spans returns the list that a turn's spans go to.
func (o *Output) spans(r *resource) ptrace.SpanSlice {
	if list, ok := o.group[r]; ok {
		return list
	}
	rs := o.Traces.ResourceSpans().AppendEmpty()
	r.attrs.CopyTo(rs.Resource().Attributes())
	rs.SetSchemaUrl(r.url)
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName(o.state.set.Scope)
	ss.Scope().SetVersion(o.state.set.ScopeVersion)
	if o.group == nil {
		o.group = map[*resource]ptrace.SpanSlice{}
	}
	o.group[r] = ss.Spans()
	return ss.Spans()
}

// Tick closes the turns that are over and forgets the ones nobody will add to.
func Tick(s *State, now time.Time) Output {
	out := s.newOutput()
	s.now = now.UnixNano()
	s.release(&out)
	s.heard.expire(s, now.Add(-s.set.Keep).UnixNano())
	s.closeOlder(&s.ending, now.Add(-s.set.Settle), Ended, &out)
	s.closeOlder(&s.open, now.Add(-s.set.Idle), Idle, &out)
	for t := s.settled.oldest; t != nil && t.touched <= now.Add(-s.set.Keep).UnixNano(); t = s.settled.oldest {
		s.drop(t)
	}
	return out
}

func (s *State) closeOlder(q *queue, limit time.Time, why Reason, out *Output) {
	for t := q.oldest; t != nil && t.touched <= limit.UnixNano(); t = q.oldest {
		s.close(t, why, out)
	}
}

func (s *State) close(t *turn, why Reason, out *Output) {
	s.send(t, out, true)
	t.leave()
	s.settled.push(t)
	s.save(t)
	out.Closed[why]++
}

// Stop closes all turns.
func Stop(s *State) Output {
	out := s.newOutput()
	for _, q := range []*queue{&s.ending, &s.open} {
		for t := q.oldest; t != nil; t = q.oldest {
			s.close(t, Stopped, &out)
		}
	}
	return out
}

// Flush sends what waits as it stands and leaves the turns open, for a caller that
// stops and keeps the state: a store that unites spans gets the rest later. Where
// each span goes out once, nothing is sent.
func Flush(s *State) Output {
	out := s.newOutput()
	if s.set.Mode == Closed {
		return out
	}
	for _, q := range []*queue{&s.ending, &s.open} {
		for t := q.oldest; t != nil; {
			next := t.next // sending may put the turn into another queue
			s.send(t, &out, true)
			t = next
		}
	}
	return out
}

// Trim makes room without taking anything in: a caller whose last delivery did
// not succeed asks for it first, so that an outage cannot grow the state by
// more than one batch.
func Trim(s *State) Output {
	out := s.newOutput()
	s.shrink(&out)
	return out
}

// Full reports whether the state holds more than its limits.
func (s *State) Full() bool {
	return len(s.turns) > s.set.MaxTurns || s.bytes > s.set.MaxBytes
}

// shrink evicts turns until the state is inside its limits, those first that
// are only remembered.
func (s *State) shrink(out *Output) {
	for s.Full() && len(s.turns) > 0 {
		t := s.settled.oldest
		if t == nil {
			if t = s.ending.oldest; t == nil {
				t = s.open.oldest
			}
			s.send(t, out, true)
			out.Closed[Evicted]++
		}
		s.drop(t)
	}
}

// Restore undoes what an output that could not be delivered marked as sent.
// The turns are due again at the next tick, or with the same records when the
// sender repeats them.
func Restore(o Output) {
	s := o.state
	for _, x := range o.sent {
		x.a.sent = false
		if x.a != &x.t.root {
			x.t.mark(x.a)
		}
		x.t.root.dirty = true
		if s.turns[x.t.key] == nil {
			s.restore(x.t)
		}
		if x.t.queue == &s.settled {
			x.t.leave()
			s.ending.push(x.t)
		}
	}
}

// restore takes an evicted turn back.
func (s *State) restore(t *turn) {
	s.turns[t.key] = t
	if t.own() {
		s.traced[t.key.trace] = append(s.traced[t.key.trace], t)
	}
	s.bytes += int64(t.bytes)
	if t.res.turns++; t.res.turns == 1 {
		s.resources[t.res.id] = t.res
		s.bytes += int64(t.res.size)
	}
	if t.sess != nil {
		if t.sess.members = append(t.sess.members, t); len(t.sess.members) == 1 {
			s.sessions[t.sess.key] = t.sess
			s.bytes += sessionSize
		}
	}
	s.ending.push(t)
}
