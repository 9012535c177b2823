package redact

import "strings"

const maxHeaderValue = 8192

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
