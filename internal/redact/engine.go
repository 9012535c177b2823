package redact

import (
	"slices"
	"strings"
)

// engine finds what a set of rules wants replaced in a text. It is immutable.
type engine struct {
	dfa    *automaton
	rules  [][]*rule // by keyword id
	kinds  map[string]bool
	size   []int   // length of each keyword
	digits []*rule // those that digits lead to
	custom []*rule // those with a pattern of the operator's
	allow  *allowed
}

// wallKeyword is the keyword of tokens; its id is 0.
const wallKeyword = tokenOpen

// newEngine compiles the rules. kinds are all that a token may have.
func newEngine(rules []*rule, kinds map[string]bool) (*engine, error) {
	e := &engine{kinds: kinds}
	ids := map[string]int{wallKeyword: 0}
	words := []string{wallKeyword}
	e.rules = append(e.rules, nil)
	for _, r := range rules {
		if r.pattern != nil {
			e.custom = append(e.custom, r)
		}
		if r.number != nil {
			e.digits = append(e.digits, r)
		}
		for _, k := range r.keywords {
			k = strings.ToLower(k)
			id, ok := ids[k]
			if !ok {
				id = len(words)
				ids[k] = id
				words = append(words, k)
				e.rules = append(e.rules, nil)
			}
			e.rules[id] = append(e.rules[id], r)
		}
	}
	for _, w := range words {
		e.size = append(e.size, len(w))
	}
	var err error
	e.dfa, err = newAutomaton(words)
	return e, err
}

// Work allowed a text: bytes that candidates may read. Ordinary text uses less
// than one a byte.
const (
	workPerByte = 16
	workBase    = 16 << 10
)

// finder is the state of one search, reused.
type finder struct {
	found []match
	last  []int // by rule id: end of its last match
	work  int
	lo    int // end of the last wall
	next  int // start of the next wall; -1 is not looked for yet
	at    numberAt

	inner  *finder // of what is behind base64
	decode []byte
}

// find fills f.found with the parts to replace, sorted and apart. It answers
// false if the candidates needed more work than allowed.
func (e *engine) find(s string, f *finder) bool {
	ok := e.plain(s, f) && e.encoded(s, f) && e.percent(s, f)
	if len(f.found) > 0 {
		f.resolve()
		clear(f.last)
	}
	return ok
}

// plain is find without what is behind base64, not yet sorted.
func (e *engine) plain(s string, f *finder) bool {
	f.found, f.work, f.lo, f.next = f.found[:0], 0, 0, -1
	if !e.words(s, f) || len(e.digits) > 0 && !e.numbers(s, f) {
		return false
	}
	if len(e.custom) > 0 {
		e.patterns(s, f)
	}
	f.free(s, e.allow)
	return f.work <= workBase+workPerByte*len(s)+len(e.custom)*len(s)
}

// words runs the automaton and tries the rules of the keywords it meets.
func (e *engine) words(s string, f *finder) bool {
	var (
		a     = e.dfa
		next  = a.next
		shift = a.shift & 15
		state = uint(0)
	)
	for i := 0; i < len(s); i++ {
		state = uint(next[state<<shift|uint(a.class[s[i]])])
		if state >= uint(a.accept) {
			skip, ok := e.candidates(s, i+1, a.ends[state-uint(a.accept)], f)
			if !ok {
				return false
			}
			if skip > 0 {
				i, state = skip-1, 0
			}
		}
	}
	return true
}

// candidates tries the rules of the keywords that end at s[to]. If one is that
// of a token it returns where the token ends.
func (e *engine) candidates(s string, to int, ends []int32, f *finder) (skip int, ok bool) {
	for _, id := range ends {
		from := to - e.size[id]
		if id == 0 {
			if end := tokenAt(s, from, e.kinds); end > 0 {
				f.lo, f.next = end, -1
				return end, true
			}
			continue
		}
		for _, r := range e.rules[id] {
			if from < f.last[r.id] {
				continue
			}
			m, hit := r.find(r, s[:f.wall(s, to, e.kinds)], from, to, f.lo, &f.work)
			if hit {
				f.found = append(f.found, m)
				f.last[r.id] = m.end
			}
		}
		if f.work > workBase+workPerByte*len(s) {
			return 0, false
		}
	}
	return 0, true
}

// wall returns where the next token behind s[i] starts, or the text's end.
func (f *finder) wall(s string, i int, kinds map[string]bool) int {
	for f.next < i {
		at := strings.Index(s[i:], tokenOpen)
		if at < 0 {
			f.next = len(s)
			break
		}
		if f.next = i + at; tokenAt(s, f.next, kinds) > 0 {
			break
		}
		i, f.next = f.next+1, -1
	}
	return f.next
}

// resolve joins matches that overlap. Where an exact and a generic rule meet,
// the exact one names the token; otherwise the one that starts first.
func (f *finder) resolve() {
	slices.SortFunc(f.found, func(a, b match) int {
		if a.start != b.start {
			return a.start - b.start
		}
		if a.rule.pii != b.rule.pii {
			return int(bit(a.rule.pii)) - int(bit(b.rule.pii))
		}
		if a.end != b.end {
			return b.end - a.end
		}
		if !a.rule.generic && !b.rule.generic && a.pivot != b.pivot {
			return a.pivot - b.pivot // a vendor's name before the value says more than the value
		}
		return a.rule.id - b.rule.id
	})
	out := f.found[:1]
	for _, m := range f.found[1:] {
		last := &out[len(out)-1]
		if m.start >= last.end {
			out = append(out, m)
			continue
		}
		if m.rule.pii && !last.rule.pii && m.pivot == last.end {
			continue // user:password@host: the rest is a host
		}
		last.end = max(last.end, m.end)
		if last.rule.generic && !m.rule.generic {
			last.rule = m.rule
		}
	}
	f.found = out
}
