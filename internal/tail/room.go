package tail

import "time"

// reserve grants room for a batch. Where there is none it decides early: first
// the runs that nothing protects, oldest first; then, if the next component
// takes them, the protected ones. None is dropped without a look at its class.
//
// A batch larger than the whole budget passes when nothing else is held, so that
// no sender is refused for ever.
func (s *State) reserve(n int64, now time.Time) []Effect {
	var out []Effect
	for !s.fits(n) {
		if send := s.sendWaiting(now); send != nil {
			return append(out, send...)
		}
		r, known := s.oldest()
		if r == nil || (known && r.spans > 0 && !s.canSend(now)) {
			return append(out, Full{})
		}
		td, records, lost := load(r.pieces)
		d := s.judge(r, td, records, now)
		if d.Protected() && !known {
			s.moveTo(r, s.alarmed)
			continue
		}
		var sent bool
		if out, sent = s.conclude(out, r, td, lost, d, AtMemory, now); sent {
			return out
		}
	}
	s.reserved += n
	return append(out, Granted{})
}

func (s *State) fits(n int64) bool {
	held := s.bytes + s.reserved
	return held == 0 || held+n <= s.MemoryBytes
}

// oldest is the run to decide early, and whether it is known to be protected.
func (s *State) oldest() (r *pending, known bool) {
	if e := s.young.Front(); e != nil {
		return e.Value.(*pending), false
	}
	if e := s.alarmed.Front(); e != nil {
		return e.Value.(*pending), true
	}
	return nil, false
}
