package genaimapper

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/otelcol-agent/otelcol-agent/processor/genaimapper/internal/metadata"
	"github.com/otelcol-agent/otelcol-agent/processor/genaimapper/internal/metadatatest"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processortest"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"
)

// A request of Claude Code through the component: canonical events come out,
// and the component counts what it did.
func TestLogsBecomeCanonicalEvents(t *testing.T) {
	tel := componenttest.NewTelemetry()
	sink := new(consumertest.LogsSink)
	set := metadatatest.NewSettings(tel)
	p, err := NewFactory().CreateLogs(t.Context(), set, NewFactory().CreateDefaultConfig(), sink)
	require.NoError(t, err)
	require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))

	b, err := os.ReadFile("testdata/claude_code.json")
	require.NoError(t, err)
	ld, err := (&plog.JSONUnmarshaler{}).UnmarshalLogs(b)
	require.NoError(t, err)
	require.NoError(t, p.ConsumeLogs(t.Context(), ld))

	events := map[string]int{}
	for _, r := range sink.AllLogs()[0].ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().All() {
		events[r.EventName()]++
	}
	require.Equal(t, map[string]int{
		"": 4, "app.turn.started": 1, "app.inference.completed": 1, "app.inference.failed": 1,
		"app.tool.decided": 2, "app.tool.failed": 1, "app.agent.ended": 1,
	}, events)

	metadatatest.AssertEqualProcessorGenaimapperItemsMapped(t, tel, []metricdata.DataPoint[int64]{
		{Value: 11, Attributes: attribute.NewSet(attribute.String("dialect", "claude_code"), attribute.String("signal", "logs"))},
	}, metricdatatest.IgnoreTimestamp())
	require.NoError(t, p.Shutdown(t.Context()))
	require.NoError(t, tel.Shutdown(t.Context()))
}

func TestTracesSpeakTheSnapshot(t *testing.T) {
	tel := componenttest.NewTelemetry()
	sink := new(consumertest.TracesSink)
	p, err := NewFactory().CreateTraces(t.Context(), metadatatest.NewSettings(tel), NewFactory().CreateDefaultConfig(), sink)
	require.NoError(t, err)
	require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))

	b, err := os.ReadFile("testdata/01_openinference_langgraph_anthropic_cached.json")
	require.NoError(t, err)
	td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(b)
	require.NoError(t, err)
	td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(3).Attributes().Clear()
	td.ResourceSpans().At(0).ScopeSpans().At(0).Scope().SetName("my.app")
	require.NoError(t, p.ConsumeTraces(t.Context(), td))

	var names []string
	for _, s := range sink.AllTraces()[0].ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
		names = append(names, s.Name())
	}
	require.Equal(t, []string{"LangGraph", "invoke_agent", "chat claude-sonnet-4-5", "tools", "execute_tool get_order"}, names)
	metadatatest.AssertEqualProcessorGenaimapperItemsLeft(t, tel, []metricdata.DataPoint[int64]{
		{Value: 1, Attributes: attribute.NewSet(attribute.String("reason", "no_dialect"), attribute.String("signal", "traces"))},
	}, metricdatatest.IgnoreTimestamp())
	require.NoError(t, p.Shutdown(t.Context()))
	require.NoError(t, tel.Shutdown(t.Context()))
}

func TestPrivateDialectMapsItsSpans(t *testing.T) {
	sink := new(consumertest.TracesSink)
	cfg := load(t, "dialects_files_accepted.yaml")
	p, err := NewFactory().CreateTraces(t.Context(), processortest.NewNopSettings(metadata.Type), cfg, sink)
	require.NoError(t, err)
	require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
	td := ptrace.NewTraces()
	span := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	span.Attributes().PutStr("house.step", "model")
	span.Attributes().PutStr("house.model", "m1")
	span.Attributes().PutStr("house.tokens.in", "7")
	require.NoError(t, p.ConsumeTraces(t.Context(), td))
	require.Equal(t, "chat m1", span.Name())
	tokens, ok := span.Attributes().Get("gen_ai.usage.input_tokens")
	require.True(t, ok)
	require.Equal(t, int64(7), tokens.Int())
}

func TestMetricsSpeakTheSnapshot(t *testing.T) {
	sink := new(consumertest.MetricsSink)
	p, err := NewFactory().CreateMetrics(t.Context(), processortest.NewNopSettings(metadata.Type), NewFactory().CreateDefaultConfig(), sink)
	require.NoError(t, err)
	require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
	md := pmetric.NewMetrics()
	m := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
	m.SetName("gen_ai.client.token.usage")
	m.SetEmptySum().DataPoints().AppendEmpty().Attributes().PutStr("gen_ai.system", "vertex_ai")
	require.NoError(t, p.ConsumeMetrics(t.Context(), md))
	provider, ok := m.Sum().DataPoints().At(0).Attributes().Get("gen_ai.provider.name")
	require.True(t, ok)
	require.Equal(t, "gcp.vertex_ai", provider.Str())
}

func TestABrokenDialectStopsTheStart(t *testing.T) {
	p, err := NewFactory().CreateTraces(t.Context(), processortest.NewNopSettings(metadata.Type), load(t, "dialects_files_refused.yaml"), new(consumertest.TracesSink))
	require.NoError(t, err)
	require.ErrorContains(t, p.Start(t.Context(), componenttest.NewNopHost()), "broken.yaml:6")
}

// A tool call's request and result are told apart and known again without
// anybody seeing them.
func TestDigestsOfAToolCall(t *testing.T) {
	digests := func(tenant, args string) (string, string) {
		cfg := NewFactory().CreateDefaultConfig().(*Config)
		cfg.DigestKey = "the key of this test"
		p, err := NewFactory().CreateTraces(t.Context(), processortest.NewNopSettings(metadata.Type), cfg, new(consumertest.TracesSink))
		require.NoError(t, err)
		require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
		td := ptrace.NewTraces()
		rs := td.ResourceSpans().AppendEmpty()
		rs.Resource().Attributes().PutStr("tenant.id", tenant)
		a := rs.ScopeSpans().AppendEmpty().Spans().AppendEmpty().Attributes()
		a.PutStr("gen_ai.operation.name", "execute_tool")
		a.PutStr("gen_ai.tool.call.arguments", args)
		a.PutStr("gen_ai.tool.call.result", "42")
		require.NoError(t, p.ConsumeTraces(t.Context(), td))
		request, ok := a.Get("app.effect.request.digest")
		require.True(t, ok)
		result, ok := a.Get("app.effect.result.digest")
		require.True(t, ok)
		return request.Str(), result.Str()
	}
	request, result := digests("a", `{"city": "Rome", "n": 1}`)
	require.Regexp(t, "^hmac:[0-9a-f]{32}$", request)
	require.NotEqual(t, request, result)
	same, _ := digests("a", `{"n":1.0,"city":"Rome"}`)
	require.Equal(t, request, same, "spelling is no difference")
	other, _ := digests("a", `{"city": "Oslo", "n": 1}`)
	require.NotEqual(t, request, other)
	foreign, _ := digests("b", `{"city": "Rome", "n": 1}`)
	require.NotEqual(t, request, foreign, "tenants cannot compare")
}

// A file that somebody asked for must be there; the default one need not.
func TestAKeyFileThatCannotBeMade(t *testing.T) {
	start := func(path string) (*ptrace.Traces, error) {
		cfg := NewFactory().CreateDefaultConfig().(*Config)
		if path != "" {
			cfg.DigestKeyFile = path
		}
		p, err := NewFactory().CreateTraces(t.Context(), processortest.NewNopSettings(metadata.Type), cfg, new(consumertest.TracesSink))
		require.NoError(t, err)
		if err := p.Start(t.Context(), componenttest.NewNopHost()); err != nil {
			return nil, err
		}
		td := ptrace.NewTraces()
		a := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty().Attributes()
		a.PutStr("gen_ai.operation.name", "execute_tool")
		a.PutStr("gen_ai.tool.call.arguments", "{}")
		require.NoError(t, p.ConsumeTraces(t.Context(), td))
		return &td, nil
	}
	notAFolder := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(notAFolder, nil, 0o600))
	_, err := start(filepath.Join(notAFolder, "redaction.key"))
	require.ErrorContains(t, err, "without digests set digests: []")

	t.Setenv("XDG_DATA_HOME", notAFolder)
	td, err := start("")
	require.NoError(t, err)
	_, made := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Attributes().Get("app.effect.request.digest")
	require.False(t, made)
}
