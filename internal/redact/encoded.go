package redact

import "encoding/base64"

// Bounds of a value that is looked at as base64: shorter ones hold nothing that
// a rule finds.
const (
	minEncoded = 16
	maxEncoded = 16 << 10
)

var base64Bytes = func() (set [256]bool) {
	for c := range set {
		set[c] = isWord(byte(c)) || c == '+' || c == '/' || c == '-'
	}
	return set
}()

var base64Values = func() (set [256]uint8) {
	for c := range set {
		set[c] = 0xff
	}
	for i, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") {
		set[c] = uint8(i)
	}
	set['-'], set['_'] = set['+'], set['/']
	return set
}()

// encoded reports what the rules find first in the text behind s if all of s is
// base64 of a text. Base64 inside a longer text is not looked for.
func (w *walk) encoded(s string) *rule {
	if len(s) < minEncoded || len(s) > maxEncoded {
		return nil
	}
	if !startsPrintable(s) {
		return nil
	}
	n := len(s)
	for n > len(s)-2 && s[n-1] == '=' {
		n--
	}
	for i := 0; i < n; i++ {
		if !base64Bytes[s[i]] {
			return nil
		}
	}
	b := append(append(w.buf[:0], s[:n]...), s[:n]...)
	w.buf = b
	b, out := b[:n], b[n:]
	for i, c := range b {
		switch c {
		case '-':
			b[i] = '+'
		case '_':
			b[i] = '/'
		}
	}
	m, err := base64.RawStdEncoding.Decode(out, b)
	if err != nil || !printable(out[:m]) {
		return nil
	}
	plain := string(out[:m])
	defer clear(w.find.last)
	if !w.p.engine.find(plain, &w.find) || len(w.find.found) == 0 {
		return nil
	}
	return w.find.found[0].rule
}

// startsPrintable looks at the first six bytes: what is no text mostly differs
// there already.
func startsPrintable(s string) bool {
	var bits uint64
	for i := range 8 {
		v := base64Values[s[i]]
		if v > 63 {
			return false // the first space of a text, most often
		}
		bits = bits<<6 | uint64(v)
	}
	for shift := 40; shift >= 0; shift -= 8 {
		if c := byte(bits >> shift); c < 0x20 && c != '\n' && c != '\t' && c != '\r' || c == 0x7f {
			return false
		}
	}
	return true
}

// printable reports whether the bytes are text.
func printable(b []byte) bool {
	for _, c := range b {
		if c < 0x20 && c != '\n' && c != '\t' && c != '\r' || c == 0x7f {
			return false
		}
	}
	return true
}
