package redact

import (
	"fmt"
	"math/bits"
)

// automaton finds keywords, in any case of their letters, in two steps. A filter
// over the last three bytes says in a few cycles of almost every place that no
// keyword starts there; it is small enough to stay in the cache next to the core.
// At the other places a trie over classes of bytes says which keywords do, one
// dense row a state: next[state<<shift | class[byte]].
type automaton struct {
	coarse [256]uint8       // classes of the filter
	starts [1 << grams]bool // by gram: a keyword may start with such three bytes
	class  [256]uint8       // classes of the trie; 0 is every byte that is in no keyword
	next   []uint16         // 0 is no path of a keyword
	shift  uint
	ends   []int32 // by state: the keyword that is whole there, or -1
}

// coarseBytes share a class of the filter; so do all others that keywords hold.
// Bytes that many keywords start with have one of their own.
var coarseBytes = [...]string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "jqxz", "k", "l", "m", "n", "o", "p", "r", "s", "t", "u", "v", "w", "y",
	"0123456789", "-", "_", "@", ":", "/", " "}

// A gram is three classes of the filter.
const (
	coarseBits = 5
	grams      = 3 * coarseBits
)

// trieRoot is where each path starts.
const trieRoot = 1

func fold(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		return b | 0x20
	}
	return b
}

// newAutomaton compiles the keywords, which have no capitals. It refuses an empty
// keyword, and more states than a table of 16-bit states can hold.
func newAutomaton(keywords []string) (*automaton, error) {
	a := &automaton{}
	classes := 1
	for _, k := range keywords {
		if k == "" {
			return nil, fmt.Errorf("keyword must not be empty")
		}
		for i := 0; i < len(k); i++ {
			if a.class[k[i]] == 0 {
				a.class[k[i]] = uint8(classes)
				classes++
			}
		}
	}
	for b := byte('A'); b <= 'Z'; b++ {
		a.class[b] = a.class[fold(b)]
	}
	a.shift = uint(bits.Len(uint(classes - 1)))
	a.blur()
	a.grow() // state 0
	a.grow() // trieRoot
	for id, k := range keywords {
		if err := a.add(int32(id), k); err != nil {
			return nil, err
		}
		a.open(k, 0, 0)
	}
	return a, nil
}

// blur makes the filter's classes.
func (a *automaton) blur() {
	for b, c := range a.class {
		if c != 0 {
			a.coarse[b] = 1<<coarseBits - 1
		}
	}
	for i, members := range coarseBytes {
		for _, b := range []byte(members) {
			a.coarse[b] = uint8(i + 1)
		}
	}
	for b := byte('A'); b <= 'Z'; b++ {
		a.coarse[b] = a.coarse[fold(b)]
	}
}

// open lets the grams that the keyword starts with through the filter, of which
// the classes of n bytes are given: of a short keyword all that may follow it.
func (a *automaton) open(keyword string, gram, n int) {
	switch {
	case n == 3:
		a.starts[gram] = true
	case n < len(keyword):
		a.open(keyword, gram<<coarseBits|int(a.coarse[keyword[n]]), n+1)
	default:
		for c := range 1 << coarseBits {
			a.open(keyword, gram<<coarseBits|c, n+1)
		}
	}
}

func (a *automaton) grow() (state uint16) {
	state = uint16(len(a.ends))
	a.ends = append(a.ends, -1)
	a.next = append(a.next, make([]uint16, 1<<a.shift)...)
	return state
}

func (a *automaton) add(id int32, keyword string) error {
	state := uint16(trieRoot)
	for i := 0; i < len(keyword); i++ {
		at := uint(state)<<a.shift | uint(a.class[keyword[i]])
		if a.next[at] == 0 {
			if len(a.ends) == 1<<16 {
				return fmt.Errorf("keywords need more than %d states", 1<<16)
			}
			n := a.grow() // may move a.next
			a.next[at] = n
		}
		state = a.next[at]
	}
	a.ends[state] = id
	return nil
}

// seek returns the first place from i on where a keyword may start, or the text's
// end.
func (a *automaton) seek(s string, i int) int {
	if i+2 < len(s) {
		gram := uint(a.coarse[s[i]])<<coarseBits | uint(a.coarse[s[i+1]])
		for k := i + 2; k < len(s); k++ {
			gram = gram<<coarseBits | uint(a.coarse[s[k]])
			if a.starts[gram%(1<<grams)] {
				return k - 2
			}
		}
		i = len(s) - 2
	}
	return min(i, len(s)) // of the last two bytes the trie is asked
}
