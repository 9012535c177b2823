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
	if j >= len(s) || s[j] != '{' && s[j] != '\n' {
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
