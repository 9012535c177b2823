package synth

import "slices"

// maxActs bounds the acts of one turn in memory. Harnesses without turn ids put
// a session of days into one turn; it must not push all others out.
const maxActs = 1000

// thin forgets the older half of a crowded turn's acts once they are sent. Ids
// are derived, so a late record still lands on its span; it only knows less.
// Agents stay, since others hang under them, unless they are the crowd.
func (s *State) thin(t *turn, out *Output) {
	if len(t.acts) <= maxActs {
		return
	}
	before := t.bytes
	t.shed(out, func(a *act) bool { return a.kind != actAgent })
	if len(t.acts) > maxActs {
		t.shed(out, func(*act) bool { return true })
	}
	s.bytes += int64(t.bytes - before)
}

func (t *turn) shed(out *Output, may func(*act) bool) {
	half := len(t.acts) / 2
	old := map[*act]bool{}
	for _, a := range t.acts[:half] {
		if !may(a) {
			continue
		}
		old[a] = true
		if a.dirty && !a.taken {
			t.write(a, out.spans(t.res).AppendEmpty())
			out.mark(t, a)
		}
		t.bytes -= a.size()
		if t.byID != nil {
			delete(t.byID, a.id)
			t.bytes -= indexSize
		}
	}
	gone := func(a *act) bool { return old[a] }
	t.acts = slices.DeleteFunc(t.acts, gone)
	t.dirty = slices.DeleteFunc(t.dirty, gone)
}

// size is what add and unite counted for the act.
func (a *act) size() int {
	n := actSize + len(a.facts)
	if a.extra == nil {
		return n
	}
	n += len(a.extra.contexts) * len(a.id)
	for i := range a.extra.asides {
		n += a.extra.asides[i].size()
	}
	return n
}
