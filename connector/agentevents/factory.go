package agentevents

import (
	"context"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/connector"
	"go.opentelemetry.io/collector/consumer"

	"github.com/otelcol-agent/otelcol-agent/connector/agentevents/internal/metadata"
)

// NewFactory returns the factory of the connector.
func NewFactory() connector.Factory {
	f := &factory{joiners: map[component.ID]*joiner{}}
	return connector.NewFactory(metadata.Type, createDefaultConfig,
		connector.WithLogsToTraces(f.logsToTraces, metadata.LogsToTracesStability),
		connector.WithTracesToTraces(f.tracesToTraces, metadata.TracesToTracesStability))
}

// factory knows the joiners, since the two inputs of one connector share theirs.
type factory struct {
	mu      sync.Mutex
	joiners map[component.ID]*joiner
}

func createDefaultConfig() component.Config {
	return &Config{
		Emit:        "live",
		Contexts:    "auto",
		Wait:        10 * time.Second,
		Settle:      2 * time.Second,
		Idle:        30 * time.Second,
		Keep:        time.Hour,
		MaxTurns:    10_000,
		MaxStateMiB: 64,
	}
}

func (f *factory) logsToTraces(_ context.Context, set connector.Settings, cfg component.Config, next consumer.Traces) (connector.Logs, error) {
	return f.joiner(set, cfg, next)
}

// tracesToTraces is the other input: it passes no span on, it looks at them.
func (f *factory) tracesToTraces(_ context.Context, set connector.Settings, cfg component.Config, next consumer.Traces) (connector.Traces, error) {
	j, err := f.joiner(set, cfg, next)
	if err != nil {
		return nil, err
	}
	j.listens = true
	return j, nil
}

// joiner is the one of the connector's id until that is shut down.
func (f *factory) joiner(set connector.Settings, cfg component.Config, next consumer.Traces) (*joiner, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if j := f.joiners[set.ID]; j != nil {
		return j, nil
	}
	telemetry, err := newCounters(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	c := cfg.(*Config)
	j := &joiner{
		id: set.ID, cfg: c, version: set.BuildInfo.Version,
		every:     tickEvery(c),
		now:       time.Now,
		next:      next,
		logger:    set.Logger,
		telemetry: telemetry,
		forget: func() {
			f.mu.Lock()
			defer f.mu.Unlock()
			delete(f.joiners, set.ID)
		},
	}
	f.joiners[set.ID] = j
	return j, nil
}

// tickEvery is how often turns are looked at: often enough that none waits much
// longer than it was told to.
func tickEvery(c *Config) time.Duration {
	return min(max(min(c.Settle, c.Idle, c.Wait)/2, 10*time.Millisecond), time.Second)
}
