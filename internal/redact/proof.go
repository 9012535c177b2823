package redact

import "hash/crc32"

// proofs find tokens that carry a checksum of their own: whatever letters touch
// one, it is a token. They answer its length, 0 if there is none. A token whose
// checksum is wrong may still be one by its shape: a mistyped secret is a secret.
var proofs = map[string]func(string) int{"crc32": crcToken}

// Of a token with a checksum: a mark of four bytes, 30 drawn characters and six
// of the CRC-32 of these in base 62, as GitHub and npm make them.
const (
	crcMark = 4
	crcBody = 30
	crcTail = 6
)

func crcToken(s string) int {
	const size = crcMark + crcBody + crcTail
	if len(s) < size {
		return 0
	}
	var body [crcBody]byte
	copy(body[:], s[crcMark:])
	sum := uint64(0)
	for _, c := range []byte(s[crcMark+crcBody : size]) {
		d, ok := base62(c)
		if !ok {
			return 0
		}
		sum = sum*62 + d
	}
	if sum != uint64(crc32.ChecksumIEEE(body[:])) {
		return 0
	}
	return size
}

func base62(c byte) (uint64, bool) {
	switch {
	case '0' <= c && c <= '9':
		return uint64(c - '0'), true
	case 'A' <= c && c <= 'Z':
		return uint64(c-'A') + 10, true
	case 'a' <= c && c <= 'z':
		return uint64(c-'a') + 36, true
	}
	return 0, false
}
