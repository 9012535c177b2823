package agentevents

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"go.opentelemetry.io/collector/component"

	"github.com/otelcol-agent/otelcol-agent/internal/synth"
)

// Config says when spans go out and how much is remembered.
type Config struct {
	// Emit is live, closed or stateless. live sends every span that a batch
	// touched, at once and again when it grows, for stores that unite spans of one
	// id. closed sends each span once, when its turn is over. stateless sends what
	// each batch says and remembers nothing, for such a store and records that
	// come at any time.
	Emit string `mapstructure:"emit"`

	// Contexts says what becomes of records of acts whose spans the agent may send
	// itself. auto adds them to those spans if they come within wait, and makes
	// spans of them if not; it sees the spans when the connector is an exporter of
	// a traces pipeline too, and is span without one. span makes spans of them, in
	// the trace that they carry. record makes none of those that carry a trace and
	// span id.
	Contexts string `mapstructure:"contexts"`

	// Wait is how long a record waits, with contexts: auto, for the agent's own
	// span. Once a session, if the agent sends none.
	Wait time.Duration `mapstructure:"wait"`

	// Storage names a storage extension that keeps the turns over a restart.
	Storage *component.ID `mapstructure:"storage"`

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
	modes    = map[string]synth.Mode{"live": synth.Live, "closed": synth.Closed, "stateless": synth.Stateless}
	contexts = map[string]synth.Contexts{"auto": synth.Auto, "span": synth.Span, "record": synth.Record}
)

// Validate reports every problem at once.
func (c *Config) Validate() error {
	return errors.Join(
		oneOf("emit", c.Emit, "live", "closed", "stateless"),
		oneOf("contexts", c.Contexts, "auto", "span", "record"),
		positive("wait", c.Wait),
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
	return fmt.Errorf("%s must be one of %q", key, allowed)
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
		Wait: c.Wait, Keeps: c.Storage != nil,
		Settle: c.Settle, Idle: c.Idle, Keep: c.Keep,
		MaxTurns: c.MaxTurns, MaxBytes: int64(c.MaxStateMiB) << 20,
		Scope: scope, ScopeVersion: version,
	}
}
