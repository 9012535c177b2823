package redact

import "strings"

// besideName reads a value that stands beside its name with no sign between:
// setPassword("x"), ("password", "x"), ["--token", "x"], PASSWORD 'x', the cell
// of a table, the password x. Names stand beside harmless texts too, so the
// value must look drawn.
func besideName(s string, from, name, i, lo int, work *int) (a assigned, ok bool) {
	j := skipAny(s, i, " \t", 48)
	cell, column := setter(s, from, lo), j-i > 1
	switch {
	case j >= len(s):
		return a, false
	case s[j] == ',' && i > name || s[j] == '(' && i == name:
		j = skipAny(s, j+1, " \t\r\n", 8)
	case s[j] == '|':
		cell = true
		j = skipAny(s, j+1, " \t", 16)
	case cellAfter(s, j) > 0:
		cell = true
		j = cellAfter(s, j)
	case s[j] == ',' && startsLine(s, from, lo):
		cell = true
		j++
	case j == i || i > name:
		return a, false
	}
	if open := skipAny(s, stringPrefix(s, j), `\`, 3); open < len(s) && (s[open] == '"' || s[open] == '\'' || s[open] == '`') {
		a.quoted, a.start = true, open+1
		a.end = quotedEnd(s, a.start, s[open])
		if a.end == len(s) {
			return a, false
		}
	} else if cell || j > i && i == name {
		a.start = j
		a.end = runUntil(s, j, maxAssigned, endOfAssigned)
		cell = cell || s[j-1] == '\t'
		column = column && startsLine(s, from, lo)
	} else {
		return a, false
	}
	*work += a.end - name
	if a.end-a.start < 6 {
		return a, false
	}
	v := s[a.start:a.end]
	defined := a.quoted && from-lo >= 8 && strings.Contains(s[max(lo, from-maxNamed):from], "#define ")
	drawn := hasDigit(v) && hasLetter(v) || randomCase(v) || defined
	if !a.quoted && !cell && column {
		drawn = len(v) >= 8 && hasDigit(v) && (mixedCase(v) && !isPath(v) || keyMaterial(v))
	} else if !a.quoted && !cell {
		v = strings.TrimRight(v, ".:!?")
		a.end = a.start + len(v)
		drawn = len(v) >= 8 && mixedCase(v) && (hasDigit(v) || randomCase(v)) && !isCamel(v) || keyMaterial(v) && !allHex(v)
	}
	if len(v) > name-from && wordsOf(v, s[from:name]) {
		return a, false // another name of the same list
	}
	return a, drawn && strings.IndexByte(v, ' ') < 0
}

// cellAfter is where the next cell's text starts behind the end of one of HTML at
// s[i]: </td><td>, or 0.
func cellAfter(s string, i int) int {
	if i+1 >= len(s) || s[i] != '<' || s[i+1] != '/' {
		return 0
	}
	j := i + 2
	for j < len(s) && j-i < 12 && isWord(s[j]) {
		j++
	}
	if j >= len(s) || s[j] != '>' {
		return 0
	}
	for n := 0; n < 2; n++ { // <td><code>
		k := skipAny(s, j+1, " \t\r\n", 16)
		if k+1 >= len(s) || s[k] != '<' || !isLetter(s[k+1]) {
			break
		}
		if k = runUntil(s, k, 64, endOfTag); k >= len(s) || s[k] != '>' {
			return 0
		}
		j = k
	}
	if s[j-1] == '/' {
		return 0
	}
	return j + 1
}

var endOfTag = byteSet(">\n")

// startsLine reports whether the name that holds s[from] is the first word of a
// line: the first field of a row.
func startsLine(s string, from, lo int) bool {
	i := nameStart(s, from, lo)
	if i == lo || s[i-1] == '\n' {
		return true
	}
	return s[i-1] == '\\' && s[i] == 'n'
}

// nameStart is where the name starts that holds s[from].
func nameStart(s string, from, lo int) int {
	i := from
	for i > lo && from-i < maxNameTail && (isWord(s[i-1]) || s[i-1] == '-' || s[i-1] == '.') {
		i--
	}
	return i
}

// setter reports whether the name that holds s[from] is set by a command of a shell
// that takes name and value as two words.
func setter(s string, from, lo int) bool {
	before := s[lo:nameStart(s, from, lo)]
	for _, command := range []string{"setenv ", "set -gx ", "set -x ", "set -Ux "} {
		if strings.HasSuffix(before, command) {
			return true
		}
	}
	return false
}
