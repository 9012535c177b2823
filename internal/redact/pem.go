package redact

import "strings"

const maxPEM = 64 << 10

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
