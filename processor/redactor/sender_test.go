package redactor

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/client"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/xconsumer"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pprofile"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processortest"
	"go.opentelemetry.io/collector/processor/xprocessor"
	"go.opentelemetry.io/otel/trace"

	"github.com/otelcol-agent/otelcol-agent/processor/redactor/internal/metadata"
)

// TestWhatCameBesideTheTelemetryEndsHere sends each signal as a receiver with
// include_metadata would, and looks at what the next component can see of the sender.
func TestWhatCameBesideTheTelemetryEndsHere(t *testing.T) {
	state, err := trace.ParseTraceState("vendor=secret")
	require.NoError(t, err)
	span := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}, TraceState: state, Remote: true})
	sent := trace.ContextWithSpanContext(client.NewContext(context.Background(), client.Info{
		Addr:     &net.TCPAddr{IP: net.IPv4(203, 0, 113, 7)},
		Metadata: client.NewMetadata(map[string][]string{"authorization": {"Bearer secret"}}),
	}), span)
	sent, cancel := context.WithDeadline(sent, time.Now().Add(time.Hour))
	defer cancel()

	seen := 0
	look := func(got context.Context) error {
		seen++
		require.Equal(t, client.Info{}, client.FromContext(got))
		require.Equal(t, span.WithTraceState(trace.TraceState{}), trace.SpanContextFromContext(got))
		want, _ := sent.Deadline()
		deadline, _ := got.Deadline()
		require.Equal(t, want, deadline)
		return nil
	}
	set := processortest.NewNopSettings(metadata.Type)
	factory := NewFactory().(xprocessor.Factory)
	start := func(p component.Component, err error) {
		require.NoError(t, err)
		require.NoError(t, p.Start(context.Background(), nil))
	}

	nextTraces, err := consumer.NewTraces(func(ctx context.Context, _ ptrace.Traces) error { return look(ctx) })
	require.NoError(t, err)
	traces, err := factory.CreateTraces(context.Background(), set, testConfig(), nextTraces)
	start(traces, err)
	require.NoError(t, traces.ConsumeTraces(sent, ptrace.NewTraces()))

	nextLogs, err := consumer.NewLogs(func(ctx context.Context, _ plog.Logs) error { return look(ctx) })
	require.NoError(t, err)
	logs, err := factory.CreateLogs(context.Background(), set, testConfig(), nextLogs)
	start(logs, err)
	require.NoError(t, logs.ConsumeLogs(sent, plog.NewLogs()))

	nextMetrics, err := consumer.NewMetrics(func(ctx context.Context, _ pmetric.Metrics) error { return look(ctx) })
	require.NoError(t, err)
	metrics, err := factory.CreateMetrics(context.Background(), set, testConfig(), nextMetrics)
	start(metrics, err)
	require.NoError(t, metrics.ConsumeMetrics(sent, pmetric.NewMetrics()))

	nextProfiles, err := xconsumer.NewProfiles(func(ctx context.Context, _ pprofile.Profiles) error { return look(ctx) })
	require.NoError(t, err)
	profiles, err := factory.CreateProfiles(context.Background(), set, testConfig(), nextProfiles)
	start(profiles, err)
	require.NoError(t, profiles.ConsumeProfiles(sent, pprofile.NewProfiles()))
	require.Equal(t, 4, seen)
}
