package redact

import (
	"net/netip"
	"strings"
)

// notAddresses are said before four numbers that are a version or a section.
var notAddresses = newWordList([]string{"version", "v", "ver", "release", "build", "section", "chapter", "oid", "assemblyversion", "fileversion"})

// findIP finds addresses of one machine on the open network. Addresses that say
// nothing outside a network stay: loopback, private, link-local, shared,
// multicast, unspecified, broadcast.
func (r *rule) findIP(n *numberAt) (match, bool) {
	if n.start > n.lo && strings.IndexByte(".-_:", n.s[n.start-1]) >= 0 && n.start-1 > n.lo && isWord(n.s[n.start-2]) && n.s[n.start-1] != ':' {
		return match{}, false
	}
	if n.first <= 3 && n.start+n.first < len(n.s) && n.s[n.start+n.first] == '.' {
		return r.findIPv4(n)
	}
	return r.findIPv6(n)
}

func (r *rule) findIPv4(n *numberAt) (match, bool) {
	s, i := n.s, n.start
	var octets [4]int
	for k := range octets {
		d := digitsAt(s, i)
		if d == 0 || d > 3 || d > 1 && s[i] == '0' {
			return match{}, false
		}
		for _, c := range []byte(s[i : i+d]) {
			octets[k] = octets[k]*10 + int(c-'0')
		}
		i += d
		if octets[k] > 255 || k < 3 && (i >= len(s) || s[i] != '.') {
			return match{}, false
		}
		if k < 3 {
			i++
		}
	}
	*n.work += i - n.start
	if goesOn(s, i) && s[i] != '-' || !openIPv4(octets) || small(octets) && !addressWords.before(s, n.start, n.lo, n.work) || n.afterProduct() || notAddresses.before(s, n.start, n.lo, n.work) {
		return match{}, false
	}
	return match{n.start, i, n.start, r}, true
}

// addressWords are said before an address that could be a version.
var addressWords = newWordList([]string{"ip", "ipv4", "addr", "address", "client", "remote", "peer", "host", "from", "resolver", "dns", "nameserver", "ping"})

// small reports whether all four numbers have one digit, as in a version.
func small(o [4]int) bool { return max(o[0], o[1], o[2], o[3]) < 10 }

// openIPv4 leaves out what is no machine's address on the open network, and
// what is the number of a network.
func openIPv4(o [4]int) bool {
	a := netip.AddrFrom4([4]byte{byte(o[0]), byte(o[1]), byte(o[2]), byte(o[3])})
	return !(o[0] == 0 || o[0] == 127 || o[0] >= 240 || o[2] == 0 && o[3] == 0 || a.IsPrivate() || a.IsLinkLocalUnicast() || a.IsMulticast() ||
		o[0] == 100 && o[1]&0xc0 == 64)
}

// afterProduct reports whether the number follows name/ as versions do: but not
// the //, of a URL.
func (n *numberAt) afterProduct() bool {
	i := n.start - 1
	return i > n.lo && n.s[i] == '/' && isWord(n.s[i-1])
}

func (r *rule) findIPv6(n *numberAt) (match, bool) {
	s := n.s
	if c := s[n.start]; c != '2' && c != '3' {
		return match{}, false // global unicast is 2000::/3
	}
	if n.start-1 > n.lo && s[n.start-1] == ':' && isHex(s[n.start-2]) && n.groupBefore() {
		return match{}, false // the rest of something longer
	}
	i, colons := n.start, 0
	for i < len(s) && i-n.start < 46 && (isHex(s[i]) || s[i] == ':' || s[i] == '.') {
		if s[i] == ':' {
			colons++
		}
		i++
	}
	*n.work += i - n.start
	for i > n.start && (s[i-1] == '.' || s[i-1] == ':' && (i-2 < n.start || s[i-2] != ':')) {
		i--
	}
	if colons < 2 || i < len(s) && isWord(s[i]) {
		return match{}, false
	}
	if i < len(s) && s[i] == '/' && s[i-1] == ':' {
		return match{}, false // a network
	}
	a, err := netip.ParseAddr(s[n.start:i])
	if err != nil || !a.Is6() || strings.IndexByte(s[n.start:i], ':') != 4 {
		return match{}, false
	}
	return match{n.start, i, n.start, r}, true
}

// groupBefore reports whether the word before the colon before the number is up
// to four hex digits.
func (n *numberAt) groupBefore() bool {
	i := n.start - 1
	for i > n.lo && isHex(n.s[i-1]) && n.start-1-i < 5 {
		i--
	}
	return n.start-1-i <= 4 && (i == n.lo || !isWord(n.s[i-1]))
}
