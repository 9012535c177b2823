package redactor

import (
	"errors"
	"fmt"
	"os"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/configopaque"

	"github.com/otelcol-agent/otelcol-agent/internal/redact"
	"github.com/otelcol-agent/otelcol-agent/internal/w3c"
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

	// Dialects names dialect files of your own: their content keys and person
	// keys are treated as those of the built-in dialects.
	Dialects DialectsConfig `mapstructure:"dialects"`

	// Attributes says what becomes of attributes that are in no registry.
	Attributes AttributesConfig `mapstructure:"attributes"`

	// Detectors are the rules that read every text that stays.
	Detectors DetectorsConfig `mapstructure:"detectors"`

	// Baggage says which members of recorded baggage may pass.
	Baggage BaggageConfig `mapstructure:"baggage"`

	// Tracestate says which members of tracestates may pass.
	Tracestate TracestateConfig `mapstructure:"tracestate"`

	// Links says what of span links may pass beside their ids.
	Links LinksConfig `mapstructure:"links"`

	// TraceContext is continue, or restart to give every trace a new id here: a
	// crosses_boundary link leads back, and whether it is sampled is not taken over.
	TraceContext string `mapstructure:"trace_context"`

	// PersonIDs says what becomes of ids of people and accounts: digest, drop
	// or keep.
	PersonIDs string `mapstructure:"person_ids"`

	// prevent unkeyed literal initialization
	_ struct{}
}

// DialectsConfig names private dialects.
type DialectsConfig struct {
	// Files are paths of dialect files, those that the genaimapper is given. A relative
	// one is below the working directory of the collector.
	Files []string `mapstructure:"files"`

	// prevent unkeyed literal initialization
	_ struct{}
}

// keys reads the files.
func (c DialectsConfig) keys() (*semconv.PrivateKeys, error) {
	if len(c.Files) == 0 {
		return nil, nil
	}
	var errs []error
	files := map[string][]byte{}
	for i, path := range c.Files {
		b, err := os.ReadFile(path)
		if err != nil {
			errs = append(errs, fmt.Errorf("dialects.files[%d]: %w", i, err))
		}
		files[path] = b
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	keys, err := semconv.Private(files)
	if err != nil {
		return nil, fmt.Errorf("dialects.files: %w", err)
	}
	return keys, nil
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

	// Deny lists keys, or prefix.*, that are removed wherever they stand.
	Deny []string `mapstructure:"deny"`

	// Content lists keys, or prefix.*, that hold content beside those of the
	// pinned snapshots and the dialects.
	Content []string `mapstructure:"content"`

	// prevent unkeyed literal initialization
	_ struct{}
}

// BaggageConfig is for baggage wherever it was recorded.
type BaggageConfig struct {
	// Allow lists keys of members, prefix.*, or * for all.
	Allow []string `mapstructure:"allow"`

	// MaxMembers is how many members of one header may pass.
	MaxMembers int `mapstructure:"max_members"`

	// MaxBytes is how long the members of one header may be together.
	MaxBytes int `mapstructure:"max_bytes"`

	// prevent unkeyed literal initialization
	_ struct{}
}

// TracestateConfig is for the tracestates of spans and links and for recorded
// headers.
type TracestateConfig struct {
	// Allow lists vendors, or * for all.
	Allow []string `mapstructure:"allow"`

	// prevent unkeyed literal initialization
	_ struct{}
}

// LinksConfig is for span links.
type LinksConfig struct {
	// Attributes is allow, or drop to remove all but app.link.relation.
	Attributes string `mapstructure:"attributes"`

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

	linksAllow = "allow"
	linksDrop  = "drop"

	traceContinue = "continue"
	traceRestart  = "restart"

	// ownVendor is OpenTelemetry's key in tracestates: the sampling threshold and
	// the randomness that counts are corrected by.
	ownVendor = "ot"
)

func createDefaultConfig() component.Config {
	return &Config{
		Boundary:      "agent",
		Content:       string(redact.Digest),
		DigestKeyFile: defaultKeyFile(),
		TenantKey:     semconv.TenantID,
		Attributes:    AttributesConfig{Unknown: string(redact.Digest)},
		Detectors:     DetectorsConfig{Secrets: secretsAll, PII: redact.DefaultPII()},
		Baggage:       BaggageConfig{MaxMembers: w3c.BaggageMembers, MaxBytes: w3c.BaggageBytes},
		Tracestate:    TracestateConfig{Allow: []string{ownVendor}},
		Links:         LinksConfig{Attributes: linksAllow},
		TraceContext:  traceContinue,
		PersonIDs:     string(redact.Digest),
	}
}

// Validate reports every problem. The key file is looked at when the processor
// starts.
func (c *Config) Validate() error {
	var errs []error
	if s := c.Detectors.Secrets; s != secretsAll && s != secretsNone {
		errs = append(errs, fmt.Errorf("detectors.secrets must be all or none"))
	}
	if c.DigestKey == "" && c.DigestKeyFile == "" {
		errs = append(errs, errors.New("digest_key or digest_key_file must be given: without a key, digests of guessable values can be reversed"))
	}
	if c.DigestKey != "" && c.DigestKeyFile != "" && c.DigestKeyFile != defaultKeyFile() {
		errs = append(errs, errors.New("digest_key and digest_key_file must not both be given: it would not be plain which of them is in force"))
	}
	if a := c.Links.Attributes; a != linksAllow && a != linksDrop {
		errs = append(errs, fmt.Errorf("links.attributes must be allow or drop"))
	}
	if t := c.TraceContext; t != traceContinue && t != traceRestart {
		errs = append(errs, fmt.Errorf("trace_context must be continue or restart"))
	}
	if c.Baggage.MaxMembers < 1 {
		errs = append(errs, fmt.Errorf("baggage.max_members must be at least 1, found %d", c.Baggage.MaxMembers))
	}
	if c.Baggage.MaxBytes < 1 {
		errs = append(errs, fmt.Errorf("baggage.max_bytes must be at least 1, found %d", c.Baggage.MaxBytes))
	}
	if c.TenantKey == "" {
		errs = append(errs, errors.New("tenant_key must not be empty"))
	}
	key := string(c.DigestKey)
	if key == "" {
		key = "the key file is read later"
	}
	_, err := c.Dialects.keys()
	errs = append(errs, err, c.settings(key).Validate())
	return errors.Join(errs...)
}

// Policy compiles the policy under the configured key, or under the given one if
// none is configured. No key file is read.
func (c *Config) Policy(key string) (*redact.Policy, error) {
	if c.DigestKey != "" {
		key = string(c.DigestKey)
	}
	settings := c.settings(key)
	var err error
	if settings.Private, err = c.Dialects.keys(); err != nil {
		return nil, err
	}
	return redact.Compile(settings)
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
		Deny:        c.Attributes.Deny,

		BaggageAllow:       c.Baggage.Allow,
		BaggageMembers:     max(c.Baggage.MaxMembers, 0),
		BaggageBytes:       max(c.Baggage.MaxBytes, 0),
		TracestateAllow:    c.Tracestate.Allow,
		DropLinkAttributes: c.Links.Attributes == linksDrop,
		RestartTraces:      c.TraceContext == traceRestart,
	}
}

func customs(list []CustomDetector) []redact.Custom {
	var out []redact.Custom
	for _, c := range list {
		out = append(out, redact.Custom{Name: c.Name, Pattern: c.Pattern, Words: c.Words, Validate: c.Validate})
	}
	return out
}
