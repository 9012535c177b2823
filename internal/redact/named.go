package redact

import "strings"

// matcherNamed is the matcher of secrets that have no mark of their own: a
// vendor's name in the name of the value, and the form of that vendor's keys.
const matcherNamed = "named"

// maxNamed is how much of a name may stand behind the vendor's.
const maxNamed = 40

// findNamed reads VENDOR_API_KEY=value, "vendorToken": "value", vendor.key: value
// and the like, and wants the whole value to have the rule's shape.
func (r *rule) findNamed(s string, from, to, lo int, work *int) (match, bool) {
	if from > lo && isWord(s[from-1]) && s[from-1] != '_' && fold(s[from-1]) >= 'a' && !(s[from] >= 'A' && s[from] <= 'Z' && s[from-1] >= 'a') && escapeBefore(s, from, lo) == 0 {
		return match{}, false
	}
	name := to
	for name < len(s) && name-to <= maxNamed && (isWord(s[name]) || s[name] == '-' || s[name] == '.' || s[name] == ' ' && name+1 < len(s) && isWord(s[name+1])) {
		name++
	}
	*work += name - to + 1
	if name-to > maxNamed {
		return match{}, false
	}
	i, _, ok := valueStart(s, from, name, lo)
	if !ok {
		if i, ok = namedBeside(s, from, to, name, lo); !ok {
			return match{}, false
		}
	}
	if start, end := lineBelow(s, i); end > start {
		i = start
	}
	i = block(s, i)
	i += entityAt(s, i)
	i = skipAny(s, stringPrefix(s, i), `\"'`+"`", 4)
	var c capture
	end := r.named.match(s, i, &c, work)
	*work += i - name
	if end < 0 || end < len(s) && (isWord(s[end]) || s[end] == '-') {
		return match{}, false
	}
	return r.checked(s, match{i, end, from, r})
}

// namedBeside is where the value starts that stands beside its name with no sign
// between.
func namedBeside(s string, from, to, name, lo int) (i int, ok bool) {
	short := to
	for short < name && s[short] != ' ' {
		short++
	}
	if short < len(s) && s[short] == ' ' { // VENDOR_KEY value
		return short + 1, true
	}
	j := skipAny(s, skipAny(s, name, `\"'`+"`", 4), " \t", 4)
	if cell := cellAfter(s, j); cell > 0 {
		return cell, true
	}
	if j < len(s) && strings.IndexByte(",(|", s[j]) >= 0 {
		return skipAny(s, j+1, " \t", 8), true
	}
	return j, j > name
}
