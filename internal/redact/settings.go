package redact

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/internal/w3c"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// Mode says what becomes of a value that is known by its key.
type Mode string

const (
	Drop   Mode = "drop"   // the attribute is removed
	Digest Mode = "digest" // the value becomes a token
	Keep   Mode = "keep"   // the value stays; detectors still read it
)

// Limits of one value. A longer or deeper value is replaced.
const (
	DefaultMaxValueBytes = 1 << 20
	// DefaultMaxDepth is how many maps and lists may lie inside each other, the
	// attribute's own value or the log body counted and the attribute map itself
	// not. The one below is a token.
	DefaultMaxDepth = 32
	MinKeyBytes     = 16
)

// Settings of a policy. The zero value of a field is its default, but for
// Boundary and Key.
type Settings struct {
	Boundary  string   // name stamped on what passed
	Content   Mode     // default Digest
	PersonIDs Mode     // default Digest
	Key       string   // secret under which digests are made, at least MinKeyBytes
	TenantKey string   // resource attribute that names the tenant; default tenant.id
	Secrets   bool     // whether the rules for secrets are on
	PII       []string // kinds of personal data; see PIIKinds and DefaultPII

	Custom      []Custom // detectors of the operator's own
	AllowValues []string // findings that stay: whole values, or @domain for addresses there

	Unknown     Mode     // text that is not name-like, under a key nobody knows; default Digest
	Allow       []string // keys, or prefix.*, that hold no content
	ContentKeys []string // keys, or prefix.*, that hold content

	Private *semconv.PrivateKeys // of dialect files that are not in the binary
	Deny    []string             // keys, or prefix.*, that are removed

	BaggageAllow       []string // members of recorded baggage that may pass: keys, prefix.*, or *; default none
	BaggageMembers     int      // at most so many of them; default w3c.BaggageMembers
	BaggageBytes       int      // and so many bytes a header; default w3c.BaggageBytes
	TracestateAllow    []string // vendors whose tracestate members may pass, or *; default none
	DropLinkAttributes bool     // but for the relation
	RestartTraces      bool     // whether trace ids are made anew

	allBaggage bool

	MaxValueBytes int // default DefaultMaxValueBytes
	MaxDepth      int // default DefaultMaxDepth
}

func (s Settings) withDefaults() Settings {
	if s.Content == "" {
		s.Content = Digest
	}
	if s.PersonIDs == "" {
		s.PersonIDs = Digest
	}
	if s.Unknown == "" {
		s.Unknown = Digest
	}
	if s.TenantKey == "" {
		s.TenantKey = semconv.TenantID
	}
	if s.BaggageMembers == 0 {
		s.BaggageMembers = w3c.BaggageMembers
	}
	if s.BaggageBytes == 0 {
		s.BaggageBytes = w3c.BaggageBytes
	}
	if s.MaxValueBytes == 0 {
		s.MaxValueBytes = DefaultMaxValueBytes
	}
	if s.MaxDepth == 0 {
		s.MaxDepth = DefaultMaxDepth
	}
	s.PII = slices.Compact(slices.Sorted(slices.Values(s.PII)))
	return s
}

// Validate returns every problem, named by the key a user would write.
func (s Settings) Validate() error {
	s = s.withDefaults()
	var errs []error
	if s.Boundary == "" {
		errs = append(errs, errors.New("boundary must not be empty"))
	} else if len(s.Boundary) > 64 || strings.ContainsFunc(s.Boundary, notNameRune) {
		errs = append(errs, errors.New("boundary must be at most 64 letters, digits, dots, dashes and underscores"))
	}
	errs = append(errs, s.Content.validate("content"), s.PersonIDs.validate("person_ids"))
	if len(s.Key) < MinKeyBytes {
		errs = append(errs, fmt.Errorf("digest_key must have at least %d bytes, found %d", MinKeyBytes, len(s.Key)))
	}
	if OneByte(s.Key) {
		errs = append(errs, errors.New("digest_key must be random, found one repeated byte"))
	}
	errs = append(errs, s.Unknown.validate("attributes.unknown"))
	for i, p := range s.Allow {
		if err := validatePattern(p); err != nil {
			errs = append(errs, fmt.Errorf("attributes.allow[%d] %w", i, err))
		}
		if slices.Contains(s.ContentKeys, p) {
			errs = append(errs, fmt.Errorf("attributes.allow[%d] must not also be in attributes.content, found %q", i, p))
		}
	}
	for i, p := range s.ContentKeys {
		if err := validatePattern(p); err != nil {
			errs = append(errs, fmt.Errorf("attributes.content[%d] %w", i, err))
		}
	}
	errs = append(errs, s.validateContext()...)
	for i, kind := range s.PII {
		if known := PIIKinds(); !slices.Contains(known, kind) {
			errs = append(errs, fmt.Errorf("detectors.pii[%d] must be one of %s, found %q", i, strings.Join(known, ", "), kind))
		}
	}
	errs = append(errs, validateCustom(s.Custom), validateAllowed(s.AllowValues))
	if s.MaxValueBytes < 64 || s.MaxDepth < 1 {
		errs = append(errs, errors.New("the limits of a value must be at least 64 bytes and depth 1"))
	}
	return errors.Join(errs...)
}

// validateContext checks what is denied and what may pass of context.
func (s Settings) validateContext() (errs []error) {
	for i, p := range s.Deny {
		if err := validatePattern(p); err != nil {
			errs = append(errs, fmt.Errorf("attributes.deny[%d] %w", i, err))
			continue
		}
		if slices.Contains(s.Allow, p) || slices.Contains(s.ContentKeys, p) {
			errs = append(errs, fmt.Errorf("attributes.deny[%d] must not also be in attributes.allow or attributes.content, found %q", i, p))
		}
		one := newKeyPatterns([]string{p})
		for _, stamp := range []string{semconv.AppRedactionBoundary, semconv.AppRedactionPolicy, semconv.AppRedactionCount} {
			if one.match(stamp) {
				errs = append(errs, fmt.Errorf("attributes.deny[%d] must not hold %s, which is stamped on what passed, found %q", i, stamp, p))
				break
			}
		}
	}
	for i, p := range s.BaggageAllow {
		if err := validatePattern(p); err != nil && p != anyMember {
			errs = append(errs, fmt.Errorf("baggage.allow[%d] %w, or * for all", i, err))
		}
	}
	if s.BaggageMembers < 0 {
		errs = append(errs, fmt.Errorf("baggage.max_members must be at least 1, found %d", s.BaggageMembers))
	}
	if s.BaggageBytes < 0 {
		errs = append(errs, fmt.Errorf("baggage.max_bytes must be at least 1, found %d", s.BaggageBytes))
	}
	for i, v := range s.TracestateAllow {
		if members, ok := w3c.Tracestate(v + "=v"); v != anyMember && (!ok || len(members) != 1) {
			errs = append(errs, fmt.Errorf("tracestate.allow[%d] must be a vendor's key or *, found %q", i, v))
		}
	}
	return errs
}

func (m Mode) validate(key string) error {
	switch m {
	case Drop, Digest, Keep:
		return nil
	}
	return fmt.Errorf("%s must be drop, digest or keep, found %q", key, string(m))
}

func notNameRune(r rune) bool {
	return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '.' || r == '-' || r == '_')
}

// OneByte reports whether the key is one byte over and over, as a file of zeros
// is.
func OneByte(key string) bool { return key != "" && strings.Trim(key, key[:1]) == "" }
