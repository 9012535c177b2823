package redact

import "strings"

// What stands behind a name is a secret only if it looks like one, by how much
// the name says.

func (r *rule) secretValue(v string, a assigned) bool {
	if a.said && !a.quoted && (len(v) < 6 || !hasDigit(v) && !randomCase(v) || !hasLetter(v)) {
		return false
	}
	if a.call || isReference(v) || withheld[v] || isMask(v) {
		return false
	}
	if a.option && (v[0] == '-' || len(v) == 1 && !isWord(v[0])) {
		return false // the next option
	}
	if a.below && !isUUID(v) && !keyMaterial(v) && !(len(v) >= 8 && hasDigit(v) && (mixedCase(v) || r.strength == strengthPassword && hasLetter(v))) {
		return false
	}
	if strings.Contains(v, "://") {
		return false // an address; what is secret in one has rules of its own
	}
	if len(v) <= 16 && notValues[strings.ToLower(v)] || len(v) > 5 && foldEqual(v[:4], "your") && strings.IndexByte("-_ ", v[4]) >= 0 {
		return false
	}
	switch r.strength {
	case strengthPassword:
		return passwordLike(v, a)
	case strengthKey:
		return keyMaterial(v)
	}
	return tokenLike(v) || a.quoted && len(v) >= 30 && strings.IndexByte(v, ' ') < 0 && hasDigit(v) && entropy(v) >= 4.2
}

// isMask reports whether somebody has hidden the value before us.
func isMask(v string) bool {
	return strings.IndexByte("*xX.-_#?", v[0]) >= 0 && (len(v) > 2 || v[0] == '*') && strings.Trim(v, v[:1]) == ""
}

// isPath reports whether the text is a word or words joined by dots, as names
// in code are.
func isPath(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := fold(s[i]); (c < 'a' || c > 'z') && c != '_' && c != '.' {
			return false
		}
	}
	return true
}

// isCode reports whether the text could stand before a bracket in code.
func isCode(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isWord(s[i]) && s[i] != '.' && s[i] != ':' {
			return false
		}
	}
	return true
}

func passwordLike(v string, a assigned) bool {
	if v[0] == '/' || strings.HasPrefix(v, "./") || strings.HasPrefix(v, "~/") || strings.Count(v, " ") > maxPhraseGaps {
		return false
	}
	if a.bare && (strings.Trim(v, "0123456789.%") == "" || a.said || a.colon && !a.quoted && !hasDigit(v) && !randomCase(v)) {
		return false // how many passed, or the first pass: collect
	}
	if a.quoted {
		// Otherwise the quote closed a text and opened none: "Password: ", x
		return strings.IndexByte("),+ ]};", v[0]) < 0
	}
	if strings.Contains(v, " ") {
		return true
	}
	if ideographs(v) {
		return false // a sentence in a script without spaces
	}
	if isPath(v) { // a variable or a field, unless it is long and has no dots
		return len(v) >= 6 && !strings.ContainsAny(v, "._") || a.tight && len(v) >= 8 && randomCase(v)
	}
	return a.tight || len(v) >= minPassword
}

// letters is a key of base64url without the two bytes of its alphabet that have no
// case.
func letters(v string) string {
	return strings.ReplaceAll(strings.ReplaceAll(v, "-", ""), "_", "")
}

// ideographs reports whether the text is of runes alone that take three bytes, as
// those of East Asia do.
func ideographs(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < 0x80 || s[i] >= 0xc0 && s[i] < 0xe3 {
			return false
		}
	}
	return true
}

func tokenLike(v string) bool {
	if len(v) < minTokenLen || strings.ContainsAny(v, " \t(){}[]$") || !hasLetter(v) {
		return false
	}
	if strings.HasPrefix(v, "0x") && len(v) <= 18 || strings.Trim(v, "0123456789.eE+-") == "" {
		return false // a number
	}
	if (v[0] == '*' || v[0] == '&') && isCode(v[1:]) {
		return false // a pointer in code
	}
	if v[0] == '/' && strings.Count(v, "/") > 1 && !strings.ContainsAny(v, "+=") && len(v) < 40 {
		return false // a path
	}
	if hasDigit(v) {
		return entropy(v) >= tokenEntropy
	}
	return len(v) >= bareTokenRuns && mixedCase(v) && randomCase(letters(v)) && !strings.ContainsAny(v, "./") && entropy(v) >= 3.5
}

// sameAsName reports whether a name's value is that name: a key of a table.
func sameAsName(name, v string) bool {
	v = strings.Trim(v, "_-%")
	if v == "" {
		return true
	}
	at := len(name) - len(v)
	return at >= 0 && strings.EqualFold(name[at:], v)
}
