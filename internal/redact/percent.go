package redact

import "strings"

// maxPercent bounds a run of a URL that is decoded and read.
const maxPercent = 1024

var percentBytes = func() (set [256]bool) {
	for c := range set {
		set[c] = isWord(byte(c)) || strings.IndexByte(".-~%+*'()!", byte(c)) >= 0
	}
	return set
}()

// percent adds the runs of percent-encoded text, most often values of a query
// (also those with only + for a space between digits),
// behind which the rules find something that they do not find in the run as it
// stands.
func (e *engine) percent(s string, f *finder) bool {
	percentAt, plusAt := -1, -1
	for i := 0; ; {
		if percentAt < i {
			percentAt = indexFrom(s, i, '%')
		}
		if plusAt < i {
			plusAt = indexFrom(s, i, '+')
		}
		at := min(percentAt, plusAt)
		if at == len(s) {
			return true
		}
		if i = at + 1; at+2 >= len(s) || s[at] == '%' && !(isHex(s[at+1]) && isHex(s[at+2])) || s[at] == '+' && (at == 0 || !isDigit(s[at-1]) || !isDigit(s[at+1])) {
			continue
		}
		start, end := at, at+1
		for start > 0 && at-start < maxPercent && percentBytes[s[start-1]] {
			start--
		}
		for end < len(s) && end-at < maxPercent && percentBytes[s[end]] {
			end++
		}
		i = end
		f.work += end - start
		if end-start < 8 || end-start > maxPercent || f.overlaps(start, end) || strings.HasSuffix(s[:start], tokenOpen) {
			continue
		}
		if !e.read(unpercent(s[start:end]), start, end, f) || f.work > workBase+workPerByte*len(s) {
			return false
		}
	}
}

// indexFrom is where the next c is from i on, or the text's end.
func indexFrom(s string, i int, c byte) int {
	if at := strings.IndexByte(s[i:], c); at >= 0 {
		return i + at
	}
	return len(s)
}

// overlaps reports whether something was found in s[start:end].
func (f *finder) overlaps(start, end int) bool {
	for _, m := range f.found {
		if m.start < end && start < m.end {
			return true
		}
	}
	return false
}

// read has the text behind s[start:end] read, and replaces all of it for what is
// found there.
func (e *engine) read(plain string, start, end int, f *finder) bool {
	if f.inner == nil {
		f.inner = &finder{last: make([]int, len(f.last))}
	}
	in := f.inner
	clear(in.last)
	ok := e.plain(plain, in)
	f.work += in.work
	if ok && len(in.found) > 0 {
		f.found = append(f.found, match{start, end, start, in.found[0].rule})
	}
	return ok
}

func unpercent(s string) string {
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]):
			b = append(b, hexValue(s[i+1])<<4|hexValue(s[i+2]))
			i += 2
		case c == '+':
			b = append(b, ' ')
		default:
			b = append(b, c)
		}
	}
	return string(b)
}

func hexValue(c byte) byte {
	if isDigit(c) {
		return c - '0'
	}
	return fold(c) - 'a' + 10
}
