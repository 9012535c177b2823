package lenient

import (
	"math"
	"strconv"
)

// integer reads a whole number of some bits, bare or in quotes.
func (w *walker) integer(bits int, signed bool) bool {
	c := w.next()
	switch {
	case c == '"':
		raw, escaped, ok := w.quoted()
		if !ok {
			return false
		}
		if escaped {
			raw = w.unescaped(raw)
		}
		if !isInteger(raw, bits, signed) {
			return w.value(wantInteger(bits, signed))
		}
		return true
	case c == '-' || isDigit(c):
		return w.bareInteger(c, bits, signed)
	default:
		return w.value(wantInteger(bits, signed))
	}
}

func wantInteger(bits int, signed bool) string {
	if signed {
		return "must be an integer of " + strconv.Itoa(bits) + " bits"
	}
	return "must be an integer of " + strconv.Itoa(bits) + " bits, not below 0"
}

func isInteger(s []byte, bits int, signed bool) bool {
	if n := len(s); n > 0 && (n <= 9 || bits == 64 && (n <= 18 || n == 19 && !signed)) && allDigits(s) {
		return true
	}
	var err error
	if signed {
		_, err = strconv.ParseInt(string(s), 10, bits)
	} else {
		_, err = strconv.ParseUint(string(s), 10, bits)
	}
	return err == nil
}

func isDigit(c byte) bool { return c-'0' <= 9 }

func allDigits(s []byte) bool {
	for _, c := range s {
		if !isDigit(c) {
			return false
		}
	}
	return true
}

// bareInteger reads a number whose first byte is read. The decoder notices an
// overflow by a sum that has become smaller, so some that are much too large pass.
func (w *walker) bareInteger(c byte, bits int, signed bool) bool {
	negative := c == '-'
	if negative {
		if !signed || w.pos == len(w.buf) {
			return w.value(wantInteger(bits, signed))
		}
		c = w.buf[w.pos]
		w.pos++
	}
	if !isDigit(c) {
		return w.value(wantInteger(bits, signed))
	}
	top := uint64(math.MaxUint64)
	if bits == 32 {
		top = math.MaxUint32
	}
	v := uint64(c - '0')
	for i := w.pos; v != 0 && i < len(w.buf) && isDigit(w.buf[i]); i++ {
		w.pos = i + 1
		d := uint64(w.buf[i] - '0')
		if v > top/10-1 {
			more := (v*10 + d) & top
			if more < v {
				return w.value(wantInteger(bits, signed))
			}
			v = more
			continue
		}
		v = v*10 + d
	}
	if limit := top >> 1; signed && (v > limit && !negative || v > limit+1) {
		return w.value(wantInteger(bits, signed))
	}
	if w.pos < len(w.buf) && inNumber[w.buf[w.pos]] {
		return w.value(wantInteger(bits, signed))
	}
	return true
}

// inNumber are the bytes that a number may have.
var inNumber = func() (t [256]bool) {
	for _, c := range "+-.eE0123456789" {
		t[c] = true
	}
	return t
}()

const wantDouble = `must be a number of 64 bits, "NaN", "Infinity" or "-Infinity"`

// double reads a number with or without a fraction, bare or in quotes.
func (w *walker) double() bool {
	switch c := w.next(); {
	case c == '"':
		raw, escaped, ok := w.quoted()
		if !ok {
			return false
		}
		if escaped {
			raw = w.unescaped(raw)
		}
		if _, err := strconv.ParseFloat(string(raw), 64); err != nil {
			return w.value(wantDouble)
		}
		return true
	case c == '-':
		return w.magnitude(64)
	case isDigit(c):
		w.pos--
		return w.magnitude(64)
	default:
		return w.value(wantDouble)
	}
}

// magnitude reads a number without its sign.
func (w *walker) magnitude(bits int) bool {
	start := w.pos
	for w.pos < len(w.buf) && inNumber[w.buf[w.pos]] {
		w.pos++
	}
	if !isMagnitude(w.buf[start:w.pos], bits) {
		return w.value(wantDouble)
	}
	return true
}

func isMagnitude(s []byte, bits int) bool {
	switch {
	case len(s) == 0 || s[0] == '.' || s[0] == '-':
		return false
	case s[0] == '0' && len(s) > 1 && isDigit(s[1]):
		return false
	}
	simple := len(s) <= 30
	for i, c := range s {
		if c == '.' {
			if i+1 == len(s) || !isDigit(s[i+1]) {
				return false
			}
			return simple && allDigits(s[i+1:]) || parses(s, bits)
		}
		if !isDigit(c) {
			return parses(s, bits)
		}
	}
	return simple || parses(s, bits)
}

func parses(s []byte, bits int) bool {
	_, err := strconv.ParseFloat(string(s), bits)
	return err == nil
}

// skipNumber reads a number of an unknown field whose first byte is read.
func (w *walker) skipNumber(first byte) bool {
	dot := false
	for i := w.pos; i < len(w.buf); i++ {
		switch c := w.buf[i]; {
		case isDigit(c):
			continue
		case c == '.':
			if dot || i+1 < len(w.buf) && !isDigit(w.buf[i+1]) {
				return w.value("must be a number")
			}
			dot = true
			continue
		case i > w.pos && (c == ',' || c == ']' || c == '}' || c == ' ' || c == '\t' || c == '\n' || c == '\r'):
			w.pos = i
			return true
		}
		break
	}
	if first != '-' {
		w.pos--
	}
	return w.magnitude(64)
}
