package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"unicode/utf8"
)

// A text is name-like if it could be a name, an id or a word of a list: a model,
// a version, a path, a URL without query. Prose, JSON, markup, code and command
// lines are not; neither is anything outside ASCII, since not every script puts
// spaces between words.
const (
	maxName    = 128 // bytes, tokens not counted
	maxNameRun = 64  // letters and digits without a mark between: SHA-256 in hex
)

const (
	nameNo   = iota
	nameRun  // letter or digit
	nameMark // may stand between
)

var nameBytes = func() (set [256]uint8) {
	for c := range set {
		if isWord(byte(c)) && c != '_' {
			set[c] = nameRun
		}
	}
	for _, c := range []byte(`_-./:@+#~$*\`) {
		set[c] = nameMark
	}
	return set
}()

// nameLike reports whether the text is name-like. Tokens in it do not count, so
// that what the detectors leave of a name-like text is name-like.
func nameLike(s string, kinds map[string]bool) bool {
	size, run, plus, whole := 0, 0, 0, true
	for i := 0; i < len(s); i++ {
		switch c := s[i]; nameBytes[c] {
		case nameRun:
			if run++; run > maxNameRun {
				return false
			}
		case nameMark:
			run = 0
			if c == '+' {
				plus++
			}
		default:
			end := -1
			if c == '[' {
				end = tokenAt(s, i, kinds)
			}
			if end < 0 {
				return false
			}
			i, run, whole = end-1, 0, false
			continue
		}
		size++
	}
	if size > maxName || plus > 1 { // a+b+c stands for spaces
		return false
	}
	if n := len(s); n > 0 && (s[n-1] == '.' || s[n-1] == ':') {
		return false // the end of a sentence
	}
	return !whole || !spellsProse(s)
}

const minSpelled = 16

// spellsProse reports whether the text is base64 or hex of printable text with a
// space in it.
func spellsProse(s string) bool {
	if len(s) < minSpelled || len(s) > maxName || len(s)%4 == 1 {
		return false
	}
	digits := true
	for i := 0; i < len(s); i++ {
		if !base64Bytes[s[i]] {
			return false
		}
		digits = digits && isHex(s[i])
	}
	var src, dst [maxName]byte
	n := copy(src[:], s)
	for i := range src[:n] {
		switch src[i] {
		case '-':
			src[i] = '+'
		case '_':
			src[i] = '/'
		}
	}
	if startsPrintable(s) {
		if m, err := base64.RawStdEncoding.Decode(dst[:], src[:n]); err == nil && prose(dst[:m]) {
			return true
		}
	}
	if !digits {
		return false
	}
	m, err := hex.Decode(dst[:], src[:n])
	return err == nil && prose(dst[:m])
}

func prose(b []byte) bool {
	return printable(b) && bytes.IndexByte(b, ' ') >= 0 && utf8.Valid(b)
}

// maxPlainKey bounds a key that nobody wrote text into.
const maxPlainKey = 160

// keyLike reports whether an attribute key looks like one: printable ASCII
// without white space, quotes and markup. Keys of maps are often data.
func keyLike(key string, kinds map[string]bool) bool {
	size := 0
	for i := 0; i < len(key); i++ {
		switch c := key[i]; {
		case c == '[':
			if end := tokenAt(key, i, kinds); end > 0 {
				i = end - 1
				continue
			}
		case c <= ' ' || c >= 0x7f || c == '"' || c == '\'' || c == '<' || c == '>' || c == '{' || c == '}':
			return false
		}
		size++
	}
	return size <= maxPlainKey
}
