package redact

import "strings"

// Names and values that stand apart: name: X then value: Y, as in the
// environment of a container, variable "x" { default = "y" }, and sentences.

const (
	strengthPassword = "password" // may be a word
	strengthKey      = "key"      // the name ends in key, which many harmless names do

	maxApart = 48 // bytes between a name and the word that announces its value
	// maxMembers are bytes of other members between them: type = string.
	maxMembers = 160
)

// valueWords announce the value of the name before them.
var valueWords = []string{"value", "default", "secretvalue", "stringvalue", "defaultvalue", "content", "string"}

// valueOptions announce it on a command line: secret set NAME --body x.
var valueOptions = []string{"body", "value", "secret-string", "string"}

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
				tag := j
				for j < end && isWord(s[j]) {
					j++
				}
				if j > tag {
					broken = true
					continue
				}
			}
			break
		}
		broken = broken || strings.IndexByte("\n\"',{<", c) >= 0
		j++
	}
	if j >= end {
		return -1
	}
	if !broken {
		return optionAhead(s, i, j)
	}
	for n := 0; n < 4; n++ {
		if k := announced(s, j); k > 0 {
			return k
		}
		next := memberEnd(s, j, min(len(s), i+maxMembers))
		if next < 0 {
			break
		}
		j = next
	}
	return -1
}

// optionAhead reads --body behind a name that ends at s[i]; the word starts at j.
func optionAhead(s string, i, j int) int {
	if s[i] != ' ' || j-i < 3 || s[j-1] != '-' || s[j-2] != '-' || s[j-3] != ' ' {
		return -1
	}
	for _, w := range valueOptions {
		if k := j + len(w); k < len(s) && (s[k] == ' ' || s[k] == '=') && s[j:k] == w {
			return k + 1
		}
	}
	return -1
}

// memberEnd passes over one member of an object, type = string or "type": "x", and
// what parts it from the next; -1 if none ends before the limit. Another name
// starts another object.
func memberEnd(s string, i, limit int) int {
	j := i
	for j < limit && (isWord(s[j]) || s[j] == '-') {
		j++
	}
	if j == i || foldEqual(s[i:min(len(s), i+4)], "name") {
		return -1
	}
	j = skipAny(s, j, "\\\"'", 4)
	j = skipAny(s, j, " \t", 8)
	if j >= limit || s[j] != ':' && s[j] != '=' {
		return -1
	}
	j = skipAny(s, j+1, " \t", 8)
	from := j
	for j < limit && strings.IndexByte("\n,;{}[]", s[j]) < 0 && !(s[j] == '\\' && j+1 < limit && s[j+1] == 'n') {
		j++
	}
	if j == from || j >= limit || strings.IndexByte("{}[]", s[j]) >= 0 {
		return -1
	}
	if s[j] == '\\' {
		j++
	}
	for j++; j < limit && strings.IndexByte(" \t\r\n\"'\\", s[j]) >= 0; j++ {
	}
	return j
}

// announced is where the value starts that a word at s[j] announces, or -1.
func announced(s string, j int) int {
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
	i := from
	for i > lo && from-i < maxNameTail && (isWord(s[i-1]) || s[i-1] == '-' || s[i-1] == '.') {
		i--
	}
	if i == lo || s[i-1] == '\n' {
		return true
	}
	return s[i-1] == '\\' && s[i] == 'n'
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
	if isUUID(v) || isRoute(v) || strings.Count(v, "-")+strings.Count(v, "_")+strings.Count(v, ".")+strings.Count(v, "/") > 2+len(v)/10 {
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

// isRoute reports whether the text is a path of lower case words and numbers.
func isRoute(s string) bool {
	if s[0] != '/' || strings.Count(s, "/") < 3 {
		return false
	}
	for i := 0; i < len(s); i++ {
		if s[i] != '/' && s[i] != '-' && s[i] != '_' && !isDigit(s[i]) && (s[i] < 'a' || s[i] > 'z') {
			return false
		}
	}
	return true
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
