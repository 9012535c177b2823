package redact

import "strings"

// valueStart reads what stands between a name that ends at s[name] and its value:
// NAME=, "name":, name =>, name ||=, --name , <name>, name: type =, name: X then
// value:, is. It returns where the value, with its quote, starts. The keyword of
// the name starts at from.
func valueStart(s string, from, name, lo int) (i int, a assigned, ok bool) {
	i = skipAny(s, name, `\"'`+"`"+`]`, 4)
	i += entityAt(s, i)
	closed := i > name
	if n := prompted(s, i); n > 0 {
		i = n
	}
	spaced := skipAny(s, i, " \t", 8)
	switch {
	case spaced < len(s) && (s[spaced] == '=' || s[spaced] == ':'):
		if strings.HasPrefix(s[spaced:], "::") {
			return 0, a, false
		}
		a.colon = s[spaced] == ':'
		a.tight = spaced == i && s[spaced] == '='
		i = skipAny(s, spaced+1, "=>", 2)
		if next := typed(s, i); next > 0 {
			a.colon, i = false, next
		}
	case operator(s, spaced) > 0:
		i = spaced + operator(s, spaced)
	case i < len(s) && s[i] == '>' && !closed: // <name>value
		i++
	case spaced > i && !closed && isFlag(s, from, lo): // --name value
		a.tight = true
	case wideColon(s, spaced) > 0:
		a.colon = true
		i = spaced + wideColon(s, spaced)
	case spaced > i && typed(s, spaced) > 0:
		i = typed(s, spaced)
	case qualified(s, spaced) > 0:
		i, a.said = qualified(s, spaced), true
	default:
		if i = valueAhead(s, name); i < 0 {
			if i, a.said = saidToBe(s, spaced); !a.said {
				return 0, a, false
			}
		}
	}
	if next := valueAfter(s, name, i); next > 0 {
		i, a = next, assigned{}
	}
	if n := skipAny(s, i, " \t", 8); n > i {
		a.tight, i = a.tight && isFlag(s, from, lo), n
	}
	return i, a, true
}

// prompted passes over the [None] or [****abcd] between the name and the colon of
// a prompt.
func prompted(s string, i int) int {
	if i+1 >= len(s) || s[i] != ' ' || s[i+1] != '[' {
		return 0
	}
	for k := i + 2; k < len(s) && k-i < 32; k++ {
		if s[k] == ']' && k+1 < len(s) && s[k+1] == ':' {
			return k + 1
		}
	}
	return 0
}

// qualified passes over what a sentence says of a secret before its colon: for
// user admin:, (temporary) is.
func qualified(s string, i int) int {
	if i == 0 || i+5 >= len(s) || s[i-1] != ' ' || s[i] != '(' && !strings.HasPrefix(s[i:], "for ") && !strings.HasPrefix(s[i:], "of ") && !strings.HasPrefix(s[i:], "on ") {
		return 0
	}
	for k := i; k < len(s) && k-i < maxApart; k++ {
		switch c := s[k]; {
		case c == ':' && k+1 < len(s) && s[k+1] == ' ':
			return k + 2
		case strings.HasPrefix(s[k:], " is ") && k+4 < len(s):
			return k + 4
		case c == '\n' || c == '.' && k+1 < len(s) && s[k+1] == ' ' || strings.IndexByte(`"=,;{}[]<>`, c) >= 0:
			return 0
		}
	}
	return 0
}

// operator is the length of an assignment that is more than = or :.
func operator(s string, i int) int {
	for _, o := range []string{"||=", "??=", "?=", "+=", "<-"} {
		if strings.HasPrefix(s[i:], o) {
			return len(o)
		}
	}
	return 0
}

// types are how languages declare a text.
var types = []string{"string", "str", "&str", "&'static str", "string?", "optional[str]", "secretstr", "std::string", "*string", "[]byte", "any", "char*", "str | none"}

// typed is where the value starts behind a type and an equals sign, or -1.
func typed(s string, i int) int {
	i = skipAny(s, i, " \t", 4)
	for _, t := range types {
		end := i + len(t)
		if end >= len(s) || isWord(s[end]) || !foldEqual(s[i:end], t) {
			continue
		}
		if eq := skipAny(s, end, " \t", 4); eq < len(s) && s[eq] == '=' && !strings.HasPrefix(s[eq:], "==") {
			return eq + 1
		}
	}
	return -1
}

// stringPrefix passes over the letters by which languages mark a text: b"x",
// rb'x', @"x".
func stringPrefix(s string, i int) int {
	for n := 1; n <= 2 && i+n < len(s); n++ {
		if strings.IndexByte("bBrRuUfFL@$", s[i+n-1]) < 0 {
			return i
		}
		if s[i+n] == '"' || s[i+n] == '\'' {
			return i + n
		}
	}
	return i
}
