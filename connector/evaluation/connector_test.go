package evaluation

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/confmaptest"
	"go.opentelemetry.io/collector/connector"
	"go.opentelemetry.io/collector/connector/connectortest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"

	"github.com/otelcol-agent/otelcol-agent/connector/evaluation/internal/metadata"
	"github.com/otelcol-agent/otelcol-agent/connector/evaluation/internal/metadatatest"
)

func start(t *testing.T, next consumer.Traces) (connector.Logs, *componenttest.Telemetry) {
	t.Helper()
	tel := componenttest.NewTelemetry()
	set := connectortest.NewNopSettings(metadata.Type)
	set.TelemetrySettings = tel.NewTelemetrySettings()
	c, err := NewFactory().CreateLogsToTraces(t.Context(), set, NewFactory().CreateDefaultConfig(), next)
	require.NoError(t, err)
	require.NoError(t, c.Start(t.Context(), componenttest.NewNopHost()))
	t.Cleanup(func() {
		assert.NoError(t, c.Shutdown(context.Background()))
		assert.NoError(t, tel.Shutdown(context.Background()))
	})
	return c, tel
}

// sample is a real evaluation log record: OTLP JSON of an instrumentation library.
func sample(t *testing.T) plog.Logs {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "openlit_evaluation_log.json"))
	require.NoError(t, err)
	var u plog.JSONUnmarshaler
	logs, err := u.UnmarshalLogs(data)
	require.NoError(t, err)
	return logs
}

func TestRealRecordBecomesLinkedVerdict(t *testing.T) {
	sink := &consumertest.TracesSink{}
	c, tel := start(t, sink)
	logs := sample(t)
	logs.MarkReadOnly()
	require.NoError(t, c.ConsumeLogs(t.Context(), logs))
	require.NoError(t, c.ConsumeLogs(t.Context(), logs))
	require.Equal(t, 2, sink.SpanCount())
	first, again := span(sink, 0), span(sink, 1)
	assert.Equal(t, "evaluate toxicity", first.Name())
	assert.Equal(t, ptrace.SpanKindInternal, first.Kind())
	require.Equal(t, 1, first.Links().Len())
	lr := logs.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0)
	assert.Equal(t, lr.TraceID(), first.Links().At(0).TraceID())
	assert.Equal(t, lr.SpanID(), first.Links().At(0).SpanID())
	assert.NotEqual(t, lr.TraceID(), first.TraceID(), "the verdict has a trace of its own")
	assert.Equal(t, first.TraceID(), again.TraceID())
	assert.Equal(t, first.SpanID(), again.SpanID())
	assert.Equal(t, logs.ResourceLogs().At(0).Resource().Attributes().AsRaw(), sink.AllTraces()[0].ResourceSpans().At(0).Resource().Attributes().AsRaw())
	_, has := first.Attributes().Get("gen_ai.evaluation.explanation")
	assert.False(t, has, "an explanation is content")
	metadatatest.AssertEqualConnectorEvaluationResults(t, tel, []metricdata.DataPoint[int64]{
		{Value: 2, Attributes: attribute.NewSet(attribute.String("outcome", "linked"), attribute.String("verdict", "pass"), attribute.Bool("comparable", false))},
	}, metricdatatest.IgnoreTimestamp())
}

func span(sink *consumertest.TracesSink, i int) ptrace.Span {
	return sink.AllTraces()[i].ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
}

func TestOtherRecordsSendNothing(t *testing.T) {
	sink := &consumertest.TracesSink{}
	c, _ := start(t, sink)
	logs := plog.NewLogs()
	lr := logs.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
	lr.SetEventName("app.tool.completed")
	lr.SetTraceID(pcommon.TraceID{1})
	require.NoError(t, c.ConsumeLogs(t.Context(), logs))
	assert.Empty(t, sink.AllTraces())
}

func TestErrorOfTheNextComponentIsReturnedAndNothingCounted(t *testing.T) {
	busy := errors.New("busy")
	c, tel := start(t, consumertest.NewErr(busy))
	require.ErrorIs(t, c.ConsumeLogs(t.Context(), sample(t)), busy)
	_, err := tel.GetMetric("otelcol_connector_evaluation_results")
	assert.Error(t, err)
}

func TestConfig(t *testing.T) {
	all, err := confmaptest.LoadConf(filepath.Join("testdata", "config", "accepted.yaml"))
	require.NoError(t, err)
	for name := range all.ToStringMap() {
		sub, err := all.Sub(name)
		require.NoError(t, err)
		cfg := createDefaultConfig()
		require.NoError(t, sub.Unmarshal(cfg))
		require.NoError(t, confmap.Validate(cfg))
	}
	bad, err := confmaptest.LoadConf(filepath.Join("testdata", "config", "refused.yaml"))
	require.NoError(t, err)
	for name := range bad.ToStringMap() {
		sub, err := bad.Sub(name)
		require.NoError(t, err)
		cfg := createDefaultConfig()
		if err = sub.Unmarshal(cfg); err == nil {
			err = confmap.Validate(cfg)
		}
		_, key, _ := strings.Cut(name, "/")
		require.ErrorContains(t, err, key)
	}
}
