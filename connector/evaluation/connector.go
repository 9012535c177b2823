package evaluation

import (
	"context"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/otelcol-agent/otelcol-agent/connector/evaluation/internal/metadata"
	"github.com/otelcol-agent/otelcol-agent/internal/judge"
)

type judgeConnector struct {
	component.StartFunc

	next      consumer.Traces
	telemetry *metadata.TelemetryBuilder
	now       func() time.Time
}

func (c *judgeConnector) Capabilities() consumer.Capabilities { return consumer.Capabilities{} }

// ConsumeLogs sends one verdict span a result. An error of the next consumer is
// returned as it is: the ids are deterministic, so sending again is safe.
func (c *judgeConnector) ConsumeLogs(ctx context.Context, logs plog.Logs) error {
	traces, counts := judge.Traces(logs, c.now())
	if len(counts) == 0 {
		return nil
	}
	if err := c.next.ConsumeTraces(ctx, traces); err != nil {
		return err
	}
	for of, n := range counts {
		c.telemetry.ConnectorEvaluationResults.Add(ctx, n, metric.WithAttributes(
			attribute.String("outcome", string(of.Outcome)),
			attribute.String("verdict", of.Verdict),
			attribute.Bool("comparable", of.Comparable)))
	}
	return nil
}

func (c *judgeConnector) Shutdown(context.Context) error {
	c.telemetry.Shutdown()
	return nil
}
