package redact

import (
	"fmt"
	"math/bits"
)

// automaton is an Aho-Corasick machine over ASCII-folded bytes, laid out as one
// dense table: next[state<<shift | class[byte]]. States from accept on end at
// least one keyword.
type automaton struct {
	class  [256]uint8
	next   []uint16
	shift  uint
	accept uint16
	ends   [][]int32 // keyword ids, longest first, by state - accept
}

func fold(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		return b | 0x20
	}
	return b
}

// newAutomaton compiles the keywords. It refuses an empty keyword, and more
// states than a table of 16-bit states can hold.
func newAutomaton(keywords []string) (*automaton, error) {
	a := &automaton{}
	classes := 1 // class 0 is every byte that is in no keyword
	for _, k := range keywords {
		if k == "" {
			return nil, fmt.Errorf("keyword must not be empty")
		}
		for i := 0; i < len(k); i++ {
			if b := fold(k[i]); a.class[b] == 0 {
				a.class[b] = uint8(classes)
				classes++
			}
		}
	}
	for b := byte('A'); b <= 'Z'; b++ {
		a.class[b] = a.class[fold(b)]
	}
	a.shift = uint(bits.Len(uint(classes - 1)))

	t := newTrie(classes)
	for id, k := range keywords {
		state := 0
		for i := 0; i < len(k); i++ {
			state = t.step(state, int(a.class[k[i]]))
		}
		t.ends[state] = append(t.ends[state], int32(id))
	}
	if len(t.child) > 1<<16-1 {
		return nil, fmt.Errorf("keywords need %d states, at most %d fit", len(t.child), 1<<16-1)
	}
	t.connect()
	a.lay(t)
	return a, nil
}

type trie struct {
	classes int
	child   [][]int32 // -1 where there is none, until connect
	ends    [][]int32
}

func newTrie(classes int) *trie {
	t := &trie{classes: classes}
	t.grow()
	return t
}

func (t *trie) grow() int {
	row := make([]int32, t.classes)
	for i := range row {
		row[i] = -1
	}
	t.child = append(t.child, row)
	t.ends = append(t.ends, nil)
	return len(t.child) - 1
}

func (t *trie) step(state, class int) int {
	if n := t.child[state][class]; n >= 0 {
		return int(n)
	}
	n := t.grow()
	t.child[state][class] = int32(n)
	return n
}

// connect fills the missing children by the longest proper suffix that is also
// a path, breadth first, so that a suffix is complete before it is used.
func (t *trie) connect() {
	suffix := make([]int32, len(t.child))
	queue := make([]int32, 0, len(t.child))
	for c, n := range t.child[0] {
		if n < 0 {
			t.child[0][c] = 0
			continue
		}
		queue = append(queue, n)
	}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		t.ends[s] = append(t.ends[s], t.ends[suffix[s]]...)
		for c, n := range t.child[s] {
			if n < 0 {
				t.child[s][c] = t.child[suffix[s]][c]
				continue
			}
			suffix[n] = t.child[suffix[s]][c]
			queue = append(queue, n)
		}
	}
}

// lay numbers the states so that those which end a keyword come last.
func (a *automaton) lay(t *trie) {
	number := make([]uint16, len(t.child))
	n := uint16(0)
	for _, ending := range []bool{false, true} {
		if ending {
			a.accept = n
		}
		for s := range t.child {
			if (len(t.ends[s]) > 0) == ending {
				number[s] = n
				n++
			}
		}
	}
	a.next = make([]uint16, len(t.child)<<a.shift)
	a.ends = make([][]int32, int(n-a.accept))
	for s, row := range t.child {
		at := int(number[s]) << a.shift
		for c, to := range row {
			a.next[at+c] = number[to]
		}
		if number[s] >= a.accept {
			a.ends[number[s]-a.accept] = t.ends[s]
		}
	}
}
