package w3c

import (
	"iter"
	"strings"
)

// Limits below which a baggage list must be propagated as it is.
const (
	BaggageMembers = 64
	BaggageBytes   = 8192
)

// BaggageMember is one member of a baggage list.
type BaggageMember struct {
	Raw        string // without white space around it
	Key        string // "" if the member is not valid
	Value      string // still percent-encoded; may hold =
	Properties string // what follows the first semicolon
}

// Valid reports whether the member follows the grammar.
func (m BaggageMember) Valid() bool { return m.Key != "" }

// Baggage yields the members of a list in their order, duplicates and members
// that are not valid included. Empty members are passed over.
func Baggage(list string) iter.Seq[BaggageMember] {
	return func(yield func(BaggageMember) bool) {
		for raw := range strings.SplitSeq(list, ",") {
			raw = trim(raw)
			if raw != "" && !yield(baggageMember(raw)) {
				return
			}
		}
	}
}

func baggageMember(raw string) BaggageMember {
	m := BaggageMember{Raw: raw}
	pair, properties, more := strings.Cut(raw, ";")
	key, value, found := strings.Cut(pair, "=")
	key, value = trim(key), trim(value)
	if !found || !isToken(key) || !isBaggageValue(value) || more && !areProperties(properties) {
		return m
	}
	m.Key, m.Value, m.Properties = key, value, properties
	return m
}

func areProperties(s string) bool {
	for p := range strings.SplitSeq(s, ";") {
		key, value, _ := strings.Cut(p, "=")
		if !isToken(trim(key)) || !isBaggageValue(trim(value)) {
			return false
		}
	}
	return true
}

// Decode undoes percent-encoding. A sequence that is no valid UTF-8 becomes
// U+FFFD, and a percent sign that starts no escape stays.
func Decode(value string) string {
	if !strings.Contains(value, "%") {
		return strings.ToValidUTF8(value, "\uFFFD")
	}
	b := make([]byte, 0, len(value))
	for i := 0; i < len(value); i++ {
		if value[i] == '%' && i+2 < len(value) && unhex(value[i+1]) < 16 && unhex(value[i+2]) < 16 {
			b = append(b, unhex(value[i+1])<<4|unhex(value[i+2]))
			i += 2
			continue
		}
		b = append(b, value[i])
	}
	return strings.ToValidUTF8(string(b), "\uFFFD")
}

// unhex returns the value of a hex digit of either case, or 16.
func unhex(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10
	}
	return 16
}

// trim removes optional white space.
func trim(s string) string { return strings.Trim(s, " \t") }

// isToken reports whether s is a token of HTTP.
func isToken(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; !isAlnum(c) && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return s != ""
}

func isBaggageValue(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c <= ' ' || c >= 0x7f || c == '"' || c == ',' || c == ';' || c == '\\' {
			return false
		}
	}
	return true
}

func isAlnum(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}
