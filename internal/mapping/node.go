package mapping

import (
	"strings"
	"unicode/utf8"
)

type nodeKind uint8

const (
	nodeNull nodeKind = iota
	nodeBool
	nodeNumber
	nodeString
	nodeList
	nodeObject
)

// node is a value of a content tree. read marks what the result represents:
// what is not read at the end keeps the source in its place.
type node struct {
	kind        nodeKind
	raw         bool // text is still escaped as in JSON
	read        bool
	name        string // in an object
	text        string // of a string, a number, true and false
	first, last *node  // of a list or an object
	next        *node  // brother
	inner       *node  // the value inside a text that is JSON again
}

// Bounds of one content value; a larger one is left where it is.
const (
	maxNodes  = 1 << 17
	nodeChunk = 64
)

// tree owns the nodes of one content value. Its memory is used again.
type tree struct {
	chunks [][]node
	used   int
	total  int
}

func (t *tree) reset() {
	for i := range t.chunks {
		clear(t.chunks[i])
	}
	t.chunks = t.chunks[:min(len(t.chunks), 4)]
	t.used, t.total = 0, 0
}

// grow gives a new node, nil beyond the bound.
func (t *tree) grow(kind nodeKind) *node {
	if t.total >= maxNodes {
		return nil
	}
	if t.used/nodeChunk >= len(t.chunks) {
		t.chunks = append(t.chunks, make([]node, nodeChunk))
	}
	n := &t.chunks[t.used/nodeChunk][t.used%nodeChunk]
	t.used++
	t.total++
	n.kind = kind
	return n
}

func (t *tree) str(text string) *node {
	n := t.grow(nodeString)
	if n != nil {
		n.text = text
	}
	return n
}

func (n *node) add(kid *node) {
	if n.last == nil {
		n.first = kid
	} else {
		n.last.next = kid
	}
	n.last = kid
}

// get is a member of an object; nil of anything else.
func (n *node) get(name string) *node {
	if n == nil || n.kind != nodeObject {
		return nil
	}
	for k := n.first; k != nil; k = k.next {
		if k.name == name {
			return k
		}
	}
	return nil
}

// any is the first member of several names that is there and not null.
func (n *node) any(names ...string) *node {
	for _, name := range names {
		if k := n.get(name); k != nil && k.kind != nodeNull {
			return k
		}
	}
	return nil
}

func (n *node) isString() bool { return n != nil && n.kind == nodeString }
func (n *node) isList() bool   { return n != nil && n.kind == nodeList }
func (n *node) isObject() bool { return n != nil && n.kind == nodeObject }

// word is the text of a string, without marking it read.
func (n *node) word() string {
	if !n.isString() {
		return ""
	}
	if n.raw {
		n.text, n.raw = unescape(n.text), false
	}
	return n.text
}

// take is word, and marks it read.
func (n *node) take() string {
	if n != nil {
		n.read = true
	}
	return n.word()
}

// rest reports whether something below was not read.
func (n *node) rest() bool {
	switch {
	case n == nil || n.read || n.kind == nodeNull:
		return false
	case n.inner != nil:
		return n.inner.rest()
	case n.kind == nodeList || n.kind == nodeObject:
		for k := n.first; k != nil; k = k.next {
			if k.rest() {
				return true
			}
		}
		return false
	}
	return true
}

// parse reads JSON; nil if it is malformed or beyond the bounds.
func (t *tree) parse(text string) *node {
	if len(text) > maxJSONBytes {
		return nil
	}
	p := jsonScanner{s: text}
	p.space()
	n := t.parseValue(&p)
	p.space()
	if p.i != len(text) {
		return nil
	}
	return n
}

func (t *tree) parseValue(p *jsonScanner) *node {
	if p.i >= len(p.s) {
		return nil
	}
	switch c := p.s[p.i]; c {
	case '{':
		return t.parseObject(p)
	case '[':
		return t.parseList(p)
	case '"':
		raw, escaped, ok := p.strict()
		n := t.grow(nodeString)
		if !ok || n == nil {
			return nil
		}
		n.text, n.raw = raw, escaped
		return n
	default:
		return t.parsePlain(p)
	}
}

func (t *tree) parseObject(p *jsonScanner) *node {
	n := t.grow(nodeObject)
	if n == nil || !p.open('{') {
		return nil
	}
	p.space()
	for !p.byte('}') {
		if n.first != nil && !p.byte(',') {
			return nil
		}
		p.space()
		name, escaped, ok := p.strict()
		if !ok {
			return nil
		}
		if escaped {
			name = unescape(name)
		}
		if p.space(); !p.byte(':') {
			return nil
		}
		p.space()
		kid := t.parseValue(p)
		if kid == nil {
			return nil
		}
		kid.name = name
		n.add(kid)
		p.space()
	}
	p.depth--
	return n
}

func (t *tree) parseList(p *jsonScanner) *node {
	n := t.grow(nodeList)
	if n == nil || !p.open('[') {
		return nil
	}
	p.space()
	for !p.byte(']') {
		if n.first != nil && !p.byte(',') {
			return nil
		}
		p.space()
		kid := t.parseValue(p)
		if kid == nil {
			return nil
		}
		n.add(kid)
		p.space()
	}
	p.depth--
	return n
}

func (t *tree) parsePlain(p *jsonScanner) *node {
	start := p.i
	for p.i < len(p.s) && strings.IndexByte(",]} \t\r\n", p.s[p.i]) < 0 {
		p.i++
	}
	word := p.s[start:p.i]
	kind := nodeNumber
	switch word {
	case "null":
		kind = nodeNull
	case "true", "false":
		kind = nodeBool
	default:
		if !isJSONNumber(word) {
			return nil
		}
	}
	n := t.grow(kind)
	if n != nil {
		n.text = word
	}
	return n
}

// isJSONNumber checks the grammar, since numbers are copied as they are.
func isJSONNumber(s string) bool {
	s = strings.TrimPrefix(s, "-")
	digits := func() bool {
		n := 0
		for n < len(s) && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		ok := n > 0
		s = s[n:]
		return ok
	}
	if strings.HasPrefix(s, "0") {
		s = s[1:]
	} else if !digits() {
		return false
	}
	if rest, ok := strings.CutPrefix(s, "."); ok {
		if s = rest; !digits() {
			return false
		}
	}
	if s != "" && (s[0] == 'e' || s[0] == 'E') {
		s = strings.TrimLeft(s[1:], "+-")
		if !digits() {
			return false
		}
	}
	return s == ""
}

// strict reads a string whose escapes are well formed, so that it can be copied
// into a result as it is.
func (p *jsonScanner) strict() (raw string, escaped, ok bool) {
	if p.i >= len(p.s) || p.s[p.i] != '"' {
		return "", false, false
	}
	start := p.i + 1
	for i := start + plainRun(p.s, start); i < len(p.s); i++ {
		switch c := p.s[i]; {
		case c == '"':
			p.i = i + 1
			return p.s[start:i], escaped, true
		case c == '\\':
			escaped = true
			if i++; i >= len(p.s) {
				return "", false, false
			}
			if p.s[i] == 'u' {
				if i+4 >= len(p.s) || !isHex(p.s[i+1:i+5]) {
					return "", false, false
				}
				i += 4
			} else if strings.IndexByte(`"\/bfnrt`, p.s[i]) < 0 {
				return "", false, false
			}
			i += plainRun(p.s, i+1)
		case c < ' ':
			return "", false, false
		}
	}
	return "", false, false
}

func isHex(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i] | 0x20; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// appendNode writes JSON. With onlyRest what is read is left out.
func appendNode(b []byte, n *node, onlyRest bool) []byte {
	switch n.kind {
	case nodeNull:
		return append(b, "null"...)
	case nodeString:
		if n.raw {
			b = append(b, '"')
			b = append(b, n.text...)
			return append(b, '"')
		}
		return appendText(b, n.text)
	case nodeList, nodeObject:
		open, shut := byte('['), byte(']')
		if n.kind == nodeObject {
			open, shut = '{', '}'
		}
		b = append(b, open)
		empty := true
		for k := n.first; k != nil; k = k.next {
			if onlyRest && !k.rest() {
				continue
			}
			if !empty {
				b = append(b, ',')
			}
			empty = false
			if n.kind == nodeObject {
				b = append(appendText(b, k.name), ':')
			}
			b = appendNode(b, k, onlyRest)
		}
		return append(b, shut)
	}
	return append(b, n.text...)
}

const hexDigits = "0123456789abcdef"

// plainRun is the number of bytes from i on, in steps of eight, that are ASCII and
// stand in a JSON string as they are. Borrows may flag a byte too many, never one
// too few.
func plainRun(s string, i int) int {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	from := i
	for ; i+8 <= len(s); i += 8 {
		w := load64(s, i)
		if (w|(w-' '*ones)|(w^'"'*ones-ones)|(w^'\\'*ones-ones))&high != 0 {
			break
		}
	}
	return i - from
}

// appendText writes a JSON string.
func appendText(b []byte, s string) []byte {
	b = append(b, '"')
	start := 0
	for i := plainRun(s, 0); i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r != utf8.RuneError || size > 1 {
				i += size
				continue
			}
			b = append(append(b, s[start:i]...), `\ufffd`...)
			i++
			start = i
			continue
		}
		b = append(b, s[start:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\t':
			b = append(b, '\\', 't')
		case '\r':
			b = append(b, '\\', 'r')
		default:
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		i++
		start = i
		i += plainRun(s, i)
	}
	return append(append(b, s[start:]...), '"')
}
