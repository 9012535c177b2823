package evaluation

import (
	"context"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/connector"
	"go.opentelemetry.io/collector/consumer"

	"github.com/otelcol-agent/otelcol-agent/connector/evaluation/internal/metadata"
)

// NewFactory returns the factory of the connector.
func NewFactory() connector.Factory {
	f := &factory{courts: map[*Config]*court{}}
	return connector.NewFactory(metadata.Type, createDefaultConfig,
		connector.WithLogsToTraces(f.logsToTraces, metadata.LogsToTracesStability),
		connector.WithLogsToMetrics(f.logsToMetrics, metadata.LogsToMetricsStability),
		connector.WithTracesToTraces(f.tracesToTraces, metadata.TracesToTracesStability))
}

func createDefaultConfig() component.Config {
	return &Config{
		Window:        10 * time.Minute,
		MaxTargets:    200_000,
		MaxWaiting:    20_000,
		MaxWaitingMiB: 32,
		Metrics:       MetricsConfig{Interval: 30 * time.Second, MaxSeries: 1000},
	}
}

// factory gives all connectors of one component id one court: the configuration
// of an id is one object.
type factory struct {
	mu     sync.Mutex
	courts map[*Config]*court
}

func (f *factory) court(set connector.Settings, cfg component.Config) (*court, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := cfg.(*Config)
	if f.courts[c] == nil {
		made, err := newCourt(set, c)
		if err != nil {
			return nil, err
		}
		made.forget = func() {
			f.mu.Lock()
			defer f.mu.Unlock()
			delete(f.courts, c)
		}
		f.courts[c] = made
	}
	return f.courts[c], nil
}

func (f *factory) logsToTraces(_ context.Context, set connector.Settings, cfg component.Config, next consumer.Traces) (connector.Logs, error) {
	c, err := f.court(set, cfg)
	if err != nil {
		return nil, err
	}
	c.traces, c.reads = next, true
	return &logs{door{c}}, nil
}

func (f *factory) logsToMetrics(_ context.Context, set connector.Settings, cfg component.Config, next consumer.Metrics) (connector.Logs, error) {
	c, err := f.court(set, cfg)
	if err != nil {
		return nil, err
	}
	c.metrics = next
	return &counter{door{c}}, nil
}

func (f *factory) tracesToTraces(_ context.Context, set connector.Settings, cfg component.Config, next consumer.Traces) (connector.Traces, error) {
	c, err := f.court(set, cfg)
	if err != nil {
		return nil, err
	}
	if c.traces == nil {
		c.traces = next
	}
	return &traces{door{c}}, nil
}
