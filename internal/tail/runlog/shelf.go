package runlog

import (
	"encoding/binary"
	"slices"

	"github.com/otelcol-agent/otelcol-agent/internal/tail"
)

// shelf is the index of one segment of limbo: what is in it, and under which keys. It
// has no pointers, so that a million keys cost the collector of garbage nothing: 24 bytes
// for a run, 11 to 21 for a key. A key is known by 32 bits; who reads the run compares
// all of it.
type shelf struct {
	runs  []shelved
	slots []shelfSlot // a power of two, or none
	used  int
}

// shelved is one dropped run, or what came late of one.
type shelved struct {
	at    int64
	time  int64
	n     int32
	whole bool // nothing of the run was dropped before
	gone  bool // it was taken out
}

type shelfSlot struct {
	mark uint32
	run  uint32 // 1 + its number, 0 if the slot is free
}

func markOf(k tail.Key) uint32 { return binary.LittleEndian.Uint32(k[:]) }

func (s *shelf) add(keys []tail.Key, run shelved) {
	s.runs = append(s.runs, run)
	for i := range keys {
		if 4*(s.used+1) > 3*len(s.slots) {
			s.grow()
		}
		s.put(shelfSlot{markOf(keys[i]), uint32(len(s.runs))})
	}
}

func (s *shelf) put(new shelfSlot) {
	at := int(new.mark) & (len(s.slots) - 1)
	for s.slots[at].run != 0 {
		at = (at + 1) & (len(s.slots) - 1)
	}
	s.slots[at] = new
	s.used++
}

func (s *shelf) grow() {
	old := s.slots
	s.slots, s.used = make([]shelfSlot, max(16, 2*len(old))), 0
	for _, o := range old {
		if o.run != 0 {
			s.put(o)
		}
	}
}

// find returns the runs that may have one of the keys and were not taken out, in the order
// in which they came.
func (s *shelf) find(keys []tail.Key) (runs []*shelved) {
	var numbers []uint32
	for i := range keys {
		if len(s.slots) == 0 {
			return nil
		}
		mark := markOf(keys[i])
		for at := int(mark) & (len(s.slots) - 1); s.slots[at].run != 0; at = (at + 1) & (len(s.slots) - 1) {
			if s.slots[at].mark == mark && !s.runs[s.slots[at].run-1].gone {
				numbers = append(numbers, s.slots[at].run)
			}
		}
	}
	slices.Sort(numbers)
	for _, n := range slices.Compact(numbers) {
		runs = append(runs, &s.runs[n-1])
	}
	return runs
}
