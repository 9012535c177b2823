package tail

import (
	"slices"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/tail/slab"
)

// disk is what a piece takes in the log.
func (h held) disk() int64 {
	if h.id == 0 {
		return 0
	}
	return int64(h.n) + pieceOverhead
}

// warmUp notes that a run has pieces that could leave memory.
func (s *State) warmUp(r *pending, has bool) {
	switch {
	case r.warm != nil:
		s.warm.MoveToBack(r.warm)
	case has:
		r.warm = s.warm.PushBack(r)
	}
}

func (s *State) coolDown(r *pending) {
	if r.warm != nil {
		s.warm.Remove(r.warm)
		r.warm = nil
	}
}

// spill leaves the pieces of a run to the log.
func (s *State) spill(r *pending) {
	s.coolDown(r)
	var freed int64
	for i := range r.pieces {
		if h := &r.pieces[i]; h.id != 0 {
			freed += s.leaveToLog(h)
		}
	}
	r.bytes -= freed
	s.bytes -= freed
}

func (s *State) leaveToLog(h *held) int64 {
	n := h.block.Held()
	s.Arena.Free(h.block)
	h.block = slab.Block{}
	return n
}

// spillFor makes room in memory, of runs that are at rest for longest first, then
// of what waits to be sent.
func (s *State) spillFor(n int64) {
	for s.bytes+n > s.MemoryBytes {
		e := s.warm.Front()
		if e == nil {
			break
		}
		s.spill(e.Value.(*pending))
	}
	for len(s.warmOut) > 0 && s.bytes+n > s.MemoryBytes {
		p := s.warmOut[0]
		s.warmOut = s.warmOut[1:]
		if !p.waits {
			continue // it was sent meanwhile
		}
		for j := range p.pieces {
			if h := &p.pieces[j]; h.id != 0 {
				freed := s.leaveToLog(h)
				p.bytes -= freed
				s.bytes -= freed
			}
		}
	}
}

// wait notes that a parcel waits, and whether it could leave memory. What was sent
// goes out of the list when it is at its front, and when half of it was.
func (s *State) wait(p *Parcel) {
	p.waits = true
	if !slices.ContainsFunc(p.pieces, func(h held) bool { return h.id != 0 && !h.block.IsZero() }) {
		return
	}
	if len(s.warmOut) > 2*len(s.outbox) {
		s.warmOut = slices.DeleteFunc(s.warmOut, func(o *Parcel) bool { return !o.waits || o == p })
	}
	s.warmOut = append(s.warmOut, p)
}

// spillAtRest leaves runs to the log of which nothing came for long: a run that
// waits for a person costs its place in the index.
func (s *State) spillAtRest(now time.Time) {
	for e := s.warm.Front(); e != nil && s.RestInMemory > 0; e = s.warm.Front() {
		r := e.Value.(*pending)
		if now.Before(r.last.Add(s.RestInMemory)) {
			return
		}
		s.spill(r)
	}
}
