package redact

import "strings"

// Names and values that stand apart: name: X then value: Y, as in the
// environment of a container, variable "x" { default = "y" }, and sentences.

const (
	strengthPassword = "password" // may be a word
	strengthKey      = "key"      // the name ends in key, which many harmless names do

	maxApart = 48 // bytes between a name and the word that announces its value
)

// valueWords announce the value of the name before them.
var valueWords = []string{"value", "default", "secretvalue", "stringvalue", "defaultvalue", "content", "string"}

// valueAhead looks behind a name that ends at s[i] for a word that announces its
// value, and returns where the value's separator ends, or -1.
func valueAhead(s string, i int) int {
	end := min(len(s), i+maxApart)
	j, broken := i, false
	for j < end {
		c := s[j]
		if strings.IndexByte(" \t\r\n\"'`\\,{}<>/;|-", c) < 0 {
			if s[j-1] == '\\' && (c == 'n' || c == 'r' || c == 't') {
				j, broken = j+1, true
				continue
			}
			if s[j-1] == '/' && j-2 >= i && s[j-2] == '<' { // </name>
				for j < end && isWord(s[j]) {
					j++
				}
				broken = true
				continue
			}
			break
		}
		broken = broken || strings.IndexByte("\n\"',{<", c) >= 0
		j++
	}
	if !broken || j >= end {
		return -1
	}
	for _, w := range valueWords {
		if k := j + len(w); k < len(s) && !isWord(s[k]) && foldEqual(s[j:k], w) {
			k = skipAny(s, k, "\"'\\`> \t", 8)
			if s[k-1] == '>' {
				return k
			}
			if k < len(s) && (s[k] == ':' || s[k] == '=') {
				return k + 1
			}
		}
	}
	return -1
}

// valueAfter is valueAhead for a name whose separator is followed by an object:
// "password": {"value": "x"}, password { default = "x" }.
func valueAfter(s string, name, i int) int {
	j := skipAny(s, i, " \t:=", 8)
	if j >= len(s) || s[j] != '{' {
		return -1
	}
	if k := valueAhead(s, j); k > 0 {
		return k
	}
	return -1
}

// wideColon is the length of a colon of scripts that are written without spaces.
func wideColon(s string, i int) int {
	for _, c := range []string{"：", "是：", "是:", "は：", "は:"} {
		if strings.HasPrefix(s[i:], c) {
			return len(c)
		}
	}
	return 0
}

// saidToBe reads the is of a sentence: the password is x, the token is: x.
func saidToBe(s string, i int) (value int, ok bool) {
	for _, w := range []string{"is ", "is: ", "is now ", "was ", "to ", "will be ", "of ", "ist ", "es ", "est ", "lautet "} {
		if j := i + len(w); j < len(s) && i > 0 && s[i-1] == ' ' && foldEqual(s[i:j], w) {
			return j, true
		}
	}
	for _, w := range []string{"是", "为", "は", "은 ", "는 "} {
		if strings.HasPrefix(s[i:], w) {
			return i + len(w), true
		}
	}
	return i, false
}

// besideName reads a value that stands beside its name with no sign between:
// setPassword("x"), ("password", "x"), ["--token", "x"], PASSWORD 'x', the cell
// of a table, the password x. Names stand beside harmless texts too, so the
// value must look drawn.
func besideName(s string, from, name, i, lo int, work *int) (a assigned, ok bool) {
	j := skipAny(s, i, " \t", 4)
	cell := false
	switch {
	case j >= len(s):
		return a, false
	case s[j] == ',' && i > name || s[j] == '(' && i == name:
		j = skipAny(s, j+1, " \t\r\n", 8)
	case s[j] == '|':
		cell = true
		j = skipAny(s, j+1, " \t", 16)
	case j == i || i > name:
		return a, false
	}
	if open := skipAny(s, stringPrefix(s, j), `\`, 3); open < len(s) && (s[open] == '"' || s[open] == '\'' || s[open] == '`') {
		a.quoted, a.start = true, open+1
		a.end = quotedEnd(s, a.start, s[open])
		if a.end == len(s) || len(s) > a.start && s[name-1] == '`' {
			return a, false
		}
	} else if cell || j > i && i == name {
		a.start = j
		a.end = runUntil(s, j, maxAssigned, endOfAssigned)
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
	if !a.quoted && !cell {
		v = strings.TrimRight(v, ".:!?")
		a.end = a.start + len(v)
		drawn = len(v) >= 8 && mixedCase(v) && (hasDigit(v) || randomCase(v)) && !isCamel(v) || keyMaterial(v) && !allHex(v)
	}
	if len(v) > name-from && wordsOf(v, s[from:name]) {
		return a, false // another name of the same list
	}
	return a, drawn && strings.IndexByte(v, ' ') < 0
}

// wordsOf reports whether the text holds the word, in any case.
func wordsOf(s, word string) bool {
	for i := 0; i+len(word) <= len(s); i++ {
		if strings.EqualFold(s[i:i+len(word)], word) {
			return true
		}
	}
	return false
}

func allHex(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isHex(s[i]) {
			return false
		}
	}
	return true
}

// isCamel reports whether the text is letters and digits in which case changes
// only where words meet.
func isCamel(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isWord(s[i]) && s[i] != '.' && s[i] != '(' {
			return false
		}
	}
	return !randomCase(s)
}

// block is where the text of a YAML block scalar (key: |) starts that is
// announced at s[i].
func block(s string, i int) int {
	j := skipAny(s, i, "|>+-", 2)
	if j == i {
		return i
	}
	n := skipAny(s, j, " \r", 2)
	if n >= len(s) || s[n] != '\n' {
		return i
	}
	return skipAny(s, n, "\n \t", 32)
}

// entities are quotes in HTML.
var entities = []string{"&quot;", "&#34;", "&#39;", "&apos;", "“", "‘", "「", "«"}

// entityAt is the length of the quote of HTML or typography at s[i].
func entityAt(s string, i int) int {
	if i >= len(s) || s[i] != '&' && s[i] < 0x80 {
		return 0
	}
	for _, q := range entities {
		if strings.HasPrefix(s[i:], q) {
			return len(q)
		}
	}
	return 0
}

// notSecretKeys are words before key in names of things that are no secret.
var notSecretKeys = wordSet(`primary foreign partition sort cache idempotency public row range hash object bucket map index unique group routing message translation lookup order issue project
	shortcut hot arrow json dict config state registry react list item next last start end continuation dedup dedupe dedupl idempotent cluster shard composite candidate natural surrogate
	search answer license_plate any the a no each sub parent child data column field attribute label tag metric span trace session_cache lock queue topic event record document doc blob
	file image asset content etag checksum digest fingerprint commit build artifact restore save publishable site pub kms ssh_public verification storage_cache`)

// keyName reports whether the key that starts at s[from] is the last word of a
// name of several that is not known for harmless keys.
func keyName(s string, from, lo int) bool {
	if from <= lo {
		return false
	}
	before, first := s[from-1], s[from]
	camel := 'a' <= before && before <= 'z' && first == 'K'
	if !camel && before != '_' && before != '-' && before != '.' {
		return false
	}
	end := from
	if !camel {
		end--
	}
	start := end
	for start > lo && end-start < maxNameTail {
		if c := fold(s[start-1]); c < 'a' || c > 'z' {
			break
		}
		start--
		if camel && s[start] <= 'Z' {
			break
		}
	}
	var buf [maxNameTail]byte
	n := copy(buf[:], s[start:end])
	for i := range buf[:n] {
		buf[i] = fold(buf[i])
	}
	return n > 0 && !notSecretKeys[string(buf[:n])]
}

// keyMaterial reports whether a value can hardly be anything but a drawn key.
func keyMaterial(v string) bool {
	v = strings.TrimPrefix(v, "base64:")
	if len(v) < 20 || len(v) > 512 || !hasDigit(v) || !hasLetter(v) {
		return false
	}
	for i := 0; i < len(v); i++ {
		if !base64Bytes[v[i]] && v[i] != '=' && v[i] != '.' && v[i] != '~' {
			return false
		}
	}
	if isUUID(v) || strings.Count(v, "-")+strings.Count(v, "_")+strings.Count(v, ".")+strings.Count(v, "/") > 2+len(v)/10 {
		return false
	}
	digits, upper := 0, false
	for i := 0; i < len(v); i++ {
		if isDigit(v[i]) {
			digits++
		}
		upper = upper || 'A' <= v[i] && v[i] <= 'Z'
	}
	if digits < 2 || !upper && digits*8 < len(v) {
		return false // words and a number
	}
	return entropy(v) >= 3.2
}

// isUUID reports whether the text is 8-4-4-4-12 hex digits.
func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := 0; i < len(s); i++ {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (s[i] == '-') || !dash && !isHex(s[i]) {
			return false
		}
	}
	return true
}

// randomCase reports whether letters change their case as drawn ones do, not as
// words that are joined: often, with single small letters and several capitals
// in a row.
func randomCase(s string) bool {
	changes, odd, run := 0, 0, 0
	for i := 0; i < len(s); i++ {
		lower := s[i] >= 'a'
		if run++; i+1 < len(s) && lower == (s[i+1] >= 'a') {
			continue
		}
		if i+1 < len(s) {
			changes++
		}
		if lower && run == 1 || !lower && run > 1 {
			odd++
		}
		run = 0
	}
	return changes*4 >= len(s) && odd >= 2
}
