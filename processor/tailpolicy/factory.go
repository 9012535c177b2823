package tailpolicy

import (
	"context"
	"errors"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/processor"

	"github.com/otelcol-agent/otelcol-agent/processor/tailpolicy/internal/metadata"
)

// NewFactory returns the factory of the processor.
func NewFactory() processor.Factory {
	f := &factory{groups: map[*Config]*group{}}
	return processor.NewFactory(metadata.Type, createDefaultConfig,
		processor.WithTraces(f.traces, metadata.TracesStability),
		processor.WithLogs(f.logs, metadata.LogsStability),
		processor.WithMetrics(f.metrics, metadata.MetricsStability))
}

// factory gives the processors of one component id the same pending runs: the
// configuration of an id is one object.
type factory struct {
	mu     sync.Mutex
	groups map[*Config]*group
}

// group is the processors of one component id.
type group struct {
	runs *tailProcessor // nil while there is no traces pipeline; set before anything starts
}

func (f *factory) group(cfg *Config) *group {
	g := f.groups[cfg]
	if g == nil {
		g = &group{}
		f.groups[cfg] = g
	}
	return g
}

func (f *factory) forget(cfg *Config) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.groups, cfg)
}

func (f *factory) traces(_ context.Context, set processor.Settings, cfg component.Config, next consumer.Traces) (processor.Traces, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	g := f.group(cfg.(*Config))
	if g.runs != nil {
		return nil, errors.New("one tailpolicy serves one traces pipeline, found two; give the other one an id of its own, like tailpolicy/2")
	}
	p, err := newProcessor(set.TelemetrySettings, cfg.(*Config), next)
	if err != nil {
		return nil, err
	}
	p.id = set.ID.String()
	p.forget = func() { f.forget(cfg.(*Config)) }
	g.runs = p
	return p, nil
}

func (f *factory) logs(_ context.Context, _ processor.Settings, cfg component.Config, next consumer.Logs) (processor.Logs, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return &witness{group: f.group(cfg.(*Config)), next: next}, nil
}

func (f *factory) metrics(_ context.Context, _ processor.Settings, cfg component.Config, next consumer.Metrics) (processor.Metrics, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return newExemplars(f.group(cfg.(*Config)), cfg.(*Config), next), nil
}
