package redact

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

// Bounds of a run of base64 that is decoded and read: shorter ones hold nothing
// that a rule finds, longer ones cost too much.
const (
	minEncoded = 20
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

// encoded adds the runs of base64 behind which the rules find something. What is
// behind a run is read once: base64 of base64 is not.
func (e *engine) encoded(s string, f *finder) bool {
	for start := 0; start+minEncoded <= len(s); {
		end := start + minEncoded
		for end > start && base64Bytes[s[end-1]] {
			end--
		}
		if end > start { // every run that is long enough starts behind this byte
			start = end
			continue
		}
		for end = start + minEncoded; end < len(s) && base64Bytes[s[end]]; {
			end++
		}
		f.work += (end - start) / 4
		if end-start <= maxEncoded && startsPrintable(s[start:]) && !strings.HasSuffix(s[:start], tokenOpen) {
			if ok := e.behind(s, start, end, f); !ok {
				return false
			}
		}
		start = end + 1
	}
	return true
}

// behind decodes s[start:end] and has it read.
func (e *engine) behind(s string, start, end int, f *finder) bool {
	n := end - start
	if cap(f.decode) < 2*n {
		f.decode = make([]byte, 2*maxEncoded)
	}
	b, out := f.decode[:n], f.decode[n:2*n]
	for i := range n {
		switch c := s[start+i]; c {
		case '-':
			b[i] = '+'
		case '_':
			b[i] = '/'
		default:
			b[i] = c
		}
	}
	m, err := base64.RawStdEncoding.Decode(out, b)
	f.work += n
	if err != nil || !printable(out[:m]) {
		return true
	}
	plain := string(out[:m])
	for pad := 0; pad < 2 && end < len(s) && s[end] == '='; pad++ {
		end++
	}
	return e.read(plain, start, end, f) && f.work <= workBase+workPerByte*len(s)
}

// startsPrintable looks at the first six bytes: what is no text mostly differs
// there already.
func startsPrintable(s string) bool {
	var bits uint64
	for i := range 8 {
		v := base64Values[s[i]]
		if v > 63 {
			return false
		}
		bits = bits<<6 | uint64(v)
	}
	var b [6]byte
	for i := range b {
		b[i] = byte(bits >> (40 - 8*i))
	}
	end := len(b)
	for end > 3 && b[end-1] >= utf8.RuneSelf {
		end-- // a character may go on
	}
	return printable(b[:end])
}

// printable reports whether the bytes are text.
func printable(b []byte) bool {
	for _, c := range b {
		if c < 0x20 && c != '\n' && c != '\t' && c != '\r' || c == 0x7f {
			return false
		}
	}
	return utf8.Valid(b)
}
