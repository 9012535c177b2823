package redact

// inGrid reports whether the groups of digits from s[start] to s[end] are cells of
// a row of equal ones, as in a dump of bytes or a table of code points: 06 03 55
// 04 03 of 0c 06 03 55 04 03 13. A word of as many hex digits stands before or
// behind, parted by a space or by what parts the groups.
func (n *numberAt) inGrid(start, end int) bool {
	s := n.s
	size := digitsAt(s, start)
	sep := start + size
	if size == 0 || sep >= end {
		return false
	}
	last := end
	for last > start && isDigit(s[last-1]) {
		last--
	}
	return end-last == size && gridCell(s, end, s[sep], size, 1) || gridCell(s, start-1, s[sep], size, -1)
}

// gridGap is where the next word may start in the direction step, or -1.
func gridGap(s string, i int, sep byte, step int) int {
	from := i
	for i >= 0 && i < len(s) && (i-from)*step < 3 && (s[i] == ' ' || s[i] == '\t' || i == from && (s[i] == sep || s[i] == ':')) {
		i += step
	}
	if i == from {
		return -1
	}
	return i
}

// gridCell reports whether the next word from s[at] on, in the direction step, has
// size hex digits. If it is one of letters alone, de or bad, the word behind it must
// have as many too.
func gridCell(s string, at int, sep byte, size, step int) bool {
	for range 2 {
		i, digit := gridGap(s, at, sep, step), false
		for range size {
			if i < 0 || i >= len(s) || !isHex(s[i]) {
				return false
			}
			digit = digit || isDigit(s[i])
			i += step
		}
		if i >= 0 && i < len(s) && isWord(s[i]) {
			return false
		}
		if digit {
			return true
		}
		at = i
	}
	return true
}
