package redact

import (
	"slices"
	"strings"
)

// engine finds what a set of rules wants replaced in a text. It is immutable.
type engine struct {
	keywords *automaton
	rules    [][]*rule // by keyword id
	kinds    map[string]bool
	digits   *numberStarts // nil if digits lead to no rule
	custom   []*rule       // those with a pattern of the operator's
	allow    *allowed
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
			if e.digits == nil {
				e.digits = &numberStarts{}
			}
			e.digits.add(r)
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
	var err error
	e.keywords, err = newAutomaton(words)
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
	if !e.words(s, f) || e.digits != nil && !e.numbers(s, f) {
		return false
	}
	if len(e.custom) > 0 {
		e.patterns(s, f)
	}
	f.free(s, e.allow)
	return f.work <= workBase+workPerByte*len(s)+len(e.custom)*len(s)
}

// words tries the rules of the keywords in the text.
func (e *engine) words(s string, f *finder) bool {
	a := e.keywords
	for i := a.seek(s, 0); i < len(s); i = a.seek(s, i+1) {
		state := uint(trieRoot)
		for k := i; k < len(s); k++ {
			if state = uint(a.next[state<<a.shift|uint(a.class[s[k]])]); state == 0 {
				break
			}
			if a.ends[state] < 0 {
				continue
			}
			wall, ok := e.candidate(s, i, k+1, a.ends[state], f)
			if !ok {
				return false
			}
			if wall > 0 {
				i = wall - 1
				break
			}
		}
	}
	return true
}

// candidate tries the rules of the keyword s[from:to]. If it is that of a token
// it returns where the token ends.
func (e *engine) candidate(s string, from, to int, keyword int32, f *finder) (wall int, ok bool) {
	if keyword == 0 {
		if wall = tokenAt(s, from, e.kinds); wall > 0 {
			f.lo, f.next = wall, -1
		}
		return max(wall, 0), true
	}
	for _, r := range e.rules[keyword] {
		if from < f.last[r.id] {
			continue
		}
		m, hit := r.find(r, s[:f.wall(s, to, e.kinds)], from, to, f.lo, &f.work)
		if hit {
			f.found = append(f.found, m)
			f.last[r.id] = m.end
		}
	}
	return 0, f.work <= workBase+workPerByte*len(s)
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
