package genaimapper

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/internal/keyfile"
	"github.com/otelcol-agent/otelcol-agent/internal/mapping"
	"github.com/otelcol-agent/otelcol-agent/semconv"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/configopaque"
)

// Config of the processor.
type Config struct {
	// Snapshot is the GenAI convention that telemetry is rewritten to.
	Snapshot string `mapstructure:"snapshot"`
	// Content says what happens to messages, tool arguments and tool results:
	// `keep` leaves them where they are, unread; `map` rewrites them into the
	// snapshot's content keys.
	Content string `mapstructure:"content"`
	// Dialects adds dialects of your own to those in the binary.
	Dialects DialectsConfig `mapstructure:"dialects"`
	// JoinRecords is the number of log records of one model call, in one batch,
	// whose messages are read together: emitters of earlier conventions send a
	// record a message. 0 reads each by itself.
	JoinRecords int `mapstructure:"join_records"`
	// Digests says of what keyed digests are made before content is gone:
	// `effects` (a tool call's request and result), `prompts` (the messages given
	// to a model, and the context: these and its instructions) and `catalogs`
	// (the tools offered to it). The last two read every message, which costs as
	// much as mapping it.
	Digests []string `mapstructure:"digests"`
	// DigestKey is the secret under which digests are made, at least 16 bytes.
	// If it is empty, the key file is used.
	DigestKey configopaque.String `mapstructure:"digest_key"`
	// DigestKeyFile holds the key if digest_key is empty. It is made once, with
	// mode 0600, if it does not exist.
	DigestKeyFile string `mapstructure:"digest_key_file"`
	// TenantKey is the resource attribute that names the tenant. Each tenant has
	// a key of its own, derived from the digest key.
	TenantKey string `mapstructure:"tenant_key"`
	// Storage names a storage extension that keeps what lines of a journal tell
	// those behind them over a restart: their turn, their question.
	Storage *component.ID `mapstructure:"storage"`
}

// DialectsConfig names private dialects.
type DialectsConfig struct {
	// Files are paths of dialect files, in the format of semconv/dialects. A relative
	// one is below the working directory of the collector.
	Files []string `mapstructure:"files"`
}

// maxJoinRecords bounds the work for one call.
const maxJoinRecords = 4096

// Values of Config.Content.
const (
	contentKeep = "keep"
	contentMap  = "map"
)

func createDefaultConfig() component.Config {
	c := &Config{Snapshot: semconv.DefaultSnapshot, Content: contentKeep, JoinRecords: 256, DigestKeyFile: defaultKeyFile(), TenantKey: semconv.TenantID}
	if c.DigestKeyFile != "" { // else nobody has a home where a key could be
		c.Digests = []string{mapping.DigestEffects}
	}
	return c
}

// defaultKeyFile is beside the evidence store of a single machine, the one that
// the redactor uses.
func defaultKeyFile() string {
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	return keyfile.Beside(os.Getenv("XDG_DATA_HOME"), home)
}

// Validate compiles every dialect and reports all problems, those of a dialect
// file with its line. The key file is looked at when the processor starts.
func (c *Config) Validate() error {
	_, err := c.tables(nil, nil)
	return errors.Join(err, c.validateDigests())
}

func (c *Config) validateDigests() error {
	var errs []error
	for i, kind := range c.Digests {
		if !slices.Contains(mapping.DigestKinds(), kind) {
			errs = append(errs, fmt.Errorf("digests[%d] must be one of %s", i, strings.Join(mapping.DigestKinds(), ", ")))
		}
	}
	if len(c.Digests) == 0 {
		return errors.Join(errs...)
	}
	switch n := len(c.DigestKey); {
	case n == 0 && c.DigestKeyFile == "":
		errs = append(errs, errors.New("digest_key or digest_key_file must be given, or digests must be empty"))
	case n > 0 && n < keyfile.MinBytes:
		errs = append(errs, fmt.Errorf("digest_key must hold at least %d bytes, found %d", keyfile.MinBytes, n))
	}
	if c.TenantKey == "" {
		errs = append(errs, errors.New("tenant_key must not be empty"))
	}
	return errors.Join(errs...)
}

// key is the secret for digests; empty if none are made.
func (c *Config) key() (string, error) {
	if len(c.Digests) == 0 || c.DigestKey != "" {
		return string(c.DigestKey), nil
	}
	return keyfile.Load(c.DigestKeyFile, rand.Reader)
}

func (c *Config) tables(key []byte, memory *mapping.Memory) (*mapping.Tables, error) {
	var errs []error
	snapshot, err := semconv.LoadSnapshot(c.Snapshot)
	if err != nil {
		errs = append(errs, fmt.Errorf("snapshot: %w", err))
	}
	if c.Content != contentKeep && c.Content != contentMap {
		errs = append(errs, fmt.Errorf("content must be %s or %s", contentKeep, contentMap))
	}
	files := make(map[string][]byte)
	for name, b := range semconv.DialectFiles() {
		files[name+".yaml"] = b
	}
	if c.JoinRecords < 0 || c.JoinRecords > maxJoinRecords {
		errs = append(errs, fmt.Errorf("join_records must be from 0 to %d, found %d", maxJoinRecords, c.JoinRecords))
	}
	for i, path := range c.Dialects.Files {
		b, err := os.ReadFile(path)
		if err != nil {
			errs = append(errs, fmt.Errorf("dialects.files[%d]: %w", i, err))
			continue
		}
		if _, taken := files[path]; taken {
			errs = append(errs, fmt.Errorf("dialects.files[%d] %q is listed twice or has the path of a built-in dialect", i, path))
			continue
		}
		files[path] = b
	}
	if snapshot == nil {
		return nil, errors.Join(errs...)
	}
	tables, err := mapping.Compile(files, snapshot, mapping.Options{
		Content: c.Content == contentMap, Digests: c.Digests, DigestKey: key, TenantKey: c.TenantKey,
		JoinRecords: c.JoinRecords, Memory: memory,
	})
	if err := errors.Join(append(errs, err)...); err != nil {
		return nil, err
	}
	return tables, nil
}
