package redact

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
	i := skipAny(s, name, `\"'`+"`"+`]`, 4)
	i = skipAny(s, i, " \t", 4)
	if next := valueAhead(s, name); next > 0 {
		i = next
	} else if next := valueAfter(s, name, i); next > 0 {
		i = next
	} else if i >= len(s) || s[i] != '=' && s[i] != ':' && s[i] != '>' {
		if space := flagValue(s, from, to, lo); space > 0 {
			name, i = space, space
		} else {
			return match{}, false
		}
	}
	i = skipAny(s, i, `=:> `+"\t", 6)
	i = skipAny(s, i, `\"'`+"`", 4)
	var c capture
	end := r.named.match(s, i, &c, work)
	*work += i - name
	if end < 0 || end < len(s) && (isWord(s[end]) || s[end] == '-') {
		return match{}, false
	}
	return r.checked(s, match{i, end, from, r})
}

// flagValue is where the value of --name value starts, 0 if the name is no
// option.
func flagValue(s string, from, to, lo int) int {
	i := to
	for i < len(s) && i-to <= maxNamed && (isWord(s[i]) || s[i] == '-') {
		i++
	}
	if i+1 < len(s) && s[i] == ' ' && isFlag(s, from, lo) {
		return i + 1
	}
	return 0
}
