package agentevents

import (
	"context"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/connector"
	"go.opentelemetry.io/collector/consumer"

	"github.com/otelcol-agent/otelcol-agent/connector/agentevents/internal/metadata"
	"github.com/otelcol-agent/otelcol-agent/internal/synth"
)

// NewFactory returns the factory of the connector.
func NewFactory() connector.Factory {
	return connector.NewFactory(metadata.Type, createDefaultConfig,
		connector.WithLogsToTraces(createLogsToTraces, metadata.LogsToTracesStability))
}

func createDefaultConfig() component.Config {
	return &Config{
		Emit:        "live",
		Contexts:    "span",
		Settle:      2 * time.Second,
		Idle:        30 * time.Second,
		Keep:        time.Hour,
		MaxTurns:    10_000,
		MaxStateMiB: 64,
	}
}

func createLogsToTraces(_ context.Context, set connector.Settings, cfg component.Config, next consumer.Traces) (connector.Logs, error) {
	telemetry, err := newCounters(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	c := cfg.(*Config)
	return &joiner{
		state:     synth.NewState(c.settings(metadata.ScopeName, set.BuildInfo.Version)),
		every:     tickEvery(c),
		now:       time.Now,
		next:      next,
		logger:    set.Logger,
		telemetry: telemetry,
	}, nil
}

// tickEvery is how often turns are looked at: often enough that none waits much
// longer than it was told to.
func tickEvery(c *Config) time.Duration {
	return min(max(min(c.Settle, c.Idle)/2, 10*time.Millisecond), time.Second)
}
