package mapping

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

// pythonJSON turns the text that Python's repr gives for plain values into
// JSON. It reads literals only: dictionaries, lists, tuples, strings, numbers,
// True, False and None.
func pythonJSON(text string) (string, bool) {
	out, lossy, ok := pythonValue(text)
	return out, ok && !lossy
}

// pythonValue also reads what Python prints of objects: Name(key=value, …)
// becomes a dictionary and <Name.WORD: value> its value. lossy says that names
// of classes were left out.
func pythonValue(text string) (out string, lossy, ok bool) {
	if len(text) > maxJSONBytes {
		return "", false, false
	}
	p := pyParser{s: strings.TrimSpace(text)}
	if !p.value(0) || p.i != len(p.s) {
		return "", false, false
	}
	return p.out.String(), p.lossy, true
}

// isPython tells what Python prints from JSON by the quote of its first string.
func isPython(text string) bool {
	for i := 1; i < len(text) && i < 64; i++ {
		switch text[i] {
		case ' ', '\t', '\r', '\n', '[', '{', '(':
		case '\'':
			return true
		default:
			c := text[i] // [Name(…)]
			return c >= 'A' && c <= 'Z'
		}
	}
	return false
}

type pyParser struct {
	s     string
	i     int
	out   strings.Builder
	lossy bool
}

func (p *pyParser) value(depth int) bool {
	if depth > maxJSONDepth || p.i >= len(p.s) {
		return false
	}
	switch c := p.s[p.i]; c {
	case '{':
		return p.sequence('}', '{', '}', true, depth)
	case '[':
		return p.sequence(']', '[', ']', false, depth)
	case '(':
		return p.sequence(')', '[', ']', false, depth)
	case '\'', '"':
		return p.str(c)
	case '<':
		return p.member(depth)
	default:
		if is, ok := p.call(depth); is {
			return ok
		}
		return p.word()
	}
}

// member reads <Name.WORD: value> of an enumeration.
func (p *pyParser) member(depth int) bool {
	colon := strings.IndexByte(p.s[p.i:min(len(p.s), p.i+maxPyName)], ':')
	if colon < 0 || !isPyName(p.s[p.i+1:p.i+colon]) {
		return false
	}
	p.i += colon + 1
	p.space()
	p.lossy = true
	return p.value(depth+1) && p.byte('>')
}

// call reads Name(key=value, …). If the text is none, is is false and nothing was
// read.
func (p *pyParser) call(depth int) (is, ok bool) {
	open := strings.IndexByte(p.s[p.i:min(len(p.s), p.i+maxPyName)], '(')
	if open <= 0 || !isPyName(p.s[p.i:p.i+open]) {
		return false, false
	}
	p.i += open + 1
	p.lossy = true
	p.out.WriteByte('{')
	for first := true; ; first = false {
		p.space()
		if p.byte(')') {
			p.out.WriteByte('}')
			return true, true
		}
		if !first {
			if !p.byte(',') {
				return true, false
			}
			p.out.WriteByte(',')
			p.space()
		}
		eq := strings.IndexByte(p.s[p.i:min(len(p.s), p.i+maxPyName)], '=')
		if eq <= 0 || !isPyName(p.s[p.i:p.i+eq]) {
			return true, false
		}
		p.out.WriteString(strconv.Quote(p.s[p.i : p.i+eq]))
		p.out.WriteByte(':')
		p.i += eq + 1
		if !p.value(depth + 1) {
			return true, false
		}
	}
}

// maxPyName bounds the names of classes and arguments.
const maxPyName = 128

func isPyName(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c != '_' && c != '.' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return s != "" && (s[0] < '0' || s[0] > '9')
}

// sequence reads a bracketed list up to end and writes it with JSON's brackets.
func (p *pyParser) sequence(end, open, shut byte, pairs bool, depth int) bool {
	p.i++
	p.out.WriteByte(open)
	for first := true; ; first = false {
		p.space()
		if p.i < len(p.s) && p.s[p.i] == end {
			p.i++
			p.out.WriteByte(shut)
			return true
		}
		if !first {
			p.out.WriteByte(',')
		}
		if pairs {
			if p.i >= len(p.s) || p.s[p.i] != '\'' && p.s[p.i] != '"' || !p.str(p.s[p.i]) {
				return false
			}
			if p.space(); !p.byte(':') {
				return false
			}
			p.out.WriteByte(':')
			p.space()
		}
		if !p.value(depth + 1) {
			return false
		}
		p.space()
		if p.i >= len(p.s) || p.s[p.i] != ',' && p.s[p.i] != end {
			return false
		}
		p.byte(',')
	}
}

var pyEscapes = map[byte]string{'n': "\n", 't': "\t", 'r': "\r", '\\': "\\", '\'': "'", '"': "\""}

func (p *pyParser) str(quote byte) bool {
	p.i++
	var b strings.Builder
	for p.i < len(p.s) {
		c := p.s[p.i]
		switch {
		case c == quote:
			p.i++
			text, err := json.Marshal(b.String())
			p.out.Write(text)
			return err == nil
		case c == '\\' && p.i+1 < len(p.s):
			if !p.escape(&b) {
				return false
			}
		default:
			b.WriteByte(c)
			p.i++
		}
	}
	return false
}

func (p *pyParser) escape(b *strings.Builder) bool {
	c := p.s[p.i+1]
	p.i += 2
	if text, ok := pyEscapes[c]; ok {
		b.WriteString(text)
		return true
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
	if digits == 0 || p.i+digits > len(p.s) {
		return false
	}
	n, err := strconv.ParseUint(p.s[p.i:p.i+digits], 16, 32)
	if err != nil || !utf8.ValidRune(rune(n)) {
		return false
	}
	b.WriteRune(rune(n))
	p.i += digits
	return true
}

func (p *pyParser) word() bool {
	start := p.i
	for p.i < len(p.s) && strings.IndexByte(",]}): \t\n", p.s[p.i]) < 0 {
		p.i++
	}
	switch w := p.s[start:p.i]; w {
	case "True":
		p.out.WriteString("true")
	case "False":
		p.out.WriteString("false")
	case "None":
		p.out.WriteString("null")
	default:
		if !json.Valid([]byte(w)) || w == "true" || w == "false" || w == "null" {
			return false
		}
		p.out.WriteString(w)
	}
	return true
}

func (p *pyParser) byte(c byte) bool {
	if p.i < len(p.s) && p.s[p.i] == c {
		p.i++
		return true
	}
	return false
}

func (p *pyParser) space() {
	for p.i < len(p.s) && strings.IndexByte(" \t\r\n", p.s[p.i]) >= 0 {
		p.i++
	}
}
