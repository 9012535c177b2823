package listing

import (
	"strings"
	"unicode/utf8"
)

// Wrap breaks a text between words into lines of at most width characters, the indent
// included. A word that is longer has a line of its own.
func Wrap(text, indent string, width int) string {
	var b strings.Builder
	at := 0
	for _, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case at == 0:
			b.WriteString(indent)
			at = utf8.RuneCountInString(indent)
		case at+1+n > width:
			b.WriteString("\n" + indent)
			at = utf8.RuneCountInString(indent)
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += n
	}
	if at > 0 {
		b.WriteByte('\n')
	}
	return b.String()
}
