package judge

import "time"

// Held is a result that waits for its subject, as it was sent.
type Held struct {
	Seq   uint64 // in the order of arrival
	Since int64  // Unix nanoseconds
	Data  []byte // the result with its resource, encoded
	names []Name
}

// Waiting keeps results that may still find their subject, oldest first, within
// a number and a size. It is not safe for concurrent use.
type Waiting struct {
	max, maxBytes int
	bytes         int
	next          uint64
	first         uint64
	all           map[uint64]*Held
	byName        map[Name]map[uint64]bool
}

// heldCost is what a waiting result takes besides its data: its entry, and those
// of its names.
const heldCost = 320

// NewWaiting keeps at most so many results and bytes.
func NewWaiting(most, bytes int) *Waiting {
	return &Waiting{max: max(most, 1), maxBytes: bytes, all: map[uint64]*Held{}, byName: map[Name]map[uint64]bool{}}
}

// Len is the number of waiting results, Bytes their size in memory.
func (w *Waiting) Len() int { return len(w.all) }

// Bytes estimates the memory that waiting results take.
func (w *Waiting) Bytes() int { return w.bytes }

// Hold adds a result; what has to leave for it is returned, oldest first. A
// result that is larger than all of the room is itself returned.
func (w *Waiting) Hold(data []byte, names []Name, now time.Time) (held *Held, out []*Held) {
	held = &Held{Seq: w.next, Since: now.UnixNano(), Data: data, names: names}
	return held, w.Put(held)
}

// Put adds a result that waited before.
func (w *Waiting) Put(h *Held) (out []*Held) {
	w.next = max(w.next, h.Seq+1)
	w.all[h.Seq] = h
	w.first = min(w.first, h.Seq)
	w.bytes += len(h.Data) + heldCost
	for _, n := range h.names {
		if w.byName[n] == nil {
			w.byName[n] = map[uint64]bool{}
		}
		w.byName[n][h.Seq] = true
	}
	for len(w.all) > 0 && (len(w.all) > w.max || w.bytes > w.maxBytes) {
		out = append(out, w.oldest())
		w.Drop(out[len(out)-1])
	}
	return out
}

// Rename gives a result that waits other names to wait for.
func (h *Held) Rename(names []Name) { h.names = names }

// Came returns the results that wait for a name, oldest first, and lets them go.
func (w *Waiting) Came(n Name) (out []*Held) {
	for seq := range w.byName[n] {
		out = append(out, w.all[seq])
	}
	sortHeld(out)
	for _, h := range out {
		w.Drop(h)
	}
	return out
}

// Due returns the results that came before a time and lets them go.
func (w *Waiting) Due(before time.Time) (out []*Held) {
	for len(w.all) > 0 {
		h := w.oldest()
		if h.Since >= before.UnixNano() {
			break
		}
		w.Drop(h)
		out = append(out, h)
	}
	return out
}

func (w *Waiting) oldest() *Held {
	for w.all[w.first] == nil {
		w.first++
	}
	return w.all[w.first]
}

// First is the number of the oldest result that waits, or of the next to come.
func (w *Waiting) First() uint64 {
	if len(w.all) == 0 {
		return w.next
	}
	return w.oldest().Seq
}

// Drop forgets a result.
func (w *Waiting) Drop(h *Held) {
	if w.all[h.Seq] == nil {
		return
	}
	delete(w.all, h.Seq)
	w.bytes -= len(h.Data) + heldCost
	for _, n := range h.names {
		delete(w.byName[n], h.Seq)
		if len(w.byName[n]) == 0 {
			delete(w.byName, n)
		}
	}
}
