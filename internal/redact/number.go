package redact

// Numbers of people (cards, accounts, phones, ids, addresses of machines) have
// no fixed text to look for. They are found by their first digit instead: a
// second, cheap pass stops at every word that starts with at most six letters
// and then a digit, and asks the number rules whose form may start so.

const (
	maxLead      = 6 // letters before the first digit: IT codice fiscale
	minNumberLen = 7 // of a number, not counting what parts its groups
	maxIBANLen   = 34
	maxPlainLen  = 24 // of a word that holds any other: a phone's with its extension
	maxNumberLen = 64 // bytes of a number with its separators
)

// numberAt is a place where a number may start.
type numberAt struct {
	s       string // up to the next wall
	lo      int    // end of the last wall
	start   int    // first letter or digit of the word
	letters int    // before the first digit
	first   int    // length of the first run of digits
	mixed   bool   // letters follow it
	work    *int
}

// numberRule finds one kind of number.
type numberRule struct {
	find   func(r *rule, n *numberAt) (match, bool)
	starts func(letters, digits int) bool // whether one may start with so many of them
	mixed  bool                           // whether letters may follow the first digits
	hung   bool                           // whether it may hang on what is before it
}

var numberRules = map[string]*numberRule{
	"card":     {find: (*rule).findCard, starts: func(letters, digits int) bool { return letters == 0 && digits >= 4 }},
	"iban":     {find: (*rule).findIBAN, starts: func(letters, digits int) bool { return letters == 2 && digits >= 2 }, mixed: true},
	"national": {find: (*rule).findNational, starts: startsNational, mixed: true},
	"phone":    {find: (*rule).findPhone, starts: func(letters, _ int) bool { return letters == 0 }},
	"ip":       {find: (*rule).findIP, starts: func(letters, _ int) bool { return letters == 0 }, mixed: true, hung: true},
}

// numberStarts are the rules by letters and digits that a number starts with.
type numberStarts [maxLead + 1][maxFirst + 1][]*rule

// maxFirst is the most digits at the start that a rule tells apart.
const maxFirst = 20

func (t *numberStarts) add(r *rule) {
	for letters := range t {
		for digits := range t[letters] {
			if r.number.starts(letters, digits) {
				t[letters][digits] = append(t[letters][digits], r)
			}
		}
	}
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

// nextNumber is the first place from i on at which the pass stops, or the text's
// end. It passes over eight bytes at once that hold none.
func nextNumber(s string, i int) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(s); i += 8 {
		b := s[i : i+8]
		x := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 | uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
		digit, open := x^'0'*ones, x^'['*ones // below ten, and zero
		if ((digit-10*ones)&^digit|(open-ones)&^open)&tops != 0 {
			break
		}
	}
	for i < len(s) && !numberBytes[s[i]] {
		i++
	}
	return i
}

// numbers adds what the number rules find to f. It answers false if they needed
// more work than allowed.
func (e *engine) numbers(s string, f *finder) bool {
	f.lo, f.next = 0, -1
	n := &f.at
	n.work = &f.work
	for i := nextNumber(s, 0); i < len(s); i = nextNumber(s, i+1) {
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
	rules := e.digits[n.letters][min(n.first, maxFirst)]
	if len(rules) == 0 {
		return 0
	}
	joined := n.joined()
	for _, r := range rules {
		if joined && !r.number.hung || n.mixed && !r.number.mixed {
			continue
		}
		m, ok := r.number.find(r, n)
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
	n.lo, n.start, n.letters, n.first, n.mixed = lo, start, i-start, digits-i, digits < end && fold(s[digits]) != 'x' // of an extension
	if n.letters == 2 {
		return end, end-start <= maxIBANLen
	}
	return end, end-start <= maxPlainLen && (end-start >= minNumberLen || groups(s, start))
}

// groups reports whether what starts at s[i] may be a number in groups: enough
// digits, with dots and colons, and little between them.
func groups(s string, i int) bool {
	size := 0
	for apart := 0; i < len(s) && apart <= maxGroupSep; i++ {
		switch c := s[i]; {
		case isHex(c):
			size, apart = size+1, 0
		case c == '.' || c == ':':
			size, apart = size+1, apart+1
		case groupSeps[c]:
			apart++
		default:
			return false
		}
		if size >= minNumberLen {
			return true
		}
	}
	return false
}

// maxGroupSep is how many bytes may part two groups.
const maxGroupSep = 4

var groupSeps = byteSet(" -/()+")

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
