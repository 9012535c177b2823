package redact

// maxContext is how far before a number the words that say what it is are
// looked for.
const maxContext = 72

// saidBefore reports whether one of the words stands before s[i] in the same
// field, line or sentence. Words are lower case; one of letters must start where
// a word does (also in camelCase).
func saidBefore(s string, i, lo int, words []string, work *int) bool {
	from := max(lo, i-maxContext)
	from += fieldStart(s[from:i])
	*work += i - from
	for _, w := range words {
		if wordIn(s[from:i], w) {
			return true
		}
	}
	return false
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
			if letters {
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

// wordIn looks for a word, in any case, that starts where a word of the text
// does.
func wordIn(s, word string) bool {
	for i := 0; i+len(word) <= len(s); i++ {
		if fold(s[i]) != word[0] || !foldEqual(s[i:i+len(word)], word) {
			continue
		}
		if i == 0 || word[0] >= 0x80 {
			return true
		}
		before, c := s[i-1], s[i]
		if f := fold(before); (f < 'a' || f > 'z') || 'a' <= before && before <= 'z' && 'A' <= c && c <= 'Z' {
			if end := i + len(word); len(word) > 4 || end == len(s) || fold(s[end]) < 'a' || fold(s[end]) > 'z' || s[end] < 'a' {
				return true
			}
		}
	}
	return false
}
