package evidencestore

import (
	"context"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/exporterhelper"

	"github.com/otelcol-agent/otelcol-agent/exporter/evidencestore/internal/metadata"
)

// NewFactory returns the factory of the evidence store exporter.
func NewFactory() exporter.Factory {
	f := &factory{stores: map[*Config]*store{}}
	return exporter.NewFactory(metadata.Type, createDefaultConfig,
		exporter.WithTraces(f.traces, metadata.TracesStability),
		exporter.WithLogs(f.logs, metadata.LogsStability))
}

// factory gives the traces and the logs exporter of one component id the same
// store: a file has one writer.
type factory struct {
	mu     sync.Mutex
	stores map[*Config]*store
}

func (f *factory) store(set exporter.Settings, cfg *Config) (*store, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s := f.stores[cfg]; s != nil {
		return s, nil
	}
	telemetry, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	s := &store{cfg: cfg, logger: set.Logger, telemetry: telemetry, forget: func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.stores, cfg)
	}}
	f.stores[cfg] = s
	return s, nil
}

func (f *factory) traces(ctx context.Context, set exporter.Settings, cfg component.Config) (exporter.Traces, error) {
	s, err := f.store(set, cfg.(*Config))
	if err != nil {
		return nil, err
	}
	return exporterhelper.NewTraces(ctx, set, cfg, s.traces, s.options()...)
}

func (f *factory) logs(ctx context.Context, set exporter.Settings, cfg component.Config) (exporter.Logs, error) {
	s, err := f.store(set, cfg.(*Config))
	if err != nil {
		return nil, err
	}
	return exporterhelper.NewLogs(ctx, set, cfg, s.logs, s.options()...)
}

func (s *store) options() []exporterhelper.Option {
	return []exporterhelper.Option{
		exporterhelper.WithCapabilities(consumer.Capabilities{MutatesData: false}),
		exporterhelper.WithTimeout(s.cfg.TimeoutConfig),
		exporterhelper.WithRetry(s.cfg.RetryConfig),
		exporterhelper.WithQueue(s.cfg.QueueConfig),
		exporterhelper.WithStart(s.start),
		exporterhelper.WithShutdown(s.shutdown),
	}
}
