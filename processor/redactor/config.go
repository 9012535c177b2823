package redactor

import (
	"errors"
	"fmt"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/configopaque"

	"github.com/otelcol-agent/otelcol-agent/internal/redact"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// Config of the redactor.
type Config struct {
	// Boundary is the name stamped on spans and log records that passed
	// (app.redaction.boundary).
	Boundary string `mapstructure:"boundary"`

	// Content says what becomes of the value of every content key of the pinned
	// snapshots and the dialects: drop, digest or keep.
	Content string `mapstructure:"content"`

	// DigestKey is the secret under which digests are made, at least 16 bytes.
	// If it is empty, the key file is used.
	DigestKey configopaque.String `mapstructure:"digest_key"`

	// DigestKeyFile holds the key if digest_key is empty; only one of the two may
	// be given. It is made once, with mode 0600, if it does not exist.
	DigestKeyFile string `mapstructure:"digest_key_file"`

	// TenantKey is the resource attribute that names the tenant. Each tenant has
	// a key of its own, derived from the digest key.
	TenantKey string `mapstructure:"tenant_key"`

	// Attributes says what becomes of attributes that are in no registry.
	Attributes AttributesConfig `mapstructure:"attributes"`

	// Detectors are the rules that read every text that stays.
	Detectors DetectorsConfig `mapstructure:"detectors"`

	// PersonIDs says what becomes of ids of people and accounts: digest, drop
	// or keep.
	PersonIDs string `mapstructure:"person_ids"`

	// prevent unkeyed literal initialization
	_ struct{}
}

// AttributesConfig is for keys of the operator's own and keys of nobody's.
type AttributesConfig struct {
	// Unknown says what becomes of text that is not name-like under a key that no
	// registry knows, and in the bodies of log records of unknown shape: digest,
	// drop or keep.
	Unknown string `mapstructure:"unknown"`

	// Allow lists keys, or prefix.*, whose text is no content: only the detectors
	// read it.
	Allow []string `mapstructure:"allow"`

	// Content lists keys, or prefix.*, that hold content beside those of the
	// pinned snapshots and the dialects.
	Content []string `mapstructure:"content"`

	// prevent unkeyed literal initialization
	_ struct{}
}

// DetectorsConfig switches rules on.
type DetectorsConfig struct {
	// Secrets is all or none.
	Secrets string `mapstructure:"secrets"`

	// PII lists the kinds of personal data that are masked.
	PII []string `mapstructure:"pii"`

	// Custom are detectors of the operator's own, read beside the others.
	Custom []CustomDetector `mapstructure:"custom"`

	// AllowValues are findings that stay: a whole value, or @ and a domain for
	// e-mail addresses there. What stands around one is still read.
	AllowValues []string `mapstructure:"allow_values"`

	// prevent unkeyed literal initialization
	_ struct{}
}

// CustomDetector finds a pattern or words; one of the two is given.
type CustomDetector struct {
	// Name says what was found: tokens have the kind custom.NAME.
	Name string `mapstructure:"name"`

	// Pattern is a regular expression (RE2). Its first group, if there is one, is
	// what is replaced.
	Pattern string `mapstructure:"pattern"`

	// Words are fixed texts, compared without case, found as whole words.
	Words []string `mapstructure:"words"`

	// Validate names a check that what was found must pass, such as luhn.
	Validate string `mapstructure:"validate"`

	// prevent unkeyed literal initialization
	_ struct{}
}

var _ component.Config = (*Config)(nil)

const (
	secretsAll  = "all"
	secretsNone = "none"
)

func createDefaultConfig() component.Config {
	return &Config{
		Boundary:      "agent",
		Content:       string(redact.Digest),
		DigestKeyFile: defaultKeyFile(),
		TenantKey:     semconv.TenantID,
		Attributes:    AttributesConfig{Unknown: string(redact.Digest)},
		Detectors:     DetectorsConfig{Secrets: secretsAll, PII: redact.DefaultPII()},
		PersonIDs:     string(redact.Digest),
	}
}

// Validate reports every problem. The key file is looked at when the processor
// starts.
func (c *Config) Validate() error {
	var errs []error
	if s := c.Detectors.Secrets; s != secretsAll && s != secretsNone {
		errs = append(errs, fmt.Errorf("detectors.secrets must be all or none, found %q", s))
	}
	if c.DigestKey == "" && c.DigestKeyFile == "" {
		errs = append(errs, errors.New("digest_key or digest_key_file must be given: without a key, digests of guessable values can be reversed"))
	}
	if c.DigestKey != "" && c.DigestKeyFile != "" && c.DigestKeyFile != defaultKeyFile() {
		errs = append(errs, errors.New("digest_key and digest_key_file must not both be given: it would not be plain which of them is in force"))
	}
	if c.TenantKey == "" {
		errs = append(errs, errors.New("tenant_key must not be empty"))
	}
	key := string(c.DigestKey)
	if key == "" {
		key = "the key file is read later"
	}
	errs = append(errs, c.settings(key).Validate())
	return errors.Join(errs...)
}

func (c *Config) settings(key string) redact.Settings {
	return redact.Settings{
		Boundary:  c.Boundary,
		Content:   redact.Mode(c.Content),
		PersonIDs: redact.Mode(c.PersonIDs),
		Key:       key,
		TenantKey: c.TenantKey,
		Secrets:   c.Detectors.Secrets == secretsAll,
		PII:       c.Detectors.PII,

		Custom:      customs(c.Detectors.Custom),
		AllowValues: c.Detectors.AllowValues,

		Unknown:     redact.Mode(c.Attributes.Unknown),
		Allow:       c.Attributes.Allow,
		ContentKeys: c.Attributes.Content,
	}
}

func customs(list []CustomDetector) []redact.Custom {
	var out []redact.Custom
	for _, c := range list {
		out = append(out, redact.Custom{Name: c.Name, Pattern: c.Pattern, Words: c.Words, Validate: c.Validate})
	}
	return out
}
