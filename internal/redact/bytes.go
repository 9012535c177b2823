package redact

import "strings"

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
