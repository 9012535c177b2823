package evaluation

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/connector/connectortest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-agent/otelcol-agent/connector/evaluation/internal/metadata"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/processor/tailpolicy"
)

// A sampler behind the connector that keeps neither ordinary runs nor failing
// verdicts keeps a disagreement: in a run that is undecided, and also when the
// second verdict comes long after the run was dropped, when all it sees is one span.
func TestSamplerSeesTheDisagreement(t *testing.T) {
	for name, late := range map[string]time.Duration{"undecided": 0, "decided": 2 * time.Minute} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				kept := &consumertest.TracesSink{}
				f := tailpolicy.NewFactory()
				cfg := f.CreateDefaultConfig()
				require.NoError(t, confmap.NewFromStringMap(map[string]any{
					"baseline": map[string]any{"ratio": 0}, "protect": map[string]any{"verifier_fail": map[string]any{"enabled": false}},
				}).Unmarshal(cfg))
				sampler, err := f.CreateTraces(t.Context(), processortest.NewNopSettings(f.Type()), cfg, kept)
				require.NoError(t, err)
				require.NoError(t, sampler.Start(t.Context(), componenttest.NewNopHost()))
				court, err := NewFactory().CreateLogsToTraces(t.Context(), connectortest.NewNopSettings(metadata.Type), createDefaultConfig(), sampler)
				require.NoError(t, err)
				require.NoError(t, court.Start(t.Context(), componenttest.NewNopHost()))
				said := func(version, verdict string) {
					require.NoError(t, court.ConsumeLogs(t.Context(), results("a", attrs{
						"app.verifier.subject.kind": "step", "app.verifier.subject.id": step1.String(), "app.verifier.name": "tests",
						"app.verifier.version": version, "app.verifier.verdict": verdict,
					})))
				}
				require.NoError(t, sampler.ConsumeTraces(t.Context(), spans("a", with())))
				said("1", "fail")
				time.Sleep(late)
				assert.Zero(t, kept.SpanCount(), "an ordinary run, and a failing verdict alone, are not kept")
				said("2", "pass")
				time.Sleep(time.Minute)
				require.NotZero(t, kept.SpanCount())
				class, _ := kept.AllTraces()[0].ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Attributes().Get("app.sampling.class")
				assert.Equal(t, "verifier_disagreement", class.Str())
				require.NoError(t, court.Shutdown(context.Background()))
				require.NoError(t, sampler.Shutdown(context.Background()))
			})
		})
	}
}

// A claim that comes long after the failing verdict that it contradicts, when run
// and verdict were dropped, brings the verdict back: the sampler sees it with the claim.
func TestSamplerSeesALateClaim(t *testing.T) {
	for name, claim := range map[string]func(t *testing.T, o outlet){
		"by a span": func(t *testing.T, o outlet) {
			require.NoError(t, o.spans.ConsumeTraces(t.Context(), spans("a", with("app.task.id", "t1", "app.outcome", "completed"))))
		},
		"by a record": func(t *testing.T, o outlet) {
			ld := results("a", attrs{"app.task.id": "t1", "app.outcome": "completed"})
			ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0).SetEventName("app.task.ended")
			require.NoError(t, o.logs.ConsumeLogs(t.Context(), ld))
		},
	} {
		t.Run(name, func(t *testing.T) {
			sent := &consumertest.TracesSink{}
			f := NewFactory()
			set, cfg := connectortest.NewNopSettings(metadata.Type), createDefaultConfig()
			logs, err := f.CreateLogsToTraces(t.Context(), set, cfg, sent)
			require.NoError(t, err)
			watch, err := f.CreateTracesToTraces(t.Context(), set, cfg, sent)
			require.NoError(t, err)
			require.NoError(t, logs.ConsumeLogs(t.Context(), results("a", attrs{
				"app.verifier.subject.kind": "step", "app.verifier.subject.id": step1.String(), "app.verifier.name": "tests",
				"app.verifier.version": "1", "app.verifier.verdict": "fail", "app.task.id": "t2", "app.task.parent.id": "t1",
			})))
			require.Equal(t, 1, sent.SpanCount())
			first := evidence.FromTraces(sent.AllTraces()[0])[0]
			sent.Reset()
			claim(t, outlet{watch, logs})
			require.Equal(t, 1, sent.SpanCount())
			again := evidence.FromTraces(sent.AllTraces()[0])[0]
			require.Equal(t, first.ID, again.ID, "it is the same verdict")
			whole := evidence.MergeStatements([]evidence.Span{first, again})
			for _, s := range []evidence.Span{again, whole} {
				hits := evidence.Classify(evidence.Run{Tenant: "a", Spans: []evidence.Span{s}})
				require.NotEmpty(t, hits)
				require.Equal(t, "verifier_disagreement", hits[0].Class)
			}
			require.Equal(t, first.Attrs, whole.Attrs)
			sent.Reset()
			claim(t, outlet{watch, logs})
			require.Zero(t, sent.SpanCount(), "it is told once")
		})
	}
}

// outlet is both doors of a connector.
type outlet struct {
	spans consumer.Traces
	logs  consumer.Logs
}
