package redact

import "strings"

// valueStart reads what stands between a name that ends at s[name] and its value:
// NAME=, "name":, name =>, name ||=, --name , <name>, name: type =, name: X then
// value:, is. It returns where the value, with its quote, starts. The keyword of
// the name starts at from.
func valueStart(s string, from, name, lo int) (i int, a assigned, ok bool) {
	i = skipAny(s, name, `\"'`+"`"+`]*`, 4)
	i += entityAt(s, i)
	closed := i > name
	if next := skipAny(s, i+1, " \t", 4); !closed && i < len(s) && s[i] == '}' && next < len(s) && s[next] == '=' {
		i++ // $ENV{NAME} =
	}
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
		if i = skipAny(s, spaced+1, "=>", 2); spaced == name && i < len(s) && s[i] == '-' && s[spaced] == ':' {
			i++ // ${NAME:-value}
		}
		if next := typed(s, i); next > 0 {
			a.colon, i = false, next
		}
	case operator(s, spaced) > 0:
		i = spaced + operator(s, spaced)
	case otherwise(s, i) > 0:
		i = otherwise(s, i)
	case accessors(s, spaced) > 0:
		i = accessors(s, spaced)
	case formField(s, from, name, lo) > 0:
		i, a.below = formField(s, from, name, lo), true
	case i < len(s) && s[i] == '>' && !closed: // <name>value
		i++
	case spaced > i && !closed && isFlag(s, from, lo): // --name value
		a.tight, a.option = true, true
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
		case strings.HasPrefix(s[k:], " = ") && k+3 < len(s):
			return k + 3
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

// otherwise is where a text starts that stands for a name without a value:
// process.env.NAME || "x", os.getenv("NAME") or 'x'.
func otherwise(s string, i int) int {
	i = skipAny(s, i, ")", 2)
	i = skipAny(s, i, " \t", 4)
	for _, o := range []string{"||", "??", "?:", "or "} {
		if !strings.HasPrefix(s[i:], o) {
			continue
		}
		if j := skipAny(s, i+len(o), " \t", 4); j < len(s) && (s[j] == '"' || s[j] == '\'' || s[j] == '`') {
			return j
		}
	}
	return 0
}

// accessors is where the value starts behind the accessors of a property:
// { get; set; } =, or 0.
func accessors(s string, i int) int {
	if i >= len(s) || s[i] != '{' {
		return 0
	}
	end := runUntil(s, i+1, 40, endOfAccessors)
	if end >= len(s) || s[end] != '}' || !strings.Contains(s[i:end], "get;") {
		return 0
	}
	if end = skipAny(s, end+1, " \t", 4); end < len(s) && s[end] == '=' {
		return end + 1
	}
	return 0
}

var endOfAccessors = byteSet("}{=\"'\n")

// defaultArgument is the second argument of a call that looks a value up: env("X",
// "value").
func defaultArgument(s string, a assigned) (start, end int) {
	name := s[a.start:a.end]
	looksUp := false
	for _, w := range []string{"env", "config", "get", "default", "setting", "option", "param"} {
		looksUp = looksUp || wordsOf(name, w)
	}
	if i := a.end + 1; looksUp && i < len(s) && (s[i] == '"' || s[i] == '\'') {
		comma := quotedEnd(s, i+1, s[i]) + 1
		if i = skipAny(s, comma, ", ", 4); i > comma && i < len(s) && (s[i] == '"' || s[i] == '\'') {
			return i + 1, quotedEnd(s, i+1, s[i])
		}
	}
	return 0, 0
}

// lineBelow is the only word on the next line that is not empty, or on that behind
// the opening of a code block.
func lineBelow(s string, i int) (start, end int) {
	i = skipAny(s, i, " \t", 4)
	next := skipBreaks(s, i)
	if next == i {
		return 0, 0
	}
	start = skipAny(s, next, " \t", 16)
	if fence(s, start) {
		line := runUntil(s, start+3, 16, endOfLine)
		if start = skipBreaks(s, line); start == line {
			return 0, 0
		}
	}
	end = runUntil(s, start, maxAssigned, endOfAssigned)
	if tail := skipAny(s, end, " \t\r", 4); tail < len(s) && s[tail] != '\n' && skipBreaks(s, tail) == tail {
		return 0, 0
	}
	return start, end
}

var endOfLine = byteSet(" \t\r\n\\")

// fence reports whether a code block opens or closes at s[i].
func fence(s string, i int) bool { return strings.HasPrefix(s[min(i, len(s)):], "```") }

// skipBreaks passes over at most four line breaks, also escaped ones.
func skipBreaks(s string, i int) int {
	for range 4 {
		switch {
		case i < len(s) && (s[i] == '\n' || s[i] == '\r'):
			i++
		case i+1 < len(s) && s[i] == '\\' && s[i+1] == 'n':
			i += 2
		}
	}
	return i
}

// formField is where the value of a field of a form starts: name="X", an empty
// line, the value; or 0.
func formField(s string, from, name, lo int) int {
	i := skipAny(s, name, `\`, 3)
	if i >= len(s) || s[i] != '"' {
		return 0
	}
	start := nameStart(s, from, lo)
	if !strings.HasSuffix(strings.TrimRight(s[lo:start], `"\`), "name=") {
		return 0
	}
	if start, end := lineBelow(s, i+1); end > start {
		return start
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
