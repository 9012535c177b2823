package tailpolicy

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.uber.org/zap"

	"github.com/otelcol-agent/otelcol-agent/internal/tail"
	"github.com/otelcol-agent/otelcol-agent/processor/tailpolicy/internal/metadata"
)

// meter counts what the core says, by closed lists only.
type meter struct {
	*metadata.TelemetryBuilder
	logger *zap.Logger
}

func newMeter(set component.TelemetrySettings) (*meter, error) {
	b, err := metadata.NewTelemetryBuilder(set)
	if err != nil {
		return nil, err
	}
	return &meter{b, set.Logger}, nil
}

func (m *meter) watch(held func() (bytes, runs int64)) error {
	err := m.RegisterProcessorTailpolicyPendingBytesCallback(func(_ context.Context, o metric.Int64Observer) error {
		bytes, _ := held()
		o.Observe(bytes)
		return nil
	})
	if err != nil {
		return err
	}
	return m.RegisterProcessorTailpolicyPendingRunsCallback(func(_ context.Context, o metric.Int64Observer) error {
		_, runs := held()
		o.Observe(runs)
		return nil
	})
}

func (m *meter) count(ctx context.Context, e tail.Effect) {
	switch e := e.(type) {
	case tail.Decided:
		class, decision := attribute.String("class", classOf(e.Decision)), attribute.String("decision", decisionOf(e.Decision))
		m.ProcessorTailpolicyRunsDecided.Add(ctx, 1, metric.WithAttributes(class, decision, attribute.String("trigger", string(e.Trigger))))
		if e.Late {
			m.ProcessorTailpolicySpansLate.Add(ctx, int64(e.Spans), metric.WithAttributes(decision))
		}
		if e.Reversed {
			m.ProcessorTailpolicyRunsIncomplete.Add(ctx, 1, metric.WithAttributes(class))
		}
	case tail.Finished:
		m.ProcessorTailpolicyTracestatesInvalid.Add(ctx, int64(e.InvalidStates))
	case tail.Dropped:
		m.ProcessorTailpolicySpansDropped.Add(ctx, int64(e.Spans), metric.WithAttributes(attribute.String("reason", string(e.Reason))))
		if e.Reason == tail.ByShutdown {
			m.logger.Warn("run lost at shutdown: the next component did not take it in time", zap.Int("spans", e.Spans))
		}
	}
}

func (m *meter) joined(ctx context.Context, pieces []tail.Piece) {
	for _, p := range pieces {
		m.ProcessorTailpolicyRecordsJoined.Add(ctx, int64(p.Records))
	}
}

func (m *meter) refused(ctx context.Context) { m.ProcessorTailpolicyBatchesRefused.Add(ctx, 1) }

func (m *meter) ruleFailed(rule string) {
	m.ProcessorTailpolicyRuleErrors.Add(context.Background(), 1, metric.WithAttributes(attribute.String("rule", rule)))
}

func (m *meter) failed(ctx context.Context, permanent bool, err error) {
	outcome := "retryable"
	if permanent {
		outcome = "permanent"
		m.logger.Error("run lost: the next component will never take it", zap.Error(err))
	}
	m.ProcessorTailpolicySendsFailed.Add(ctx, 1, metric.WithAttributes(attribute.String("outcome", outcome)))
}

func (m *meter) shutdown() { m.TelemetryBuilder.Shutdown() }

func classOf(d tail.Decision) string {
	if d.Class == "" {
		return "none"
	}
	return d.Class
}

func decisionOf(d tail.Decision) string {
	if d.Keep {
		return "keep"
	}
	return "drop"
}
