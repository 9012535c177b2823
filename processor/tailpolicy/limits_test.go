package tailpolicy

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processortest"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"

	"github.com/otelcol-agent/otelcol-agent/processor/tailpolicy/internal/metadata"
	"github.com/otelcol-agent/otelcol-agent/processor/tailpolicy/internal/metadatatest"
)

func labels(kv ...string) attribute.Set {
	var out []attribute.KeyValue
	for i := 0; i < len(kv); i += 2 {
		out = append(out, attribute.String(kv[i], kv[i+1]))
	}
	return attribute.NewSet(out...)
}

func point(n int64, set attribute.Set) metricdata.DataPoint[int64] {
	return metricdata.DataPoint[int64]{Value: n, Attributes: set}
}

// of gives a batch a tenant.
func of(tenant string, td ptrace.Traces) ptrace.Traces {
	td.ResourceSpans().At(0).Resource().Attributes().PutStr("tenant.id", tenant)
	return td
}

// TestQuotasAreCountedByTenant: what is dropped and what is kept, by the tenants
// that the configuration names. A name that a sender made up is no value of a label.
func TestQuotasAreCountedByTenant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &consumertest.TracesSink{}
		p, tel := start(t, func(c *Config) {
			c.Baseline.Ratio = 1
			c.Quotas.SpansPerSecond = 0.001
			c.Quotas.Tenants = map[string]QuotaConfig{"acme": {SpansPerSecond: 1000}}
		}, sink)
		for trace := range byte(20) {
			require.NoError(t, p.ConsumeTraces(t.Context(), of("acme", one(1+trace, 1, nil))))
			require.NoError(t, p.ConsumeTraces(t.Context(), of("made up", one(1+trace, 1, nil))))
		}
		require.NoError(t, p.ConsumeTraces(t.Context(), of("made up", one(100, 1, failed))))
		pass(12 * time.Second)
		metadatatest.AssertEqualProcessorTailpolicyQuotaSpans(t, tel, []metricdata.DataPoint[int64]{
			point(20, labels("class", "none", "tenant", "acme")), point(1, labels("class", "none", "tenant", "other")), point(1, labels("class", "error", "tenant", "other")),
		}, metricdatatest.IgnoreTimestamp())
		metadatatest.AssertEqualProcessorTailpolicySpansDropped(t, tel, []metricdata.DataPoint[int64]{
			point(19, labels("reason", "quota", "tenant", "other")),
		}, metricdatatest.IgnoreTimestamp())
		stop(t, p, tel)
	})
}

// TestWhatIsDoneToARunIsCounted: folded and truncated spans, rules that a class
// overrules, trace states that are not valid.
func TestWhatIsDoneToARunIsCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &consumertest.TracesSink{}
		none := 0.0
		p, tel := start(t, func(c *Config) {
			c.Fold.Above = 2
			c.Truncate.AboveMiB = 1
			c.Rules = []RuleConfig{{Name: "noise", Condition: `span.name == "token"`, Keep: &none}}
		}, sink)
		td := one(1, 1, failed)
		spans := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans()
		for i := range byte(8) {
			s := spans.AppendEmpty()
			s.SetTraceID(pcommon.TraceID{1})
			s.SetSpanID(pcommon.SpanID{1, 10 + i})
			s.SetParentSpanID(pcommon.SpanID{1, 1})
			s.SetName("token")
		}
		large := spans.AppendEmpty()
		large.SetTraceID(pcommon.TraceID{1})
		large.SetSpanID(pcommon.SpanID{1, 99})
		large.SetParentSpanID(pcommon.SpanID{1, 1})
		large.TraceState().FromRaw("ot=th:zz")
		large.Attributes().PutEmptyBytes("blob").FromRaw(make([]byte, 2<<20))
		require.NoError(t, p.ConsumeTraces(t.Context(), td))
		pass(12 * time.Second)
		one := func(n int64) []metricdata.DataPoint[int64] { return []metricdata.DataPoint[int64]{point(n, labels())} }
		metadatatest.AssertEqualProcessorTailpolicySpansFolded(t, tel, one(5), metricdatatest.IgnoreTimestamp())
		metadatatest.AssertEqualProcessorTailpolicySpansTruncated(t, tel, one(1), metricdatatest.IgnoreTimestamp())
		metadatatest.AssertEqualProcessorTailpolicyTracestatesInvalid(t, tel, one(1), metricdatatest.IgnoreTimestamp())
		metadatatest.AssertEqualProcessorTailpolicyRulesOverruled(t, tel, []metricdata.DataPoint[int64]{point(1, labels("class", "error", "rule", "noise"))}, metricdatatest.IgnoreTimestamp())
		assert.Equal(t, 5, sink.SpanCount())
		stop(t, p, tel)
	})
}

// TestSlowRunsAreKept: by the defaults but for the count.
func TestSlowRunsAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &consumertest.TracesSink{}
		p, tel := start(t, func(c *Config) { c.Slow.MinCount = 100 }, sink)
		call := func(n int, took time.Duration) {
			td := one(0, 1, func(s ptrace.Span) {
				s.SetTraceID(pcommon.TraceID{byte(n), byte(n >> 8), 1})
				s.Attributes().PutStr("gen_ai.operation.name", "invoke_agent")
				s.Attributes().PutStr("gen_ai.agent.name", "coder")
				s.SetEndTimestamp(pcommon.Timestamp(took))
			})
			require.NoError(t, p.ConsumeTraces(t.Context(), td))
		}
		for n := range 100 {
			call(n, time.Duration(1000+n)*time.Millisecond)
		}
		pass(15 * time.Second)
		assert.Zero(t, sink.SpanCount())
		call(1000, time.Second)
		call(1001, 5*time.Second)
		pass(15 * time.Second)
		require.Equal(t, 1, sink.SpanCount())
		rule, _ := sink.AllTraces()[0].ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Attributes().Get("app.sampling.rule")
		assert.Equal(t, "slow", rule.Str())
		stop(t, p, tel)
	})
}

// TestExemplarsOfOneComponentID: the metrics pipeline asks the traces pipeline with
// its id, and passes everything where there is none.
func TestExemplarsOfOneComponentID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := NewFactory()
		cfg := f.CreateDefaultConfig().(*Config)
		cfg.Baseline.Ratio = 0
		tel := componenttest.NewTelemetry()
		set := processortest.NewNopSettings(metadata.Type)
		set.TelemetrySettings = tel.NewTelemetrySettings()
		points := &consumertest.MetricsSink{}
		m, err := f.CreateMetrics(t.Context(), set, cfg, points)
		require.NoError(t, err)
		flush := func(traces ...byte) (seen string) {
			md := pmetric.NewMetrics()
			dp := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty().SetEmptySum().DataPoints().AppendEmpty()
			for _, trace := range traces {
				dp.Exemplars().AppendEmpty().SetTraceID(pcommon.TraceID{trace})
			}
			require.NoError(t, m.ConsumeMetrics(t.Context(), md))
			for _, e := range dp.Exemplars().All() {
				seen += fmt.Sprint(e.TraceID()[0])
			}
			return seen
		}
		require.Equal(t, "12", flush(1, 2), "there is no traces pipeline")

		p, err := f.CreateTraces(t.Context(), set, cfg, consumertest.NewNop())
		require.NoError(t, err)
		require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
		require.NoError(t, p.ConsumeTraces(t.Context(), one(1, 1, nil)))
		require.NoError(t, p.ConsumeTraces(t.Context(), one(2, 1, failed)))
		require.Empty(t, flush(1, 2), "nothing is decided")
		pass(12 * time.Second)
		require.Equal(t, "2", flush())
		metadatatest.AssertEqualProcessorTailpolicyExemplarsRemoved(t, tel, []metricdata.DataPoint[int64]{point(1, labels())}, metricdatatest.IgnoreTimestamp())
		require.NoError(t, p.Shutdown(context.Background()))
		require.NoError(t, tel.Shutdown(context.Background()))
	})
}
