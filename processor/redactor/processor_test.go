package redactor

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/configopaque"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pprofile"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/xprocessor"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/otelcol-agent/otelcol-agent/processor/redactor/internal/metadatatest"
)

const mail = "ada.lovelace@example.com"

func testConfig() *Config {
	cfg := createDefaultConfig().(*Config)
	cfg.Boundary = "here"
	cfg.DigestKey = configopaque.String("a key that only tests use")
	return cfg
}

func point(n int64, kv ...attribute.KeyValue) metricdata.DataPoint[int64] {
	return metricdata.DataPoint[int64]{Value: n, Attributes: attribute.NewSet(append(kv, attribute.String("boundary", "here"))...)}
}

func TestTracesPassRedactedAndCounted(t *testing.T) {
	tel := componenttest.NewTelemetry()
	core, logged := observer.New(zap.DebugLevel)
	set := metadatatest.NewSettings(tel)
	set.Logger = zap.New(core)
	sink := new(consumertest.TracesSink)
	p, err := NewFactory().CreateTraces(context.Background(), set, testConfig(), sink)
	require.NoError(t, err)
	assert.True(t, p.Capabilities().MutatesData)
	require.NoError(t, p.Start(context.Background(), componenttest.NewNopHost()))

	td := ptrace.NewTraces()
	span := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	span.SetName("mail to " + mail)
	span.Attributes().PutStr("gen_ai.input.messages", "write to "+mail)
	span.Attributes().PutStr("acme.note", "a note of the operator's")
	deep := span.Attributes().PutEmptyMap("deep")
	for range 100 {
		deep = deep.PutEmptyMap("d")
	}
	require.NoError(t, p.ConsumeTraces(context.Background(), td))
	require.NoError(t, p.Shutdown(context.Background()))

	require.Len(t, sink.AllTraces(), 1)
	out, err := (&ptrace.JSONMarshaler{}).MarshalTraces(sink.AllTraces()[0])
	require.NoError(t, err)
	assert.NotContains(t, string(out), mail)
	assert.Contains(t, string(out), `{"key":"app.redaction.boundary","value":{"stringValue":"here"}}`)
	assert.Contains(t, string(out), `{"key":"app.redaction.count","value":{"intValue":"4"}}`)

	metadatatest.AssertEqualProcessorRedactorValuesRedacted(t, tel, []metricdata.DataPoint[int64]{
		point(1, attribute.String("rule", "email"), attribute.String("position", "span_name")),
		point(1, attribute.String("rule", "content"), attribute.String("position", "span_attribute")),
		point(1, attribute.String("rule", "unknown_text"), attribute.String("position", "span_attribute")),
	}, metricdatatest.IgnoreTimestamp())
	metadatatest.AssertEqualProcessorRedactorValuesFailed(t, tel, []metricdata.DataPoint[int64]{
		point(1, attribute.String("reason", "too_deep"), attribute.String("position", "span_attribute")),
	}, metricdatatest.IgnoreTimestamp())
	for _, entry := range logged.All() {
		assert.NotContains(t, entry.Message, mail)
		for _, f := range entry.Context {
			assert.NotContains(t, f.String, mail)
			assert.NotContains(t, f.String, "only tests use")
		}
	}
	require.NoError(t, tel.Shutdown(context.Background()))
}

func TestLogsAndMetricsPassRedacted(t *testing.T) {
	tel := componenttest.NewTelemetry()
	set := metadatatest.NewSettings(tel)
	logs, metrics := new(consumertest.LogsSink), new(consumertest.MetricsSink)
	lp, err := NewFactory().CreateLogs(context.Background(), set, testConfig(), logs)
	require.NoError(t, err)
	mp, err := NewFactory().CreateMetrics(context.Background(), set, testConfig(), metrics)
	require.NoError(t, err)
	require.NoError(t, lp.Start(context.Background(), componenttest.NewNopHost()))
	require.NoError(t, mp.Start(context.Background(), componenttest.NewNopHost()))

	ld := plog.NewLogs()
	ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty().Body().SetStr(mail)
	md := pmetric.NewMetrics()
	m := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
	m.SetDescription("of " + mail)
	m.SetEmptyGauge().DataPoints().AppendEmpty().Attributes().PutStr("who", mail)
	require.NoError(t, lp.ConsumeLogs(context.Background(), ld))
	require.NoError(t, mp.ConsumeMetrics(context.Background(), md))

	body := logs.AllLogs()[0].ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0).Body().Str()
	assert.Regexp(t, `^\[redacted:email:[0-9a-f]{12}\]$`, body)
	out, err := (&pmetric.JSONMarshaler{}).MarshalMetrics(metrics.AllMetrics()[0])
	require.NoError(t, err)
	assert.NotContains(t, string(out), mail)
	assert.Contains(t, string(out), body, "the same mail has the same token in another signal")
	require.NoError(t, lp.Shutdown(context.Background()))
	require.NoError(t, mp.Shutdown(context.Background()))
	require.NoError(t, tel.Shutdown(context.Background()))
}

func TestThreeSignalsShareTheKeyFile(t *testing.T) {
	cfg := testConfig()
	cfg.DigestKey = ""
	cfg.DigestKeyFile = filepath.Join(t.TempDir(), "redaction.key")
	tokens := map[string]bool{}
	for range 3 {
		sink := new(consumertest.LogsSink)
		tel := componenttest.NewTelemetry()
		p, err := NewFactory().CreateLogs(context.Background(), metadatatest.NewSettings(tel), cfg, sink)
		require.NoError(t, err)
		require.NoError(t, p.Start(context.Background(), componenttest.NewNopHost()))
		ld := plog.NewLogs()
		ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty().Body().SetStr(mail)
		require.NoError(t, p.ConsumeLogs(context.Background(), ld))
		require.NoError(t, p.Shutdown(context.Background()))
		require.NoError(t, tel.Shutdown(context.Background()))
		tokens[sink.AllLogs()[0].ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0).Body().Str()] = true
	}
	assert.Len(t, tokens, 1)
}

// Everything an operator can set of context arrives in the policy.
func TestContextSettingsAreInForce(t *testing.T) {
	cfg := testConfig()
	cfg.Attributes.Deny = []string{"acme.hint"}
	cfg.Baggage = BaggageConfig{Allow: []string{"session", "n.*"}, MaxMembers: 2, MaxBytes: 30}
	cfg.Tracestate.Allow = []string{"dt"}
	cfg.Links.Attributes = "drop"
	cfg.TraceContext = "restart"
	require.NoError(t, cfg.Validate())
	sink := new(consumertest.TracesSink)
	tel := componenttest.NewTelemetry()
	p, err := NewFactory().CreateTraces(context.Background(), metadatatest.NewSettings(tel), cfg, sink)
	require.NoError(t, err)
	require.NoError(t, p.Start(context.Background(), componenttest.NewNopHost()))
	td := ptrace.NewTraces()
	span := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	span.SetTraceID(pcommon.TraceID{1})
	span.Attributes().PutStr("acme.hint", "x")
	span.Attributes().PutStr("http.request.header.tracestate", "ot=1,t@dt=2")
	span.Attributes().PutStr("baggage", "session=1,user=2,n.a=3,n.b=4")
	span.Attributes().PutStr("other.header.baggage", "session=0123456789012345678901,n.a=3,n.b=4")
	link := span.Links().AppendEmpty()
	link.TraceState().FromRaw("ot=1,t@dt=2")
	link.Attributes().PutStr("note", "x")
	require.NoError(t, p.ConsumeTraces(context.Background(), td))
	require.NoError(t, p.Shutdown(context.Background()))
	attrs := span.Attributes().AsRaw()
	delete(attrs, "app.redaction.boundary")
	delete(attrs, "app.redaction.policy")
	delete(attrs, "app.redaction.count")
	assert.Equal(t, map[string]any{"baggage": "session=1,n.a=3", "other.header.baggage": "session=0123456789012345678901"}, attrs)
	assert.NotEqual(t, pcommon.TraceID{1}, span.TraceID())
	assert.Zero(t, span.Links().At(0).Attributes().Len())
	assert.Equal(t, "t@dt=2", span.Links().At(0).TraceState().AsRaw())
	assert.Equal(t, pcommon.TraceID{1}, span.Links().At(1).TraceID())
	metadatatest.AssertEqualProcessorRedactorValuesRedacted(t, tel, []metricdata.DataPoint[int64]{
		point(1, attribute.String("rule", "denied"), attribute.String("position", "span_attribute")),
		point(4, attribute.String("rule", "baggage"), attribute.String("position", "span_attribute")),
		point(1, attribute.String("rule", "tracestate"), attribute.String("position", "span_attribute")),
		point(1, attribute.String("rule", "tracestate"), attribute.String("position", "link_tracestate")),
		point(1, attribute.String("rule", "link_attribute"), attribute.String("position", "link_attribute")),
		point(1, attribute.String("rule", "trace_context"), attribute.String("position", "trace_id")),
	}, metricdatatest.IgnoreTimestamp())
	require.NoError(t, tel.Shutdown(context.Background()))
}

func TestProfilesPassRedacted(t *testing.T) {
	sink := new(consumertest.ProfilesSink)
	tel := componenttest.NewTelemetry()
	factory, ok := NewFactory().(xprocessor.Factory)
	require.True(t, ok)
	p, err := factory.CreateProfiles(context.Background(), metadatatest.NewSettings(tel), testConfig(), sink)
	require.NoError(t, err)
	assert.True(t, p.Capabilities().MutatesData)
	require.NoError(t, p.Start(context.Background(), componenttest.NewNopHost()))
	pd := pprofile.NewProfiles()
	table := pd.Dictionary().StringTable()
	table.Append("", "main.run "+mail)
	pd.Dictionary().FunctionTable().AppendEmpty().SetNameStrindex(1)
	profile := pd.ResourceProfiles().AppendEmpty().ScopeProfiles().AppendEmpty().Profiles().AppendEmpty()
	profile.OriginalPayload().FromRaw([]byte(mail))
	require.NoError(t, p.ConsumeProfiles(context.Background(), pd))
	require.NoError(t, p.Shutdown(context.Background()))
	require.Len(t, sink.AllProfiles(), 1)
	assert.Regexp(t, `^main\.run \[redacted:email:[0-9a-f]{12}\]$`, table.At(1))
	assert.Zero(t, profile.OriginalPayload().Len())
	metadatatest.AssertEqualProcessorRedactorValuesFailed(t, tel, []metricdata.DataPoint[int64]{
		point(1, attribute.String("reason", "opaque"), attribute.String("position", "profile_payload")),
	}, metricdatatest.IgnoreTimestamp())
	require.NoError(t, tel.Shutdown(context.Background()))
}
