package redact

import "strings"

// phonePlan is how phone numbers are written; rules/numbers.yaml explains it.
type phonePlan struct {
	Codes  map[string][]int `yaml:"codes"`
	Others []int            `yaml:"others"`
	Words  []string         `yaml:"words"`
	Weak   []string         `yaml:"weak"` // words that mean other things too
	Groups []phoneGroups    `yaml:"groups"`

	words, weak *wordList

	size [1000][2]uint8 // fewest and most digits by country code; 0 is no code
}

type phoneGroups struct {
	Parts []int  `yaml:"parts"`
	By    string `yaml:"by"`
	NANP  bool   `yaml:"nanp"`
	Trunk bool   `yaml:"trunk"`
}

const (
	maxPhoneDigits = 15
	maxPhoneGroups = 8
)

// phoneText is a number as it is written.
type phoneText struct {
	digits [maxPhoneDigits]byte
	n      int
	parts  [maxPhoneGroups]int // digits in each group
	ends   [maxPhoneGroups]int // where each group ends
	seps   [maxPhoneGroups]byte
	groups int
	open   bool // the first group is in brackets
	closed bool // some group is
	end    int

	lineStart bool // where a diff puts a plus too
}

// findPhone finds international numbers (+ or 00 and a country code), numbers in
// the groups that a country writes them in, and other runs of 7 to 15 digits
// behind a word that says it is a phone's.
func (r *rule) findPhone(n *numberAt) (match, bool) {
	s, start := n.s, n.start
	plus := false
	for start > n.lo && n.start-start < 2 && (s[start-1] == '+' || s[start-1] == '(') {
		start--
		plus = plus || s[start] == '+'
		if plus {
			break
		}
	}
	if start > n.lo && (isWord(s[start-1]) && !(start-2 >= n.lo && escapeBefore(s, start, n.lo) > 0)) {
		return match{}, false
	}
	if start-2 >= n.lo && (s[start-1] == ' ' || s[start-1] == ')') && isDigit(s[start-2]) && !plus {
		return match{}, false // the rest of a number
	}
	var p phoneText
	p.read(s, start)
	*n.work += p.end - start + 1
	if p.open && !p.closed && n.s[start] == '(' { // the bracket is around the number
		p, start = phoneText{}, start+1
		p.read(s, start)
		*n.work += p.end - start + 1
	}
	if p.n < 7 {
		return match{}, false
	}
	if end := r.phoneEnd(n, &p, start, plus); end > 0 && !goesOn(s, end) && (plus || !n.inGrid(start, end) || tables().Phone.said(n, start)) {
		return match{start, end, n.start, r}, true
	}
	return match{}, false
}

func (r *rule) phoneEnd(n *numberAt, p *phoneText, start int, plus bool) int {
	plan := &tables().Phone
	if plus {
		if p.coordinates() && !plan.said(n, start) {
			return 0
		}
		p.lineStart = p.groups == 1 && (start == n.lo || n.s[start-1] == '\n')
		return plan.international(p, 0)
	}
	double := p.digits[0] == '0' && p.digits[1] == '0' && p.digits[2] != '0' && !p.codePoints()
	if double && p.groups > 1 {
		if end := plan.international(p, 2); end > 0 && (p.parts[0] > 2 && p.groups > 2 || plan.said(n, start)) {
			return end
		}
	}
	if end := plan.grouped(p); end > 0 {
		return end
	}
	if p.n > 8+4 && !double || p.tooRagged() {
		return 0
	}
	if plan.said(n, start) || (p.groups > 1 || p.n >= 10) && !betweenColons(n.s, start, p.end) && plan.weak.before(n.s, start, max(n.lo, start-24), n.work) {
		return p.end
	}
	return 0
}

// said reports whether a word for phones stands before. Such words are common,
// so they must be near.
func (p *phonePlan) said(n *numberAt, start int) bool {
	return p.words.before(n.s, start, max(n.lo, start-40), n.work)
}

// read takes digits and what may stand between them: one or two of space, dash,
// dot, slash and brackets.
func (p *phoneText) read(s string, i int) {
	for i < len(s) && (s[i] == '+' || s[i] == '(') {
		p.open = p.open || s[i] == '('
		i++
	}
	for p.groups < maxPhoneGroups {
		from := i
		for i < len(s) && isDigit(s[i]) {
			if p.n == maxPhoneDigits {
				p.drop(from)
				return
			}
			p.digits[p.n] = s[i]
			p.n++
			i++
		}
		tail := extension(s, i)
		if i == from || i < len(s) && isWord(s[i]) && tail == 0 {
			p.drop(from)
			return
		}
		p.parts[p.groups], p.ends[p.groups] = i-from, i+tail
		p.groups++
		if p.end = i + tail; tail > 0 {
			return
		}
		sep := i
		for i < len(s) && i-sep < 3 && strings.IndexByte(" -./()", s[i]) >= 0 {
			i++
		}
		if i == sep || i >= len(s) || !isDigit(s[i]) {
			return
		}
		p.closed = p.closed || strings.IndexByte(s[sep:i], ')') >= 0
		p.seps[p.groups-1] = s[sep]
		if i-sep > 1 && s[sep] != ')' && s[i-1] != '(' && !(s[sep] == ' ' && (s[sep+1] == '-' || s[sep+1] == '/')) {
			return
		}
	}
}

// extension is the length of an x123 at s[i], which hangs on a number.
func extension(s string, i int) int {
	if i+1 >= len(s) || fold(s[i]) != 'x' {
		return 0
	}
	if n := digitsAt(s, i+1); n > 0 && n <= 6 {
		return n + 1
	}
	return 0
}

// drop forgets the digits of a group that is none.
func (p *phoneText) drop(from int) {
	p.n = 0
	for _, n := range p.parts[:p.groups] {
		p.n += n
	}
	_ = from
}

// international returns where the number ends whose country code starts at the
// given digit: the longest run of whole groups that the country's plan allows.
func (p *phonePlan) international(t *phoneText, from int) int {
	code := 0
	for k := 0; k < 3 && from+k < t.n; k++ {
		code = code*10 + int(t.digits[from+k]-'0')
		size := p.size[code]
		if size[0] == 0 || code == 0 {
			continue
		}
		if code == 1 && (from+4 >= t.n || t.digits[from+1] < '2' || t.digits[from+4] < '2' && t.lineStart) {
			return 0
		}
		zero := 0 // +44 (0)20: the trunk's zero is not counted
		if t.closed && from+k+1 < t.n && t.digits[from+k+1] == '0' {
			zero = 1
		}
		return t.longest(from+zero+int(size[0]), from+zero+int(size[1]))
	}
	return 0
}

func (t *phoneText) longest(lo, hi int) (end int) {
	total := 0
	for g := 0; g < t.groups; g++ {
		if total += t.parts[g]; total >= lo && total <= hi {
			end = t.ends[g]
		}
	}
	return end
}

// grouped returns where a number in a country's own groups ends.
func (p *phonePlan) grouped(t *phoneText) int {
	if t.open && t.closed && t.groups >= 2 { // (415) 555-0123, (11) 98765-4321, (020) 7946 0958
		d := 0
		for _, n := range t.parts[:t.groups] {
			d += n
		}
		trunk := t.digits[0] == '0' && t.digits[1] != '0'
		if t.parts[0] >= 2 && t.parts[0] <= 5 && (trunk || t.digits[0] != '0' && d > 9 && (t.parts[0] != 3 || t.digits[0] > '1')) && d >= 9 && d <= 12 && t.parts[t.groups-1] >= 2 && t.parts[1] >= 2 {
			return t.end
		}
	}
	if t.open != t.closed {
		return 0
	}
	for i := range p.Groups {
		if g := &p.Groups[i]; g.fits(t) {
			return t.end
		}
	}
	return 0
}

func (g *phoneGroups) fits(t *phoneText) bool {
	if len(g.Parts) != t.groups {
		return false
	}
	for i, n := range g.Parts {
		if t.parts[i] != n || i > 0 && (t.seps[i-1] != t.seps[0] || strings.IndexByte(g.By, t.seps[i-1]) < 0) {
			return false
		}
	}
	if g.Trunk && (t.digits[0] != '0' || t.digits[1] == '0') {
		return false
	}
	if g.NANP {
		d := t.digits[:t.n]
		if len(d) == 11 {
			if d[0] != '1' {
				return false
			}
			d = d[1:]
		}
		return d[0] >= '2' && d[3] >= '2'
	}
	return true
}

func year(d []byte) bool { return d[0] == '1' && d[1] == '9' || d[0] == '2' && d[1] == '0' }

// coordinates reports whether the groups are those of a place, +4612-05957 or
// +394421-1045903 (ISO 6709).
func (t *phoneText) coordinates() bool {
	return t.groups == 2 && t.seps[0] == '-' && (t.parts[0] == 4 && t.parts[1] == 5 || t.parts[0] == 6 && t.parts[1] == 7)
}

// codePoints reports whether the groups are more those of a list of characters,
// 0061 0323 0306, than those of a number.
func (t *phoneText) codePoints() bool {
	for _, n := range t.parts[:t.groups] {
		if n != 4 {
			return false
		}
	}
	return t.groups > 1
}

// tooRagged reports whether the groups are more those of a list or a date than
// those of a number.
func (t *phoneText) tooRagged() bool {
	single := 0
	for _, n := range t.parts[:t.groups] {
		if n == 1 {
			single++
		}
	}
	if t.groups == 2 && t.parts[0] == 4 && t.parts[1] == 4 && year(t.digits[:4]) && year(t.digits[4:8]) {
		return true // 2017-2020
	}
	date := t.groups >= 3 && t.parts[0] == 4 && t.parts[1] == 2 && t.parts[2] == 2 && t.seps[0] == '-'
	return single > 1 || date
}

// betweenColons reports whether the number is a part of a name whose parts colons
// separate, as accounts are in those of cloud resources.
func betweenColons(s string, start, end int) bool {
	return start > 0 && s[start-1] == ':' && end < len(s) && s[end] == ':'
}
