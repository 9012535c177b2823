package agentevents

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/synth"
)

// Config says when spans go out and how much is remembered.
type Config struct {
	// Emit is live or closed. live sends every span that a batch touched, at
	// once and again when it grows, for stores that unite spans of one id. closed
	// sends each span once, when its turn is over.
	Emit string `mapstructure:"emit"`

	// Contexts says what becomes of records that carry a trace and span id. span
	// makes spans of them, in that trace. record makes none: choose it where the
	// same agents also send their spans, which would be there twice otherwise.
	Contexts string `mapstructure:"contexts"`

	// Settle is how long a turn that said that it ended waits for stragglers.
	Settle time.Duration `mapstructure:"settle"`

	// Idle is the time without a record after which a turn that has not said
	// that it ended is taken as over. What was waiting, such as an allowed call
	// without a result, goes out as it stands.
	Idle time.Duration `mapstructure:"idle"`

	// Keep is how long a turn that is over is remembered, so that a late record
	// finds the rest of its span.
	Keep time.Duration `mapstructure:"keep"`

	// MaxTurns bounds the turns in memory. Beyond it the turns that waited
	// longest go out as they stand.
	MaxTurns int `mapstructure:"max_turns"`

	// MaxStateMiB bounds the memory of the turns, estimated, in MiB.
	MaxStateMiB int `mapstructure:"max_state_mib"`
}

var (
	modes    = map[string]synth.Mode{"live": synth.Live, "closed": synth.Closed}
	contexts = map[string]synth.Contexts{"span": synth.Span, "record": synth.Record}
)

// Validate reports every problem at once.
func (c *Config) Validate() error {
	return errors.Join(
		oneOf("emit", c.Emit, "live", "closed"),
		oneOf("contexts", c.Contexts, "span", "record"),
		positive("settle", c.Settle),
		positive("idle", c.Idle),
		c.validateKeep(),
		atLeastOne("max_turns", c.MaxTurns),
		atLeastOne("max_state_mib", c.MaxStateMiB),
	)
}

func (c *Config) validateKeep() error {
	if c.Keep < c.Idle {
		return fmt.Errorf("keep must be at least idle (%v), found %v", c.Idle, c.Keep)
	}
	return nil
}

func oneOf(key, found string, allowed ...string) error {
	if slices.Contains(allowed, found) {
		return nil
	}
	return fmt.Errorf("%s must be one of %q, found %q", key, allowed, found)
}

func positive(key string, d time.Duration) error {
	if d > 0 {
		return nil
	}
	return fmt.Errorf("%s must be longer than 0s, found %v", key, d)
}

func atLeastOne(key string, n int) error {
	if n >= 1 {
		return nil
	}
	return fmt.Errorf("%s must be at least 1, found %d", key, n)
}

// settings returns the core's limits.
func (c *Config) settings(scope, version string) synth.Settings {
	return synth.Settings{
		Mode: modes[c.Emit], Contexts: contexts[c.Contexts],
		Settle: c.Settle, Idle: c.Idle, Keep: c.Keep,
		MaxTurns: c.MaxTurns, MaxBytes: int64(c.MaxStateMiB) << 20,
		Scope: scope, ScopeVersion: version,
	}
}
