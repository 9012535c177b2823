package redact

// Numbers of people (cards, accounts, phones, ids, addresses of machines) have
// no fixed text to look for. They are found by their first digit instead: a
// second, cheap pass stops at every word that starts with at most six letters
// and then a digit, and asks the number rules whose form may start so.

const (
	maxLead      = 6  // letters before the first digit: IT codice fiscale
	minNumberLen = 7  // of a number in one word
	maxNumberLen = 64 // bytes of a number with its separators
)

// numberAt is a place where a number may start.
type numberAt struct {
	s       string // up to the next wall
	lo      int    // end of the last wall
	start   int    // first letter or digit of the word
	letters int    // before the first digit
	first   int    // length of the first run of digits
	work    *int
}

// numberRule finds one kind of number.
type numberRule func(r *rule, n *numberAt) (match, bool)

var numberRules = map[string]numberRule{
	"card":     (*rule).findCard,
	"iban":     (*rule).findIBAN,
	"national": (*rule).findNational,
	"phone":    (*rule).findPhone,
	"ip":       (*rule).findIP,
}

// numberBytes are the bytes at which the pass stops: digits and the start of a
// token.
var numberBytes = func() (set [256]bool) {
	for c := '0'; c <= '9'; c++ {
		set[c] = true
	}
	set['['] = true
	return set
}()

// numbers adds what the number rules find to f. It answers false if they needed
// more work than allowed.
func (e *engine) numbers(s string, f *finder) bool {
	f.lo, f.next = 0, -1
	n := &f.at
	n.work = &f.work
	for i := 0; i < len(s); i++ {
		if !numberBytes[s[i]] {
			continue
		}
		if s[i] == '[' {
			if end := tokenAt(s, i, e.kinds); end > 0 {
				f.lo, f.next, i = end, -1, end-1
			}
			continue
		}
		end, ok := n.at(s, i, f.lo)
		f.work += 2
		if ok {
			n.s = s[:f.wall(s, i, e.kinds)]
			if found := e.number(n, f); found > 0 {
				end = found
			}
			if f.work > workBase+workPerByte*len(s) {
				return false
			}
		}
		i = end - 1
	}
	return true
}

// number tries the rules at one place and returns the end of the longest match,
// or 0.
func (e *engine) number(n *numberAt, f *finder) (end int) {
	for _, r := range e.digits {
		m, ok := r.number(r, n)
		if ok && m.end > end {
			f.found = append(f.found, m)
			end = m.end
		}
	}
	return end
}

// at looks at the word around the digit s[i] and reports whether a number may
// start there; otherwise the search goes on at end.
func (n *numberAt) at(s string, i, lo int) (end int, ok bool) {
	end = i
	for end < len(s) && isWord(s[end]) {
		end++
	}
	start := i
	for start > lo && i-start <= maxLead && isWord(s[start-1]) {
		start--
	}
	edge := start == lo || !isWord(s[start-1])
	if start > lo && start < i && s[start-1] == '\\' {
		start += escapeTail(s[start:i]) // \n4111
	}
	if i-start > maxLead || !edge {
		return end, false
	}
	if start > lo && s[start-1] == '%' && end-start > 2 && isHex(s[start]) && isHex(s[start+1]) {
		start += 2 // %204111
		i = max(i, start)
	}
	if start > lo && s[start-1] == '\\' && end-start > 5 && s[start] == 'u' {
		return end, false
	}
	for k := start; k < i; k++ {
		if s[k] == '_' {
			return end, false
		}
	}
	digits := i
	for digits < end && '0' <= s[digits] && s[digits] <= '9' {
		digits++
	}
	if digits == i {
		return end, false
	}
	n.lo, n.start, n.letters, n.first = lo, start, i-start, digits-i
	return end, end-start >= minNumberLen || n.letters == 2 || followed(s, end)
}

// followed reports whether the word that ends at s[i] may be the first group of
// several.
func followed(s string, i int) bool {
	if i+1 >= len(s) || !groupSeps[s[i]] {
		return false
	}
	c := s[i+1]
	return isHex(c) || c == '(' || c == ' ' || c == ':' || c == '/' || c == '-'
}

var groupSeps = byteSet(" -./():")

// joined reports whether the number hangs on something before it by a dot, dash
// or underscore: a part of an id, a decimal or a version.
func (n *numberAt) joined() bool {
	if n.start-1 <= n.lo {
		return false
	}
	switch n.s[n.start-1] {
	case '.', '-', '_':
		return isWord(n.s[n.start-2])
	case ',':
		return isDigit(n.s[n.start-2]) && n.first == 3 && thousands(n.s, n.start-1)
	}
	return false
}

// thousands reports whether the comma at s[i] parts the digits of one number,
// 1,234,567, and not the fields of a row: at most three digits stand before it,
// and three behind it.
func thousands(s string, i int) bool {
	before := i
	for before > 0 && isDigit(s[before-1]) && i-before < 4 {
		before--
	}
	if n := i - before; n == 0 || n > 3 || digitsAt(s, i+1) != 3 {
		return false
	}
	if before > 1 && (s[before-1] == '-' || s[before-1] == '.' || s[before-1] == ' ') && isDigit(s[before-2]) {
		return false // the last group of a number
	}
	end := i + 4
	return end+1 >= len(s) || (s[end] != '-' && s[end] != ' ' && s[end] != '.') || !isDigit(s[end+1])
}

// goesOn reports whether what ends at s[i] is only a part of something longer.
func goesOn(s string, i int) bool {
	if i >= len(s) {
		return false
	}
	if isWord(s[i]) {
		return true
	}
	if i+1 < len(s) {
		switch s[i] {
		case '-':
			return isWord(s[i+1])
		case '.':
			return isDigit(s[i+1])
		case ',':
			return thousands(s, i)
		}
	}
	return false
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// plainNumber copies the letters and digits of a number, letters in upper case,
// and answers nil if there are more than fit.
func plainNumber(s string, buf []byte) []byte {
	out := buf[:0]
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '_' || !isWord(c) {
			continue
		}
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		if len(out) == cap(out) {
			return nil
		}
		out = append(out, c)
	}
	return out
}
