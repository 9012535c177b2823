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
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-agent/otelcol-agent/connector/evaluation/internal/metadata"
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
