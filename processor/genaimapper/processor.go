package genaimapper

import (
	"context"
	"fmt"

	"github.com/otelcol-agent/otelcol-agent/internal/mapping"
	"github.com/otelcol-agent/otelcol-agent/processor/genaimapper/internal/metadata"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.uber.org/zap"
)

type mapper struct {
	config    *Config
	logger    *zap.Logger
	tables    *mapping.Tables // from start on
	telemetry *metadata.TelemetryBuilder
	mapped    labels
	left      labels
	keeper    *keeper
}

// labels holds one measurement option a value and signal, made once: the values
// are a closed list.
type labels map[string]map[string]metric.AddOption

func newLabels(key string, values []string) labels {
	out := labels{}
	for _, signal := range []string{"traces", "logs", "metrics"} {
		out[signal] = map[string]metric.AddOption{}
		for _, v := range values {
			set := attribute.NewSet(attribute.String(key, v), attribute.String("signal", signal))
			out[signal][v] = metric.WithAttributeSet(set)
		}
	}
	return out
}

func newMapper(set processor.Settings, cfg *Config, k *keeper) (*mapper, error) {
	telemetry, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	return &mapper{config: cfg, logger: set.Logger, telemetry: telemetry, keeper: k}, nil
}

func (m *mapper) start(ctx context.Context, host component.Host) error {
	if err := m.keeper.open(ctx, host, m.config.Storage); err != nil {
		return err
	}
	key, err := m.config.key()
	switch {
	case err == nil:
	case m.config.DigestKeyFile == defaultKeyFile(): // nobody asked for this file
		m.logger.Warn("no digests are made; set digest_key or digest_key_file, or digests: [] to have it so", zap.Error(err))
	default:
		return fmt.Errorf("%w; without digests set digests: []", err)
	}
	tables, err := m.config.tables([]byte(key), m.keeper.memory)
	if err != nil {
		return err
	}
	m.tables = tables
	m.mapped, m.left = newLabels("dialect", tables.Dialects()), newLabels("reason", mapping.Reasons())
	return nil
}

func (m *mapper) traces(ctx context.Context, td ptrace.Traces) (ptrace.Traces, error) {
	m.count(ctx, "traces", m.tables.MapTraces(td))
	return td, nil
}

func (m *mapper) logs(ctx context.Context, ld plog.Logs) (plog.Logs, error) {
	m.count(ctx, "logs", m.tables.MapLogs(ld))
	// Before the batch goes on: who reads a journal then notes how far it is read.
	return ld, m.keeper.keep(ctx)
}

func (m *mapper) metrics(ctx context.Context, md pmetric.Metrics) (pmetric.Metrics, error) {
	m.count(ctx, "metrics", m.tables.MapMetrics(md))
	return md, nil
}

func (m *mapper) count(ctx context.Context, signal string, r mapping.Report) {
	for _, c := range r.Mapped {
		m.telemetry.ProcessorGenaimapperItemsMapped.Add(ctx, c.N, m.mapped[signal][c.Name])
	}
	for _, c := range r.Left {
		m.telemetry.ProcessorGenaimapperItemsLeft.Add(ctx, c.N, m.left[signal][c.Name])
	}
}

func (m *mapper) shutdown(ctx context.Context) error {
	m.telemetry.Shutdown()
	return m.keeper.close(ctx)
}
