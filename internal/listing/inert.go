package listing

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Inert returns text on one line with every rune replaced by U+FFFD that could
// act on a terminal or on the reading order: controls, format characters such as
// bidirectional overrides and zero-width joiners, line separators, private use,
// and bytes that are not UTF-8.
func Inert(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t', r == '\n', r == '\r':
			return ' '
		case r == utf8.RuneError, unicode.In(r, unicode.C, unicode.Zl, unicode.Zp):
			return utf8.RuneError
		}
		return r
	}, text)
}

// Cut returns text shortened to n runes, the last one an ellipsis.
func Cut(text string, n int) string {
	if n <= 0 || utf8.RuneCountInString(text) <= n {
		return text
	}
	return string([]rune(text)[:n-1]) + "…"
}
