package main

import (
	"fmt"
	"regexp"
	"strings"
)

var (
	// token is what the redactor writes for a value; equal values have equal hex
	// whatever the kind, which is that of the rule that found them.
	token = regexp.MustCompile(`^(?:\[redacted:[^:\[\]\s]+:)?([0-9a-f]{12})\]?$`)
	// digest is what anybody else writes: hex of at least 64 bits, in groups or not,
	// behind a name or not, such as hmac:, sha256: or an id in UUID form.
	digest = regexp.MustCompile(`^(?:[A-Za-z][A-Za-z0-9_.-]{0,31}[:_-])?[0-9A-Fa-f]{4,}(?:-?[0-9A-Fa-f]{4,})*$`)
)

// minDigest is how many hex digits a digest has that is no token.
const minDigest = 16

// subjectOf returns the text by which the evidence speaks of a subject.
func subjectOf(given string) (string, error) {
	given = strings.TrimSpace(given)
	if m := token.FindStringSubmatch(given); m != nil && strings.HasPrefix(given, "[") == strings.HasSuffix(given, "]") {
		return ":" + m[1] + "]", nil
	}
	rest := given[strings.LastIndexAny(given, ":_")+1:]
	if digest.MatchString(given) && len(strings.ReplaceAll(rest, "-", "")) >= minDigest {
		return given, nil
	}
	return "", fmt.Errorf("subject must be a digest: a token as a review shows it ([redacted:KIND:12hex]), its 12 hex digits, hmac:32hex, or another digest or id of at least %d hex digits; "+
		"found %d characters that are none. What stands for an e-mail address or an id says: otelcol-agent redact --value --policy FILE", minDigest, len(given))
}
