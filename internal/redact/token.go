package redact

import (
	"strconv"
	"strings"
)

// A token is [redacted:KIND:12hex]. The kind of a content token also says what
// was replaced and how big it was: content.text.118 (bytes), content.json.40
// (bytes), content.bytes.9, content.map.3 (entries), content.list.2 (items),
// content.number. The kind of an operator's own detector is custom.NAME, known at
// every boundary.
const (
	tokenOpen  = "[redacted:"
	tokenHex   = 12
	maxKindLen = 48

	contentKind = "content"
)

// contentMedia are the second part of a content token's kind, with whether a
// size follows.
var contentMedia = map[string]bool{"text": true, "json": true, "bytes": true, "map": true, "list": true, "number": false}

// tokenAt returns the end of the token that starts at s[i], or -1. The kind
// must be one of kinds: text that only looks like a token is ordinary text.
func tokenAt(s string, i int, kinds map[string]bool) int {
	if !strings.HasPrefix(s[i:], tokenOpen) {
		return -1
	}
	rest := s[i+len(tokenOpen):]
	colon := strings.IndexByte(rest[:min(len(rest), maxKindLen+1)], ':')
	if colon < 0 || !knownKind(rest[:colon], kinds) {
		return -1
	}
	rest = rest[colon+1:]
	if len(rest) < tokenHex+1 || rest[tokenHex] != ']' {
		return -1
	}
	for k := 0; k < tokenHex; k++ {
		if c := rest[k]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return -1
		}
	}
	return i + len(tokenOpen) + colon + 1 + tokenHex + 1
}

func knownKind(kind string, kinds map[string]bool) bool {
	if kinds[kind] {
		return true
	}
	if name, ok := strings.CutPrefix(kind, customPrefix); ok {
		return name != "" && len(name) <= maxCustomName && onlyKindBytes(name)
	}
	rest, ok := strings.CutPrefix(kind, contentKind+".")
	if !ok {
		return false
	}
	media, size, sized := strings.Cut(rest, ".")
	if want, known := contentMedia[media]; !known || want != sized {
		return false
	}
	for i := 0; i < len(size); i++ {
		if size[i] < '0' || size[i] > '9' {
			return false
		}
	}
	return !sized || size != "" && len(size) <= 12
}

// isToken reports whether the whole text is one token.
func isToken(s string, kinds map[string]bool) bool {
	return len(s) > len(tokenOpen) && s[0] == '[' && tokenAt(s, 0, kinds) == len(s)
}

// withheld are texts by which emitters themselves say that they left a value
// out. They hold nothing, and a reviewer wants to see that it was the emitter.
var withheld = map[string]bool{
	"<REDACTED>": true, "[REDACTED]": true, "REDACTED": true, "<redacted>": true, "[redacted]": true, "redacted": true,
	"***": true, "****": true, "[FILTERED]": true, "[Filtered]": true,
}

func contentKindOf(media string, size int) string {
	var buf [maxKindLen]byte
	b := append(buf[:0], contentKind...)
	b = append(append(b, '.'), media...)
	if size >= 0 {
		b = strconv.AppendInt(append(b, '.'), int64(size), 10)
	}
	return string(b)
}

func textMedia(s string) string {
	t := strings.TrimSpace(s)
	if len(t) >= 2 && (t[0] == '{' && t[len(t)-1] == '}' || t[0] == '[' && t[len(t)-1] == ']') {
		return "json"
	}
	return "text"
}
