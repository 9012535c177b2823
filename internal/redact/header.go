package redact

import "strings"

const (
	maxHeaderValue = 8192
	maxPEM         = 64 << 10
)

// schemes after which an Authorization value is a credential whatever it looks
// like.
var schemes = []string{"bearer", "basic", "token", "digest", "apikey", "ssws", "negotiate", "key"}

// findHeader reads the value of an authorization or cookie header: as a header
// line, in JSON, or in a shell's -H.
func (r *rule) findHeader(s string, from, to, lo int, work *int) (match, bool) {
	i := skipAny(s, to, `"'\`, 4)
	if i >= len(s) || s[i] != ':' && s[i] != '=' {
		return match{}, false
	}
	i = skipAny(s, i+1, " \t", 4)
	i = skipAny(s, i, `"'\[`, 4)
	*work += i - to + 1
	if strings.HasPrefix(r.kind, "cookie") {
		return r.findCookie(s, i, from, work)
	}
	start, known := i, false
	for _, scheme := range schemes {
		if n := i + len(scheme); n < len(s) && s[n] == ' ' && foldEqual(s[i:n], scheme) {
			start, known = skipAny(s, n, " ", 4), true
		}
	}
	end := runUntil(s, start, maxHeaderValue, endOfHeader)
	*work += end - start + 32
	value := s[start:end]
	if isReference(value) || withheld[value] || len(value) < 6 || !hasDigit(value) && (!known || len(value) < 12) {
		return match{}, false
	}
	return match{start, end, from, r}, true
}

func (r *rule) findCookie(s string, i, from int, work *int) (match, bool) {
	end := runUntil(s, i, maxHeaderValue, endOfCookie)
	*work += end - i + 1
	value := s[i:end]
	if eq := strings.IndexByte(value, '='); eq <= 0 || eq > 128 || end-i < 4 || isReference(value) || strings.ContainsAny(value[:eq], " (") {
		return match{}, false
	}
	return match{i, end, from, r}, true
}

// findPEM replaces a private key block whole, header and footer included. One
// whose end is cut off is replaced as far as it looks like one.
func (r *rule) findPEM(s string, from, to, _ int, work *int) (match, bool) {
	label := to
	for label < len(s) && label-to < 48 && (s[label] == ' ' || 'A' <= s[label] && s[label] <= 'Z' || '0' <= s[label] && s[label] <= '9') {
		label++
	}
	*work += label - to + 1
	if !strings.Contains(s[to:label], "PRIVATE KEY") || !strings.HasPrefix(s[label:], "-----") {
		return match{}, false
	}
	body := s[label+5 : min(len(s), label+maxPEM)]
	if end := strings.Index(body, "-----END "); end >= 0 {
		*work += end
		i := label + 5 + end + len("-----END ")
		if close := strings.Index(s[i:min(len(s), i+48)], "-----"); close >= 0 {
			return match{from, i + close + 5, from, r}, true
		}
		return match{from, i, from, r}, true
	}
	*work += len(body)
	i := label + 5
	for i < len(s) && (isWord(s[i]) || strings.IndexByte("+/=\r\n\t \\:,.-", s[i]) >= 0) {
		i++
	}
	*work += i - label
	return match{from, i, from, r}, true
}

// skipAny passes over at most limit bytes of the set.
func skipAny(s string, i int, set string, limit int) int {
	for n := 0; n < limit && i < len(s) && strings.IndexByte(set, s[i]) >= 0; n++ {
		i++
	}
	return i
}

// runUntil returns where the first byte of stop is, at most limit bytes on.
func runUntil(s string, i, limit int, stop *[256]bool) int {
	end := min(len(s), i+limit)
	for i < end && !stop[s[i]] {
		i++
	}
	return i
}

func byteSet(members string) *[256]bool {
	set := &[256]bool{}
	for i := 0; i < len(members); i++ {
		set[members[i]] = true
	}
	return set
}

var (
	endOfHeader   = byteSet(" \t\r\n\"'\\,;<>")
	endOfCookie   = byteSet("\r\n\"'\\<>")
	endOfEntity   = byteSet(" \t\r\n&\"'<>\\\xe2\xe3\xc2")
	endOfPhrase   = byteSet("\t\r\n,;\"'`<>(){}[\\]")
	endOfAssigned = byteSet(" \t\r\n,;&\"'`<>(){}[\\]")
)
