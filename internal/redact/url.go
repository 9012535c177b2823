package redact

import "strings"

// maxAuthority bounds the part of a URL between the slashes and the path.
const maxAuthority = 512

// sampleValues are what documentation writes where a password goes.
var sampleValues = wordSet("password passwd pass pwd your_password your-password yourpassword")

var endOfAuthority = byteSet(" \t\r\n/?#\"'`<>\\,|(){}")

// findURL reads the userinfo of a URL: what stands between the first colon and
// the last at sign before the path, or a drawn name that stands alone.
func (r *rule) findURL(s string, from, to, lo int, work *int) (match, bool) {
	end := runUntil(s, to, maxAuthority, endOfAuthority)
	*work += end - to + 1
	authority := s[to:end]
	at := strings.LastIndexByte(authority, '@')
	if at < 0 {
		return match{}, false
	}
	start := to
	if colon := strings.IndexByte(authority[:at], ':'); colon >= 0 {
		start = to + colon + 1
	} else if v := authority[:at]; len(v) < 20 || !keyMaterial(v) {
		return match{}, false
	}
	value := s[start : to+at]
	if value == "" || isReference(value) || isMask(value) || withheld[value] || sampleValues[strings.ToLower(value)] {
		return match{}, false
	}
	return match{start, to + at, from, r}, true
}
