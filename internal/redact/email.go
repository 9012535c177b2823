package redact

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of an address, in bytes. Escapes and letters beyond ASCII take up to
// six bytes each.
const (
	maxLocalPart = 64
	maxDomain    = 253
	maxLabel     = 63
	maxEscaped   = 6
)

// notTopLevel are last labels of file names that are written like addresses,
// such as icon@2x.png.
var notTopLevel = map[string]bool{"png": true, "jpg": true, "jpeg": true, "gif": true, "svg": true, "webp": true, "js": true, "mjs": true, "css": true, "json": true, "html": true, "tgz": true}

// findEmail looks around an at sign, plain or escaped: a local part before it,
// at least two labels behind it, the last of letters. Letters may be of any
// script or escaped (\u00eb), and invisible characters may stand between. It
// reads at most 64 characters back and 253 ahead.
func (r *rule) findEmail(s string, from, to, lo int, work *int) (match, bool) {
	at := from
	for at > lo && from-at < 3 && s[at-1] == '\\' { // \\u0040, \@
		at--
	}
	start, seen := localPart(s, at, lo)
	end, ok := domain(s, to)
	*work += seen + end - to + 2
	if !ok || start == at {
		return match{}, false
	}
	if s[start:from] == "git" && end < len(s) && s[end] == ':' {
		return match{}, false // git@host:path is an address of a repository
	}
	return match{start, end, from, r}, true
}

// localPart returns where the local part that ends at s[at] starts, at itself if
// there is none, and how many bytes it read.
func localPart(s string, at, lo int) (start, seen int) {
	if at > lo && s[at-1] == '"' {
		if q := quotedPart(s, at, lo); q < at {
			return q, maxLocalPart
		}
	}
	i, wide := at, false
	for n := 0; i > lo && n < maxLocalPart; n++ {
		if c := s[i-1]; isLocal(c) {
			i--
			continue
		} else if c == '\\' {
			if r, size := unicodeEscape(s[i-1 : at]); size > 0 && partOfName(r) {
				i--
				for i > lo && s[i-1] == '\\' {
					i--
				}
				continue
			}
			break
		} else if c < utf8.RuneSelf {
			break
		}
		r, size := utf8.DecodeLastRuneInString(s[lo:i])
		if i == at {
			wide = isWide(r)
		}
		if !partOfName(r) || isWide(r) && !wide {
			break
		}
		i -= size
	}
	seen = at - i + 1
	for i < at { // what an escape left before the first letter is not part of it
		if i > lo && s[i-1] == '\\' {
			if n := escapeTail(s[i:at]); n > 0 {
				i += n
				continue
			}
		}
		if s[i] == '.' || s[i] == '\'' || s[i] == '-' || s[i] == '%' && at-i > 3 && isHex(s[i+1]) && isHex(s[i+2]) && s[i+1] < '8' {
			if s[i] == '%' {
				i += 2
			}
			i++
			continue
		}
		break
	}
	if i < at && s[at-1] == '.' {
		return at, seen
	}
	return i, seen
}

// quotedPart is where a quoted local part starts whose quote ends at s[at].
func quotedPart(s string, at, lo int) int {
	close := at - 1
	for close > lo && s[close-1] == '\\' {
		close--
	}
	from := max(lo, close-maxLocalPart)
	open := strings.LastIndexByte(s[from:close], '"')
	if open < 0 || strings.ContainsAny(s[from+open+1:close], "\r\n{}<>:") || from+open+1 == close {
		return at
	}
	open += from
	for open > lo && s[open-1] == '\\' {
		open--
	}
	return open
}

// unicodeEscape reads \uXXXX, with any number of backslashes up to three, at the
// start of s.
func unicodeEscape(s string) (r rune, size int) {
	i := skipAny(s, 0, `\`, 3)
	if i == 0 || len(s) < i+5 || s[i] != 'u' {
		return 0, 0
	}
	for _, c := range []byte(s[i+1 : i+5]) {
		switch {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= fold(c) && fold(c) <= 'f':
			r = r<<4 | rune(fold(c)-'a'+10)
		default:
			return 0, 0
		}
	}
	return r, i + 5
}

// partOfName reports whether a character beyond ASCII may stand in an address:
// a letter, a mark, a digit, or one that nobody sees.
func partOfName(r rune) bool {
	return r >= utf8.RuneSelf && r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) || isHidden(r))
}

func isHidden(r rune) bool {
	return r == 0xad || r >= 0x200b && r <= 0x200d || r >= 0x2060 && r <= 0x2064 || r == 0xfeff
}

// isWide reports whether the letter is of a script that puts no space between
// words: beside other letters it is the neighbouring text.
func isWide(r rune) bool { return r >= 0x2e80 && r < 0xfe00 }

// escapeTail is how much of the text belongs to an escape whose backslash is
// right before it.
func escapeTail(s string) int {
	switch s[0] {
	case 'n', 'r', 't', 'b', 'f', 'v':
		return 1
	case 'u':
		if len(s) >= 5 && isHex(s[1]) && isHex(s[2]) && isHex(s[3]) && isHex(s[4]) {
			return 5
		}
	}
	return 0
}

func isLocal(b byte) bool {
	return isWord(b) || strings.IndexByte(".+-%'", b) >= 0
}

// dots are how the dot between two labels may be written.
var dots = []string{".", "&#46;", "%2e", `\u002e`}

func dotAt(s string, i int) int {
	if s[i] == '.' {
		return 1
	}
	if s[i] == '&' || s[i] == '%' || s[i] == '\\' {
		for _, d := range dots[1:] {
			if len(s)-i >= len(d) && foldEqual(s[i:i+len(d)], d) {
				return len(d)
			}
		}
	}
	return 0
}

// labelChar is the length of the character at s[i] if it may stand in a label;
// narrow is whether the label has letters that are not wide.
func labelChar(s string, i int, narrow *bool) int {
	c := s[i]
	switch {
	case isWord(c) && c != '_':
		*narrow = true
		return 1
	case c == '-':
		return 1
	case c == '\\':
		if r, size := unicodeEscape(s[i:]); size > 0 && partOfName(r) && !(isWide(r) && *narrow) {
			return size
		}
		return 0
	case c < utf8.RuneSelf:
		return 0
	}
	r, size := utf8.DecodeRuneInString(s[i:])
	if !partOfName(r) || isWide(r) && *narrow {
		return 0
	}
	*narrow = *narrow || !isWide(r) && !isHidden(r)
	return size
}

// domain returns the end of the domain that starts at s[i], and whether it is
// one that mail can go to.
func domain(s string, i int) (end int, ok bool) {
	start, label, labels, narrow := i, i, 0, false
	for i < len(s) && i-start <= maxDomain*maxEscaped {
		if n := labelChar(s, i, &narrow); n > 0 {
			i += n
			continue
		}
		dot := dotAt(s, i)
		if dot == 0 || i == label || i+dot >= len(s) {
			break
		}
		if fresh := false; labelChar(s, i+dot, &fresh) == 0 {
			break
		}
		if labels == 0 && strings.Trim(s[label:i], "0123456789") == "" {
			return i, false // pkg@1.2.3-beta.next is a version
		}
		labels++
		i += dot
		label, narrow = i, false
	}
	last := s[label:i]
	for strings.HasSuffix(last, "-") {
		last = last[:len(last)-1]
	}
	end = label + len(last)
	if labels == 0 || len(last) < 2 || len(last) > maxLabel*maxEscaped || notTopLevel[strings.ToLower(last)] {
		return end, false
	}
	return end, strings.HasPrefix(last, "xn--") || lettersOnly(last)
}

// lettersOnly reports whether a last label has no digit and no dash.
func lettersOnly(s string) bool {
	for i := 0; i < len(s); i++ {
		c := fold(s[i])
		if c == '\\' {
			if _, size := unicodeEscape(s[i:]); size > 0 {
				i += size - 1
				continue
			}
		}
		if (c < 'a' || c > 'z') && c < utf8.RuneSelf {
			return false
		}
	}
	return true
}
