package genaimapper

import (
	"context"

	"github.com/otelcol-agent/otelcol-agent/processor/genaimapper/internal/metadata"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processorhelper"
)

var mutates = processorhelper.WithCapabilities(consumer.Capabilities{MutatesData: true})

// NewFactory returns the factory of the genaimapper processor.
func NewFactory() processor.Factory {
	f := &factory{keepers: map[component.ID]*keeper{}}
	return processor.NewFactory(
		metadata.Type,
		createDefaultConfig,
		processor.WithTraces(f.newTraces, metadata.TracesStability),
		processor.WithLogs(f.newLogs, metadata.LogsStability),
		processor.WithMetrics(f.newMetrics, metadata.MetricsStability),
	)
}

func (f *factory) newTraces(ctx context.Context, set processor.Settings, cfg component.Config, next consumer.Traces) (processor.Traces, error) {
	m, err := newMapper(set, cfg.(*Config), f.keeper(set.ID))
	if err != nil {
		return nil, err
	}
	return processorhelper.NewTraces(ctx, set, cfg, next, m.traces, mutates, processorhelper.WithStart(m.start), processorhelper.WithShutdown(m.shutdown))
}

func (f *factory) newLogs(ctx context.Context, set processor.Settings, cfg component.Config, next consumer.Logs) (processor.Logs, error) {
	m, err := newMapper(set, cfg.(*Config), f.keeper(set.ID))
	if err != nil {
		return nil, err
	}
	return processorhelper.NewLogs(ctx, set, cfg, next, m.logs, mutates, processorhelper.WithStart(m.start), processorhelper.WithShutdown(m.shutdown))
}

func (f *factory) newMetrics(ctx context.Context, set processor.Settings, cfg component.Config, next consumer.Metrics) (processor.Metrics, error) {
	m, err := newMapper(set, cfg.(*Config), f.keeper(set.ID))
	if err != nil {
		return nil, err
	}
	return processorhelper.NewMetrics(ctx, set, cfg, next, m.metrics, mutates, processorhelper.WithStart(m.start), processorhelper.WithShutdown(m.shutdown))
}
