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
	return processor.NewFactory(
		metadata.Type,
		createDefaultConfig,
		processor.WithTraces(newTraces, metadata.TracesStability),
		processor.WithLogs(newLogs, metadata.LogsStability),
		processor.WithMetrics(newMetrics, metadata.MetricsStability),
	)
}

func newTraces(ctx context.Context, set processor.Settings, cfg component.Config, next consumer.Traces) (processor.Traces, error) {
	m, err := newMapper(set, cfg.(*Config))
	if err != nil {
		return nil, err
	}
	return processorhelper.NewTraces(ctx, set, cfg, next, m.traces, mutates, processorhelper.WithStart(m.start), processorhelper.WithShutdown(m.shutdown))
}

func newLogs(ctx context.Context, set processor.Settings, cfg component.Config, next consumer.Logs) (processor.Logs, error) {
	m, err := newMapper(set, cfg.(*Config))
	if err != nil {
		return nil, err
	}
	return processorhelper.NewLogs(ctx, set, cfg, next, m.logs, mutates, processorhelper.WithStart(m.start), processorhelper.WithShutdown(m.shutdown))
}

func newMetrics(ctx context.Context, set processor.Settings, cfg component.Config, next consumer.Metrics) (processor.Metrics, error) {
	m, err := newMapper(set, cfg.(*Config))
	if err != nil {
		return nil, err
	}
	return processorhelper.NewMetrics(ctx, set, cfg, next, m.metrics, mutates, processorhelper.WithStart(m.start), processorhelper.WithShutdown(m.shutdown))
}
