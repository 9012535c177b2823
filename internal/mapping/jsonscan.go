package mapping

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Bounds of JSON inside an attribute: longer or deeper text is left alone.
const (
	maxJSONBytes = 4 << 20
	maxJSONDepth = 64
)

// jsonPaths is a tree of the member names that fields want from one attribute.
// In a list a name is an index, * is every element and -1 the last.
type jsonPaths struct {
	slot int32       // where the value goes, -1 if only members are wanted
	key  int32       // id of the attribute
	many bool        // the path has a *, so that there may be several values
	kids [][]jsonKid // by length of the name
	each *jsonPaths
	last *jsonPaths
}

// jsonKid is a wanted member. Few have names of one length, so that looking at
// each is cheaper than a map.
type jsonKid struct {
	name string
	node *jsonPaths
}

func (p *jsonPaths) kid(name string) *jsonPaths {
	if len(name) >= len(p.kids) {
		return nil
	}
	kids := p.kids[len(name)]
	for i := range kids {
		if kids[i].name == name {
			return kids[i].node
		}
	}
	return nil
}

func (p *jsonPaths) addKid(name string) *jsonPaths {
	for len(p.kids) <= len(name) {
		p.kids = append(p.kids, nil)
	}
	kid := newJSONPaths()
	p.kids[len(name)] = append(p.kids[len(name)], jsonKid{name, kid})
	return kid
}

func newJSONPaths() *jsonPaths { return &jsonPaths{slot: -1} }

// at returns the node of a path such as a.b; a # steps into JSON that is text
// inside JSON, which the scanner does by itself.
func (p *jsonPaths) at(path string) *jsonPaths {
	leaf, _ := p.atNames(splitPath(path))
	return leaf
}

func (p *jsonPaths) atNames(path []string) (leaf *jsonPaths, many bool) {
	for _, name := range path {
		var at **jsonPaths
		switch name {
		case everyElement:
			at, many = &p.each, true
		case lastElement:
			at = &p.last
		default:
			kid := p.kid(name)
			if kid == nil {
				kid = p.addKid(name)
			}
			p = kid
			continue
		}
		if *at == nil {
			*at = newJSONPaths()
		}
		p = *at
	}
	return p, many
}

const (
	everyElement = "*"
	lastElement  = "-1"
)

// jsonScanner reads wanted members of one JSON value in a single pass. It
// allocates only for wanted strings with escapes.
type jsonScanner struct {
	s     string
	i     int
	depth int
}

// jsonSink takes a wanted value.
type jsonSink func(leaf *jsonPaths, d datum)

// scanJSON gives found the value of each wanted member. It answers false if the
// text is malformed; members before the fault were given.
func scanJSON(text string, want *jsonPaths, found jsonSink) bool {
	if len(text) > maxJSONBytes {
		return false
	}
	p := jsonScanner{s: text}
	p.space()
	if !p.value(want, found) {
		return false
	}
	p.space()
	return p.i == len(p.s)
}

func (p *jsonScanner) object(want *jsonPaths, found jsonSink) bool {
	if !p.open('{') {
		return false
	}
	if p.space(); p.byte('}') {
		p.depth--
		return true
	}
	for {
		p.space()
		name, escaped, ok := p.str()
		if !ok {
			return false
		}
		if escaped {
			name = unescape(name)
		}
		if p.space(); !p.byte(':') {
			return false
		}
		p.space()
		var next *jsonPaths
		if want != nil {
			next = want.kid(name)
		}
		if !p.value(next, found) {
			return false
		}
		p.space()
		if p.byte(',') {
			continue
		}
		p.depth--
		return p.byte('}')
	}
}

func (p *jsonScanner) array(want *jsonPaths, found jsonSink) bool {
	if !p.open('[') {
		return false
	}
	if p.space(); p.byte(']') {
		p.depth--
		return true
	}
	for n := 0; ; n++ {
		p.space()
		start := p.i
		if !p.element(want, n, found) {
			return false
		}
		p.space()
		if p.byte(',') {
			continue
		}
		if want != nil && want.last != nil {
			again := jsonScanner{s: p.s, i: start, depth: p.depth}
			again.value(want.last, found)
		}
		p.depth--
		return p.byte(']')
	}
}

// element reads element n; one that is wanted by its index and as one of all is
// read twice.
func (p *jsonScanner) element(want *jsonPaths, n int, found jsonSink) bool {
	if want == nil {
		return p.value(nil, nil)
	}
	next := want.each
	if want.kids != nil {
		if own := want.kid(strconv.Itoa(n)); own != nil {
			if next != nil {
				start, depth := p.i, p.depth
				if !p.value(own, found) {
					return false
				}
				p.i, p.depth = start, depth
			} else {
				next = own
			}
		}
	}
	return p.value(next, found)
}

// value reads any value; want may be nil.
func (p *jsonScanner) value(want *jsonPaths, found jsonSink) bool {
	if p.i >= len(p.s) {
		return false
	}
	start := p.i
	var d datum
	switch c := p.s[p.i]; c {
	case '{':
		if !p.object(want, found) {
			return false
		}
		d = datum{kind: kindJSON, s: p.s[start:p.i]}
	case '[':
		if !p.array(want, found) {
			return false
		}
		d = datum{kind: kindJSON, s: p.s[start:p.i]}
	case '"':
		raw, escaped, ok := p.str()
		if !ok {
			return false
		}
		if want == nil {
			return true
		}
		if escaped {
			raw = unescape(raw)
		}
		if (want.kids != nil || want.each != nil || want.last != nil) && p.depth < maxJSONDepth {
			inner := jsonScanner{s: raw, depth: p.depth + 1}
			inner.inside(want, found)
		}
		d = stringDatum(raw)
	default:
		var ok bool
		if d, ok = p.plain(); !ok {
			return false
		}
	}
	if want != nil && want.slot >= 0 {
		found(want, d)
	}
	return true
}

// inside reads the members of a text that is JSON again, or what Python prints.
func (p *jsonScanner) inside(want *jsonPaths, found jsonSink) {
	if p.space(); p.i == len(p.s) || p.s[p.i] != '{' && p.s[p.i] != '[' {
		return
	}
	if isPython(p.s[p.i:]) {
		if text, ok := pythonJSON(p.s); ok {
			p.s, p.i = text, 0
		}
	}
	if p.s[p.i] == '{' {
		p.object(want, found)
	} else {
		p.array(want, found)
	}
}

// plain reads true, false, null or a number.
func (p *jsonScanner) plain() (datum, bool) {
	start := p.i
	for p.i < len(p.s) && !endsPlain(p.s[p.i]) {
		p.i++
	}
	if p.i == len(p.s) && start > 0 { // cut off: 0. may have been 0.95
		return datum{}, false
	}
	switch word := p.s[start:p.i]; word {
	case "true":
		return boolDatum(true), true
	case "false":
		return boolDatum(false), true
	case "null":
		return datum{}, true
	case "":
		return datum{}, false
	default:
		return plainNumber(word)
	}
}

// plainNumber reads a number; short ones are the most frequent.
func plainNumber(word string) (datum, bool) {
	if c := word[0]; c != '-' && (c < '0' || c > '9') {
		return datum{}, false
	}
	if d, ok := shortNumber(word); ok {
		return d, true
	}
	if !strings.ContainsAny(word, ".eE") {
		if d, out := coerceInt(stringDatum(word)); out == fits {
			return d, true
		}
	}
	d, out := coerceDouble(stringDatum(word))
	return d, out == fits
}

// shortNumber reads digits, with or without a point between them. A double holds
// so few digits exactly, and the power of ten too: their quotient is rounded once.
func shortNumber(word string) (datum, bool) {
	digits := strings.TrimPrefix(word, "-")
	if len(digits) == 0 || len(digits) > maxShort {
		return datum{}, false
	}
	n, point := int64(0), -1
	for i := 0; i < len(digits); i++ {
		switch c := digits[i] - '0'; {
		case c <= 9:
			n = 10*n + int64(c)
		case digits[i] == '.' && point < 0 && i > 0 && i < len(digits)-1:
			point = i
		default:
			return datum{}, false
		}
	}
	minus := len(digits) < len(word)
	if point < 0 {
		if minus {
			n = -n
		}
		return datum{kind: kindInt, i: n}, true
	}
	f := float64(n) / powersOfTen[len(digits)-point-1]
	if minus {
		f = -f
	}
	return datum{kind: kindDouble, f: f}, true
}

// maxShort is the length up to which all digits fit into a double's mantissa.
const maxShort = 15

var powersOfTen = [maxShort]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14}

func endsPlain(c byte) bool {
	switch c {
	case ',', ']', '}', ' ', '\t', '\r', '\n':
		return true
	}
	return false
}

// str reads a string and gives what is between the quotes.
func (p *jsonScanner) str() (raw string, escaped, ok bool) {
	if p.i >= len(p.s) || p.s[p.i] != '"' {
		return "", false, false
	}
	p.i++
	start := p.i
	for near := min(len(p.s), start+shortText); p.i < near; p.i++ { // names and words are short
		switch p.s[p.i] {
		case '"':
			p.i++
			return p.s[start : p.i-1], false, true
		case '\\':
			return p.longStr(start)
		}
	}
	return p.longStr(start)
}

const shortText = 32

// longStr goes from quote to quote, and from backslash to backslash between
// them. It looks for a quote once, not once a backslash.
func (p *jsonScanner) longStr(start int) (raw string, escaped, ok bool) {
	end := p.i - 1 // of the last quote that was found
	for {
		if end < p.i {
			j := strings.IndexByte(p.s[p.i:], '"')
			if j < 0 {
				return "", false, false
			}
			end = p.i + j
		}
		b := strings.IndexByte(p.s[p.i:end], '\\')
		if b < 0 {
			p.i = end + 1
			return p.s[start:end], escaped, true
		}
		escaped = true
		if p.i += b + 2; p.i > len(p.s) {
			return "", false, false
		}
	}
}

func (p *jsonScanner) open(c byte) bool {
	if p.depth++; p.depth > maxJSONDepth {
		return false
	}
	return p.byte(c)
}

func (p *jsonScanner) byte(c byte) bool {
	if p.i < len(p.s) && p.s[p.i] == c {
		p.i++
		return true
	}
	return false
}

func (p *jsonScanner) space() {
	for p.i < len(p.s) {
		switch p.s[p.i] {
		case ' ', '\t', '\r', '\n':
			p.i++
		default:
			return
		}
	}
}

func unescape(raw string) string {
	var out string
	if json.Unmarshal([]byte(`"`+raw+`"`), &out) != nil {
		return raw
	}
	return out
}

// jsonStrings reads a JSON array of plain values.
func jsonStrings(text string) ([]string, bool) {
	if len(text) > maxJSONBytes {
		return nil, false
	}
	p := jsonScanner{s: text}
	p.space()
	if !p.byte('[') {
		return nil, false
	}
	var out []string
	for first := true; ; first = false {
		p.space()
		if p.byte(']') {
			break
		}
		if !first && !p.byte(',') {
			return nil, false
		}
		p.space()
		e, ok := p.listed()
		if !ok {
			return nil, false
		}
		if s, has := e.text(); has {
			out = append(out, s)
		}
	}
	p.space()
	return out, p.i == len(p.s)
}

// listed reads a string, a number, a boolean or null.
func (p *jsonScanner) listed() (datum, bool) {
	if p.i >= len(p.s) || p.s[p.i] != '"' {
		return p.plain()
	}
	s, escaped, ok := p.str()
	if escaped {
		s = unescape(s)
	}
	return stringDatum(s), ok
}
