package redactor

import (
	"context"

	"go.opentelemetry.io/collector/client"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/xconsumer"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pprofile"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/otel/trace"
)

// withoutSender is ctx without what came beside the telemetry: the sender's
// address, headers and identity, and the tracestate of its request. A sending
// queue with a storage writes them to the disk as they are. Deadline, cancellation
// and the ids of the collector's own trace stay.
func withoutSender(ctx context.Context) context.Context {
	ctx = client.NewContext(ctx, client.Info{})
	if span := trace.SpanContextFromContext(ctx); span.TraceState().Len() > 0 {
		ctx = trace.ContextWithSpanContext(ctx, span.WithTraceState(trace.TraceState{}))
	}
	return ctx
}

// The consumers behind the boundary: what comes next hears nothing of the sender.
type (
	tracesBehind   struct{ consumer.Traces }
	logsBehind     struct{ consumer.Logs }
	metricsBehind  struct{ consumer.Metrics }
	profilesBehind struct{ xconsumer.Profiles }
)

func (b tracesBehind) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	return b.Traces.ConsumeTraces(withoutSender(ctx), td)
}

func (b logsBehind) ConsumeLogs(ctx context.Context, ld plog.Logs) error {
	return b.Logs.ConsumeLogs(withoutSender(ctx), ld)
}

func (b metricsBehind) ConsumeMetrics(ctx context.Context, md pmetric.Metrics) error {
	return b.Metrics.ConsumeMetrics(withoutSender(ctx), md)
}

func (b profilesBehind) ConsumeProfiles(ctx context.Context, pd pprofile.Profiles) error {
	return b.Profiles.ConsumeProfiles(withoutSender(ctx), pd)
}
