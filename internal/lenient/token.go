package lenient

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// next returns the next byte that is not white space, 0 at the end.
func (w *walker) next() byte {
	for w.pos < len(w.buf) {
		c := w.buf[w.pos]
		w.pos++
		if c > ' ' || c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return c
		}
	}
	return 0
}

// rest reads what is left of a literal.
func (w *walker) rest(s string) bool {
	return w.begins(s) || w.syntax("must be null, true or false where it begins like one")
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// quoted reads a string whose opening quote is read, and returns it as it is
// written. Control characters are refused up to the first escape, as the decoder
// has it.
func (w *walker) quoted() (raw []byte, escaped, ok bool) {
	buf, i := w.buf, w.pos
	for ; i+8 <= len(buf); i += 8 {
		x := binary.LittleEndian.Uint64(buf[i:])
		q, e := x^(ones*'"'), x^(ones*'\\')
		hit := ((q - ones) &^ q) | ((e - ones) &^ e) | ((x - ones*' ') &^ x)
		if hit &= highs; hit != 0 {
			i += bits.TrailingZeros64(hit) / 8
			break
		}
	}
	for ; i < len(buf); i++ {
		switch c := buf[i]; {
		case c == '"':
			raw, w.pos = buf[w.pos:i], i+1
			return raw, false, true
		case c == '\\':
			start := w.pos
			w.pos = i
			if !w.escapes() {
				return nil, false, false
			}
			return buf[start : w.pos-1], true, true
		case c < ' ':
			w.pos = i
			return nil, false, w.syntax("must not have a control character in a string")
		}
	}
	w.pos = i
	return nil, false, w.syntax("must have an end of the string")
}

// escapes reads the rest of a string from its first escape on.
func (w *walker) escapes() bool {
	for w.pos < len(w.buf) {
		if rest := w.buf[w.pos:]; len(rest) >= 8 {
			x := binary.LittleEndian.Uint64(rest)
			q, e := x^(ones*'"'), x^(ones*'\\')
			hit := (((q - ones) &^ q) | ((e - ones) &^ e)) & highs
			w.pos += bits.TrailingZeros64(hit) / 8 // 8 if there is none
			if hit == 0 {
				continue
			}
		}
		c := w.buf[w.pos]
		w.pos++
		if c == '"' {
			return true
		}
		if c != '\\' {
			continue
		}
		if w.pos == len(w.buf) {
			break
		}
		c = w.buf[w.pos]
		w.pos++
		switch c {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		case 'u':
			if _, ok := hex4(w.buf[w.pos:]); !ok {
				return w.syntax(`must have four hex digits after \u`)
			}
			w.pos += 4
		default:
			return w.syntax("must have a known letter after the backslash")
		}
	}
	return w.syntax("must have an end of the string")
}

func hex4(b []byte) (r rune, ok bool) {
	if len(b) < 4 {
		return 0, false
	}
	for _, c := range b[:4] {
		if hexValue[c] < 0 {
			return 0, false
		}
		r = r<<4 | rune(hexValue[c])
	}
	return r, true
}

// hexValue is the value of a hex digit, -1 for other bytes.
var hexValue = func() (t [256]int8) {
	for i := range t {
		t[i] = -1
	}
	for i, c := range "0123456789abcdef" {
		t[c] = int8(i)
	}
	for i, c := range "ABCDEF" {
		t[c] = int8(10 + i)
	}
	return t
}()

// unescaped returns a string that quoted has read, without its escapes, until the
// next call.
func (w *walker) unescaped(raw []byte) []byte {
	out := w.scratch[:0]
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			out = append(out, raw[i])
			continue
		}
		i++
		switch raw[i] {
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			r, _ := hex4(raw[i+1:])
			i += 4
			if utf16.IsSurrogate(r) && i+6 < len(raw) && raw[i+1] == '\\' && raw[i+2] == 'u' {
				low, _ := hex4(raw[i+3:])
				if both := utf16.DecodeRune(r, low); both != utf8.RuneError {
					r = both
					i += 6
				}
			}
			out = utf8.AppendRune(out, r)
		default:
			out = append(out, raw[i])
		}
	}
	w.scratch = out
	return out
}

// skip reads the value of an unknown field.
func (w *walker) skip() bool {
	switch c := w.next(); c {
	case '"':
		_, _, ok := w.quoted()
		return ok
	case 'n':
		return w.rest("ull")
	case 't':
		return w.rest("rue")
	case 'f':
		return w.rest("alse")
	case '0':
		w.pos--
		return w.magnitude(32)
	case '-', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return w.skipNumber(c)
	case '[':
		return w.skipAll(']', false)
	case '{':
		return w.skipAll('}', true)
	default:
		return w.syntax("must be a value")
	}
}

// skipAll reads the rest of an array or an object.
func (w *walker) skipAll(end byte, keyed bool) bool {
	if w.depth++; w.depth > w.max {
		return w.tooDeep()
	}
	c := w.next()
	if c == end {
		w.depth--
		return true
	}
	if c == 0 {
		return w.syntax("must have an end")
	}
	w.pos--
	for first := true; ; first = false {
		if keyed {
			switch c := w.next(); {
			case c == '"':
				if _, _, ok := w.quoted(); !ok {
					return false
				}
			case c == 'n' && !first:
				if !w.rest("ull") {
					return false
				}
			default:
				return w.syntax("must have a key")
			}
			if !w.colon() {
				return false
			}
		}
		if !w.skip() {
			return false
		}
		switch w.next() {
		case ',':
		case end:
			w.depth--
			return true
		default:
			return w.syntax("must have a comma or an end after the value")
		}
	}
}
