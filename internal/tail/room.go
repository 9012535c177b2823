package tail

import (
	"container/list"
	"time"
)

// reserve grants room for a batch. Where there is none it decides early: first
// the runs that nothing protects, oldest first; then, if the next component
// takes them, the protected ones. None is dropped without a look at its class,
// if it can have one.
//
// While too much of what was decided waits for its hands, the sender waits too: it
// brings more only at the rate of what comes back. One that waits no longer takes the room of
// dropped runs that wait to be stowed, so that no batch is refused for them.
//
// A batch larger than the whole budget passes when nothing else is held, so that
// no sender is refused for ever.
func (s *State) reserve(in Reserve, now time.Time) []Effect {
	var out []Effect
	n := in.Bytes
	for spans := 0; !s.fits(n) && (in.Last || !s.willFit(n)); {
		if in.Last && len(s.shelf) > 0 {
			out = s.notStowed(out)
			continue
		}
		r, known := s.oldest()
		if r == nil || known && r.spans > 0 && !s.canSend(now) || !in.Last && s.owes(now) {
			break
		}
		if spans >= quota {
			return append(out, More{})
		}
		if !r.digest.Clues.Alarm() {
			spans += r.spans + len(r.pieces)
			before := s.waiting(now)
			out = s.decide(out, r, AtMemory, now)
			s.charge(before, now)
			continue
		}
		if !s.free() || s.onItsWay(r) {
			break
		}
		j := s.take(r, AtMemory)
		j.look = !known
		out = s.judge(out, j)
	}
	if s.fits(n) {
		s.reserved += n
		return append(out, Granted{InMemory: s.DiskBytes == 0 || s.bytes+s.reserved <= s.MemoryBytes})
	}
	out = s.handOut(out, now)
	if s.busy() > 0 {
		return append(out, Wait{})
	}
	return append(out, Full{})
}

// fits: with a log what counts is its size, and that the index is not larger than
// the budget of memory; pieces are in memory as far as there is room.
func (s *State) fits(n int64) bool {
	if s.DiskBytes == 0 {
		held := s.bytes + s.reserved
		return held == 0 || held+n <= s.MemoryBytes
	}
	s.spillFor(s.reserved + n)
	held := s.disk + s.reserved
	return held == 0 || held+n <= s.DiskBytes && s.bytes <= s.MemoryBytes
}

// willFit reports whether there is room as soon as what is out, or waits to be stowed,
// has left.
func (s *State) willFit(n int64) bool {
	if s.DiskBytes == 0 {
		held := s.bytes + s.reserved - s.leaving
		return s.leaving > 0 && held+n <= s.MemoryBytes
	}
	soon := s.leaving + s.shelved
	held := s.disk + s.reserved - soon
	return soon > 0 && held+n <= s.DiskBytes && s.bytes <= s.MemoryBytes
}

// Urgent reports whether pieces, or the runs that they belong to, have or may have a
// class, so that they must be on the disk before they are acknowledged.
func (s *State) Urgent(pieces []Piece) bool {
	for i := range pieces {
		if pieces[i].Digest.Clues.Alarm() {
			return true
		}
		for _, k := range pieces[i].Keys {
			if r := s.runs[k]; r != nil {
				if r.jobs > 0 || r.digest.Clues.Alarm() || r.prior != nil && r.prior.Keep {
					return true
				}
			} else if d, ok := s.decided.lookup(k); ok && d.Keep {
				return true
			}
		}
	}
	return false
}

// oldest is the run to decide early, and whether it is known to be protected. One of
// which a job is out waits for that; there are no more of these than hands.
func (s *State) oldest() (r *pending, known bool) {
	for _, home := range []*list.List{s.young, s.alarmed} {
		for e := home.Front(); e != nil; e = e.Next() {
			if r = e.Value.(*pending); r.jobs == 0 {
				return r, home == s.alarmed
			}
		}
	}
	return nil, false
}
