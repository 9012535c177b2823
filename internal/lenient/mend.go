package lenient

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
)

// unset takes a member out of an object, so that its value is not set. With it
// goes one comma: the one before it, or the one after it if there is none before.
func (w *walker) unset(k Kind, at member) bool {
	end := w.pos
	if w.buf[at.lead] == ',' && at.lead >= w.copied {
		w.mend(k, at.lead, end, "")
		return true
	}
	if w.next() == ',' {
		end = w.pos
		w.pos--
	} else {
		w.pos = end
	}
	w.mend(k, max(at.start, w.copied), end, "")
	return true
}

func (w *walker) mendedBool() bool {
	if c := w.next(); c != '"' {
		if c == 0 {
			return w.value(wantBool)
		}
		w.pos--
		return w.boolean()
	}
	start := w.pos - 1
	raw, escaped, ok := w.quoted()
	if !ok {
		return false
	}
	if escaped {
		raw = w.unescaped(raw)
	}
	switch string(raw) {
	case "true", "false":
		w.mend(BoolText, start, w.pos, string(raw))
		return true
	}
	return w.value(wantBool)
}

func (w *walker) mendedDouble(at member) bool {
	switch w.next() {
	case 'n':
		return w.rest("ull") && w.unset(DoubleNull, at)
	case '{':
		if w.next() != '}' {
			return w.value(wantDouble)
		}
		return w.unset(DoubleObject, at)
	case 0:
		return w.value(wantDouble)
	}
	w.pos--
	return w.double()
}

func (w *walker) mendedInt(f *field, at member) bool {
	c := w.next()
	start := w.pos - 1
	var digits []byte
	switch {
	case c == '"':
		raw, escaped, ok := w.quoted()
		if !ok {
			return false
		}
		if escaped {
			raw = w.unescaped(raw)
		}
		if len(raw) == 0 {
			return w.unset(IntEmpty, at)
		}
		if isInteger(raw, 64, true) {
			return true
		}
		digits = raw
	case c == '-' || isDigit(c):
		end := w.pos
		for end < len(w.buf) && inNumber[w.buf[end]] {
			end++
		}
		if !bytes.ContainsAny(w.buf[w.pos:end], ".eE") {
			return w.bareInteger(c, 64, true)
		}
		digits, w.pos = w.buf[start:end], end
	default:
		return w.value(wantInteger(64, true))
	}
	whole, ok := wholeNumber(string(digits))
	switch {
	case !ok:
		return w.value(wantInteger(64, true))
	case whole != "":
		w.mend(IntIntegral, start, w.pos, whole)
	default:
		w.mend(IntToDouble, at.start, at.colon, `"`+f.double+`"`)
	}
	return true
}

// wholeNumber reads a number of JSON that has a fraction or an exponent. It returns
// the integer that it is, or nothing if it is none that 64 bits hold. It is exact:
// nothing is rounded on the way.
func wholeNumber(s string) (whole string, ok bool) {
	mantissa, exponent := s, 0
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		n, err := strconv.Atoi(s[i+1:])
		if err != nil {
			return "", false
		}
		mantissa, exponent = s[:i], n
	}
	mantissa, negative := strings.CutPrefix(mantissa, "-")
	integer, fraction, dotted := strings.Cut(mantissa, ".")
	switch {
	case !strings.ContainsAny(s, ".eE"), !isDigits(integer), dotted && !isDigits(fraction):
		return "", false
	case len(integer) > 1 && integer[0] == '0', !parses([]byte(s), 64):
		return "", false
	}
	digits := strings.TrimLeft(integer+fraction, "0")
	zeros := len(digits)
	digits = strings.TrimRight(digits, "0")
	zeros += exponent - len(fraction) - len(digits)
	switch {
	case digits == "":
		return "0", true
	case zeros < 0 || len(digits)+zeros > 19:
		return "", true
	}
	whole = digits + strings.Repeat("0", zeros)
	if negative {
		whole = "-" + whole
	}
	if _, err := strconv.ParseInt(whole, 10, 64); err != nil {
		return "", true
	}
	return whole, true
}

func isDigits(s string) bool { return s != "" && allDigits([]byte(s)) }

// id reads an id of some bytes.
func (w *walker) id(size int) bool {
	switch w.next() {
	case '"':
	case 'n':
		start := w.pos - 1
		if !w.rest("ull") {
			return false
		}
		w.mend(IDNull, start, w.pos, `""`)
		return true
	default:
		return w.wrongID(size)
	}
	start := w.pos
	raw, ok := w.verbatim()
	if !ok {
		return false
	}
	if len(raw) == 0 || len(raw) == 2*size && allHex(raw) {
		return true
	}
	if bytes.IndexByte(raw, '\\') >= 0 {
		w.pos = start
		if raw, _, ok = w.quoted(); !ok {
			return false
		}
		raw = w.unescaped(raw)
	}
	if len(raw) < 2*size && allHex(raw) {
		w.mend(IDShort, start-1, w.pos, `"`+strings.Repeat("0", 2*size-len(raw))+string(raw)+`"`)
		return true
	}
	if id := fromBase64(raw, size); id != nil {
		w.mend(IDBase64, start-1, w.pos, `"`+hex.EncodeToString(id)+`"`)
		return true
	}
	return w.wrongID(size)
}

func (w *walker) wrongID(size int) bool {
	return w.value("must be an id of " + strconv.Itoa(2*size) + " hex digits")
}

func allHex(s []byte) bool {
	sign := int8(0)
	for _, c := range s {
		sign |= hexValue[c]
	}
	return sign >= 0
}

// fromBase64 reads an id in either alphabet, with or without padding.
func fromBase64(s []byte, size int) []byte {
	plain := bytes.TrimRight(s, "=")
	if pad := len(s) - len(plain); len(plain) != base64.RawStdEncoding.EncodedLen(size) || pad != 0 && len(s)%4 != 0 {
		return nil
	}
	for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		if id, err := alphabet.DecodeString(string(plain)); err == nil && len(id) == size {
			return id
		}
	}
	return nil
}
