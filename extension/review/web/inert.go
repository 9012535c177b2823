package web

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// mostPiled is how many marks one letter may carry.
const mostPiled = 4

// inert replaces, in a page that is written, every rune that could act on a reader:
// controls, marks of writing direction, joiners, line separators, private use. The
// templates have none, so each is somebody's text. Of marks that stand above or below
// a letter no more than a script needs are left: a pile of them covers other lines.
func inert(page []byte) []byte {
	clean := true
	for _, c := range page {
		if c >= utf8.RuneSelf || c < ' ' && c != '\n' || c == 0x7f {
			clean = false
			break
		}
	}
	if clean {
		return page
	}
	piled := 0
	return bytes.Map(func(r rune) rune {
		if r >= utf8.RuneSelf && unicode.In(r, unicode.Mn, unicode.Me) {
			if piled++; piled > mostPiled {
				return -1
			}
			return r
		}
		piled = 0
		switch {
		case r == '\n', r >= ' ' && r < 0x7f:
			return r
		case r == '\t', r == '\r':
			return ' '
		case r == utf8.RuneError, unicode.In(r, unicode.C, unicode.Zl, unicode.Zp):
			return utf8.RuneError
		}
		return r
	}, page)
}
