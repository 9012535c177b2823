package tail

import (
	"slices"
	"time"
)

const (
	// handBytes is how much may wait for each hand, so that many large runs are never
	// decoded at one time.
	handBytes = 256 << 10
	// shelves bounds the dropped runs that wait to be stowed.
	shelves = 1024
	// backlog is how many parcels and dropped runs may wait before whoever brings more
	// has to wait for them.
	backlog = shelves / 2
)

// free reports whether a job or parcel can be handed out.
func (s *State) free() bool {
	n := s.busy()
	return n < s.Parallel || n < s.Parallel*s.Handful && s.leaving < int64(s.Parallel)*handBytes
}

// handOut hands out what waits as far as hands are free, parcels and dropped runs in
// turn, so that neither waits for all of the others. When too many dropped runs wait,
// the oldest are not stowed.
func (s *State) handOut(out []Effect, now time.Time) []Effect {
	sent, shelved := 0, 0
	for s.free() {
		send, stow := sent < len(s.outbox) && s.canSend(now), shelved < len(s.shelf)
		if !send && !stow {
			break
		}
		s.stowNext = stow && (s.stowNext || !send)
		if s.stowNext {
			out = append(out, s.stow(s.shelf[shelved]))
			s.shelf[shelved] = nil
			shelved++
		} else {
			s.outbox[sent].waits = false
			out = append(out, s.send(s.outbox[sent]))
			s.outbox[sent] = nil
			sent++
		}
		s.stowNext = !s.stowNext
	}
	s.outbox, s.shelf = s.outbox[sent:], s.shelf[shelved:]
	for len(s.shelf) > shelves {
		out = s.notStowed(out)
	}
	return out
}

func (s *State) send(p *Parcel) Send {
	s.inFlight++
	s.out[p] = true
	s.leave(p.pieces, 1)
	return Send{p}
}

func (s *State) stow(j *Job) Stow {
	s.stowing[j] = true
	s.shelved -= onDisk(j.pieces)
	s.leave(j.pieces, 1)
	return Stow{j}
}

// shelve has a dropped run wait to be stowed.
func (s *State) shelve(j *Job) {
	s.shelf = append(s.shelf, j)
	s.shelved += onDisk(j.pieces)
}

// notStowed gives up the dropped run that waits for longest.
func (s *State) notStowed(out []Effect) []Effect {
	j := s.shelf[0]
	s.shelf[0] = nil
	s.shelf = s.shelf[1:]
	s.shelved -= onDisk(j.pieces)
	return s.drop(append(out, NotStowed{j.spans}), j.pieces, j.bytes)
}

func onDisk(pieces []held) (n int64) {
	for _, p := range pieces {
		n += p.disk()
	}
	return n
}

// back takes in the answer to work that was out.
func (s *State) back(out []Effect, answer Input, now time.Time) []Effect {
	switch in := answer.(type) {
	case Judged:
		return s.judged(out, in, now)
	case Delivered:
		s.credit = min(s.credit+1, backlog)
		return s.delivered(out, in.Parcel)
	case Failed:
		return s.failed(out, &in, now)
	case Stowed:
		s.credit = min(s.credit+1, backlog)
		delete(s.stowing, in.Job)
		s.leave(in.Job.pieces, -1)
		return s.drop(out, in.Job.pieces, in.Job.bytes)
	}
	return out
}

// onItsWay reports whether what a run would be brought back from is just being stowed:
// a look for it now would not find it.
func (s *State) onItsWay(r *pending) bool {
	if r.prior == nil || r.prior.Keep {
		return false
	}
	for j := range s.stowing {
		if slices.ContainsFunc(j.keys, func(k Key) bool { return s.runs[k] == r }) {
			return true
		}
	}
	return false
}

// limboIsBehind reports whether an ordinary run waits on, so that as many as come due at
// once, such as all after a start, can be brought back. It does not for longer than the
// decision wait: what does not rest for so long is not stowed.
func (s *State) limboIsBehind(r *pending, now time.Time) bool {
	return len(s.shelf) >= backlog && !s.draining && !r.digest.Clues.Alarm() && now.Before(r.deadline.Add(s.DecisionWait))
}

// waiting is how much of what was decided waits for a hand that would take it.
func (s *State) waiting(now time.Time) int {
	if s.canSend(now) {
		return len(s.outbox) + len(s.shelf)
	}
	return len(s.shelf)
}

// owes reports whether no run is decided early before more work has come back: with a
// log neither memory nor disk would be short before far too much waits. Above the mark
// two have to come back for each that joins, so that the backlog shrinks while senders go on.
func (s *State) owes(now time.Time) bool {
	return s.DiskBytes > 0 && s.waiting(now) >= backlog && s.credit < 2
}

// charge is for what early decisions add to the backlog.
func (s *State) charge(before int, now time.Time) {
	if n := s.waiting(now); n > before && n > backlog {
		s.credit -= 2 * (n - before)
	}
}
