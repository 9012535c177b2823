package redact

// match is a part of a text that a rule wants replaced.
type match struct {
	start, end int
	pivot      int // where the keyword that proved it starts
	rule       *rule
}

// matchers are the hand-written ones that rules name.
var matchers = map[string]func(r *rule, s string, from, to, lo int, work *int) (match, bool){
	"assignment": (*rule).findAssignment,
	"header":     (*rule).findHeader,
	"pem":        (*rule).findPEM,
	"email":      (*rule).findEmail,
	"command":    (*rule).findCommand,
	"url":        (*rule).findURL,
}

func (r *rule) findShape(s string, from, _, lo int, work *int) (match, bool) {
	if r.proof != nil {
		*work += crcMark + crcBody + crcTail
		if n := r.proof(s[from:]); n > 0 {
			return r.checked(s, match{from, from + n, from, r})
		}
	}
	start := from
	if r.before != nil {
		for start > lo && from-start < r.before.max && r.before.set[s[start-1]] {
			start--
		}
		*work += from - start + 1
		if from-start < r.before.min {
			return match{}, false
		}
	}
	if !r.freeLeft && start > lo && !leftEdge(s, start, lo) {
		return match{}, false
	}
	c := capture{start, -1}
	end := r.shape.match(s, from, &c, work)
	if end < 0 || end == start {
		return match{}, false
	}
	if c.end < 0 {
		c.end = end
	}
	if !r.freeRight && end < len(s) && isWord(s[end]) && isWord(s[end-1]) {
		return match{}, false
	}
	return r.checked(s, match{c.start, c.end, from, r})
}

func (r *rule) checked(s string, m match) (match, bool) {
	part := s[m.start:m.end]
	for _, check := range r.checks {
		if !check(part) {
			return match{}, false
		}
	}
	if r.minEntropy > 0 && entropy(part) < r.minEntropy {
		return match{}, false
	}
	return m, part != ""
}

func isWord(b byte) bool { return wordBytes[b] }

var wordBytes = byteSet("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")

func isHex(b byte) bool {
	return '0' <= b && b <= '9' || 'a' <= b && b <= 'f' || 'A' <= b && b <= 'F'
}

// leftEdge reports whether a value may start at s[i]: no letter, digit or _
// stands before it, or what stands there is the end of an escape (\n, \u0022,
// %3D).
func leftEdge(s string, i, lo int) bool {
	return !isWord(s[i-1]) || escapeBefore(s, i, lo) > 0
}

// escapeBefore returns the length of the escape sequence that ends at s[i].
func escapeBefore(s string, i, lo int) int {
	if i-2 >= lo && s[i-2] == '\\' {
		switch s[i-1] {
		case 'n', 'r', 't', 'b', 'f', 'v':
			return 2
		}
	}
	if i-3 >= lo && s[i-3] == '%' && isHex(s[i-2]) && isHex(s[i-1]) {
		return 3
	}
	if i-6 >= lo && s[i-6] == '\\' && s[i-5] == 'u' && isHex(s[i-4]) && isHex(s[i-3]) && isHex(s[i-2]) && isHex(s[i-1]) {
		return 6
	}
	return 0
}
