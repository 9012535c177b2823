package redact

import "strings"

// maxContext is how far before a number the words that say what it is are
// looked for.
const maxContext = 72

// wordList are words that say what a number is, lower case, by their first byte.
type wordList struct{ byFirst [256][]string }

func newWordList(words []string) *wordList {
	l := &wordList{}
	for _, w := range words {
		l.byFirst[w[0]] = append(l.byFirst[w[0]], w)
	}
	return l
}

// before reports whether one of the words stands before s[i] in the same field,
// line or sentence. One of letters must start where a word does (also in
// camelCase), a short one must also end there.
func (l *wordList) before(s string, i, lo int, work *int) bool {
	from := max(lo, i-maxContext)
	from += fieldStart(s[from:i])
	*work += 2 * (i - from)
	return l.in(s[from:i])
}

func (l *wordList) in(s string) bool {
	for i := 0; i < len(s); i++ {
		for _, w := range l.byFirst[fold(s[i])] {
			if end := i + len(w); end <= len(s) && foldEqual(s[i:end], w) && ownWord(s, i, end) {
				return true
			}
		}
	}
	return false
}

func ownWord(s string, i, end int) bool {
	c := s[i]
	if i == 0 || c >= 0x80 {
		return true
	}
	before := s[i-1]
	if isLetter(before) && !('a' <= before && before <= 'z' && 'A' <= c && c <= 'Z') {
		return false
	}
	if end-i > 4 || end == len(s) || !isLetter(s[end]) {
		return true
	}
	// telNumber, SSNValue; not the BEL of BELOW
	return s[end] < 'a' && (s[end-1] >= 'a' || end+1 < len(s) && s[end+1] >= 'a' && isLetter(s[end+1]))
}

func isLetter(c byte) bool { f := fold(c); return 'a' <= f && f <= 'z' }

// opensValue reports whether a brace behind the text opens the value of a name.
func opensValue(s string) bool {
	s = strings.TrimRight(s, " ")
	return s != "" && s[len(s)-1] == ':'
}

// fieldStart is where the last field of the text starts: behind a line break, a
// bracket or semicolon, or a comma that is followed by another name.
func fieldStart(s string) int {
	named, letters := false, false
	for i := len(s) - 1; i >= 0; i-- {
		switch c := s[i]; {
		case c == '\n' || c == 'n' && i > 0 && s[i-1] == '\\':
			if letters {
				return i + 1
			}
		case c == '{' || c == '}' || c == ';' || c == '&':
			if letters && !(c == '{' && opensValue(s[:i])) {
				return i + 1
			}
		case c == ',':
			if named {
				return i + 1
			}
		case c == ':' || c == '=':
			named = true
		case c >= 0x80 || 'a' <= fold(c) && fold(c) <= 'z':
			letters = true
		}
	}
	return 0
}
