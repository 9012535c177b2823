package tailpolicy

import (
	"context"
	"errors"
	"maps"
	"time"

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
	teller
	tenants map[string]QuotaConfig // whose names may be said; nil if there are no quotas
}

func newMeter(set component.TelemetrySettings, quotas *QuotasConfig) (*meter, error) {
	b, err := metadata.NewTelemetryBuilder(set)
	if err != nil {
		return nil, err
	}
	m := &meter{TelemetryBuilder: b, teller: teller{logger: set.Logger}}
	if quotas.on() {
		m.tenants = map[string]QuotaConfig{}
		maps.Copy(m.tenants, quotas.Tenants)
	}
	return m, nil
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
		if e.Overruled != "" {
			m.ProcessorTailpolicyRulesOverruled.Add(ctx, 1, metric.WithAttributes(class, attribute.String("rule", e.Overruled)))
		}
		if m.tenants != nil && e.Decision.Keep {
			used := metric.WithAttributes(class, attribute.String("tenant", m.tenantOf(e.Payer)))
			m.ProcessorTailpolicyQuotaSpans.Add(ctx, int64(e.Spans), used)
			m.ProcessorTailpolicyQuotaBytes.Add(ctx, e.Bytes, used)
		}
		if e.Reversed && e.Decision.Incomplete {
			m.ProcessorTailpolicyRunsIncomplete.Add(ctx, 1, metric.WithAttributes(class))
		}
	case tail.NotStowed:
		m.ProcessorTailpolicyLimboSkipped.Add(ctx, int64(e.Spans))
	case tail.Dropped:
		m.ProcessorTailpolicySpansDropped.Add(ctx, int64(e.Spans), metric.WithAttributes(m.dropped(e)...))
		if e.Reason == tail.ByShutdown {
			m.logger.Warn("run lost at shutdown: the next component did not take it in time", zap.Int("spans", e.Spans))
		}
	}
}

func (m *meter) finished(ctx context.Context, done tail.Finished) {
	m.ProcessorTailpolicyTracestatesInvalid.Add(ctx, int64(done.InvalidStates))
	m.ProcessorTailpolicySpansFolded.Add(ctx, int64(done.Folded))
	m.ProcessorTailpolicySpansTruncated.Add(ctx, int64(done.Truncated))
}

func (m *meter) exemplarsRemoved(ctx context.Context, n int) {
	m.ProcessorTailpolicyExemplarsRemoved.Add(ctx, int64(n))
}

// dropped says whose spans they were only where quotas name the tenants: a tenant
// that a sender made up is never the value of an attribute.
func (m *meter) dropped(e tail.Dropped) []attribute.KeyValue {
	out := []attribute.KeyValue{attribute.String("reason", string(e.Reason))}
	if m.tenants != nil {
		out = append(out, attribute.String("tenant", m.tenantOf(e.Payer)))
	}
	return out
}

// otherTenant are all that the configuration does not name.
const otherTenant = "other"

func (m *meter) tenantOf(name string) string {
	if _, named := m.tenants[name]; named {
		return name
	}
	return otherTenant
}

func (m *meter) joined(ctx context.Context, pieces []tail.Piece) {
	for _, p := range pieces {
		m.ProcessorTailpolicyRecordsJoined.Add(ctx, int64(p.Records))
	}
}

// refused counts a batch that there is no room for.
func (m *meter) refused(ctx context.Context, err error) {
	if errors.Is(err, errFull) || errors.Is(err, errMaxMiB) {
		m.ProcessorTailpolicyBatchesRefused.Add(ctx, 1)
		m.tell(zap.WarnLevel, "batches are refused; their senders have to keep them", 0, err, time.Now())
	}
}

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
