package tail

import (
	"container/heap"
	"container/list"
	"time"
)

// arrive adds a piece to the run that one of its keys belongs to, and makes one
// run of all that its keys belong to.
func (s *State) arrive(p *Piece, now time.Time) {
	var r *pending
	for _, k := range p.Keys {
		if other := s.runs[k]; other != nil && other != r {
			r = s.union(r, other)
		}
	}
	if r == nil {
		r = s.open(p.Tenant)
	}
	for _, k := range p.Keys {
		if s.runs[k] == nil {
			s.own(r, k)
		}
	}
	if !r.queued() {
		r.first, r.last = now, now
		s.enqueue(r, s.young)
	}
	h := held{p.Block, uint32(len(p.Data)), p.ID, int32(p.Spans), int32(p.Records)}
	r.pieces = append(r.pieces, h)
	s.disk += h.disk()
	r.data += int64(h.n)
	s.note(r, &p.Digest)
	if r.spans == 0 && p.Spans > 0 {
		r.spanned = now
	}
	r.spans += p.Spans
	s.grow(r, p.Block.Held()+pieceOverhead)
	r.last = now
	s.touch(r)
	s.warmUp(r, p.ID != 0 && !p.Block.IsZero())
}

// recovered takes in a piece that an earlier process left. Its run waits for the longest
// wait from when it arrived, but as for anything new for the decision wait: senders that
// waited for this process have more of it. The clock of the earlier process may be off.
func (s *State) recovered(in *Recovered, now time.Time) {
	s.arrive(&in.Piece, now)
	since := now.Add(-max(min(now.Sub(in.Arrived), s.MaxWait-s.DecisionWait), 0))
	if r := s.runs[in.Piece.Keys[0]]; since.Before(r.first) {
		r.first = since
		if in.Piece.Spans > 0 && since.Before(r.spanned) {
			r.spanned = since
		}
		s.touch(r)
	}
}

func (s *State) open(tenant string) *pending {
	s.arrived++
	r := &pending{tenant: tenant, seq: s.arrived}
	s.grow(r, r.overhead())
	return r
}

// overhead is what a run costs beside its keys, its pieces and what is noted of them.
func (r *pending) overhead() int64 { return runOverhead + int64(len(r.tenant)) }

// note adds to what is known of a run.
func (s *State) note(r *pending, d *Digest) {
	before := r.digest.weight()
	r.digest.Add(d)
	s.grow(r, r.digest.weight()-before)
}

// enqueue gives a run a place in the orders.
func (s *State) enqueue(r *pending, home *list.List) {
	r.home, r.place = home, home.PushBack(r)
	heap.Push(&s.due, r)
}

// forget takes a run out of the orders; its keys and bytes are the caller's.
func (s *State) forget(r *pending) {
	heap.Remove(&s.due, r.heapIndex)
	r.home.Remove(r.place)
	r.home, r.place = nil, nil
	s.coolDown(r)
}

// own gives a run a key, and with it what was decided of the key before.
func (s *State) own(r *pending, k Key) {
	s.runs[k] = r
	r.keys = append(r.keys, k)
	s.grow(r, keyOverhead)
	if d, ok := s.decided.lookup(k); ok {
		r.inherit(d)
	}
}

func (r *pending) inherit(d Decision) {
	if r.prior != nil {
		d = better(*r.prior, d)
	}
	r.prior = &d
}

func (s *State) grow(r *pending, n int64) {
	r.bytes += n
	s.bytes += n
}

// union moves the run with fewer keys into the other.
func (s *State) union(a, b *pending) *pending {
	if a == nil {
		return b
	}
	if len(a.keys) < len(b.keys) {
		a, b = b, a
	}
	for _, k := range b.keys {
		s.runs[k] = a
	}
	a.keys = append(a.keys, b.keys...)
	if b.prior != nil {
		a.inherit(*b.prior)
	}
	s.settle(a, b)
	a.pieces = append(a.pieces, b.pieces...)
	s.note(a, &b.digest)
	a.spans += b.spans
	a.data += b.data
	a.jobs += b.jobs
	s.grow(a, b.bytes-b.overhead()-b.digest.weight())
	s.bytes -= b.bytes
	b.into, b.keys, b.pieces, b.bytes = a, nil, nil, 0
	return a
}

// settle gives the joined run the place of the older one among the runs of its
// home: alarmed if either was.
func (s *State) settle(a, b *pending) {
	switch {
	case !b.queued():
		return
	case !a.queued():
		a.first, a.last, a.spanned, a.seq = b.first, b.last, b.spanned, b.seq
		a.home = b.home
		a.place = b.home.InsertBefore(a, b.place)
		a.deadline = b.deadline
		heap.Push(&s.due, a)
		s.warmUp(a, b.warm != nil)
		s.forget(b)
		return
	}
	home := a.home
	if b.home == s.alarmed {
		home = s.alarmed
	}
	older := a
	if b.first.Before(a.first) {
		older = b
	}
	switch {
	case older.home == home && older != a:
		at := home.InsertBefore(a, b.place)
		a.home.Remove(a.place)
		a.home, a.place = home, at
	case a.home != home:
		s.moveTo(a, home)
	}
	if b.first.Before(a.first) {
		a.first = b.first
	}
	if a.spans == 0 || b.spans > 0 && b.spanned.Before(a.spanned) {
		a.spanned = b.spanned
	}
	s.warmUp(a, b.warm != nil)
	s.forget(b)
}

func (s *State) moveTo(r *pending, home *list.List) {
	r.home.Remove(r.place)
	r.home, r.place = home, home.PushBack(r)
}
