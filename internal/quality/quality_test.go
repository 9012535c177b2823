package quality

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/planted"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

func run(service string, attrs evidence.Attrs) evidence.Run {
	return evidence.Run{Spans: []evidence.Span{{
		ID: evidence.StepID{Trace: evidence.TraceID{1}, Span: evidence.SpanID{1}}, Name: "invoke_agent a", Start: 1, End: 2, Status: evidence.StatusOK, Service: service, Attrs: attrs,
	}}}
}

func TestTheLineClosesTheGap(t *testing.T) {
	var m Meter
	m.Add(run("poor", evidence.Attrs{}))
	m.Add(run("poor", evidence.Attrs{semconv.AppTaskGoalDigest: "g"}))
	m.Add(run("rich", evidence.Attrs{
		semconv.AppTaskGoalDigest: "g", semconv.AppHarnessVersion: "1", semconv.AppToolCatalogHash: "c", semconv.AppContextHash: "x", semconv.AppOutcome: "completed",
		semconv.AppClaimBasis: []any{"tests"}, semconv.AppAuthorityActor: "a", semconv.AppPermissionDecision: "allow", semconv.AppPermissionDecidedBy: "policy", semconv.AppPermissionPolicyID: "p",
	}))
	all := m.Services()
	require.Len(t, all, 2)
	assert.Equal(t, "poor", all[0].Service, "the one that answers least comes first")
	assert.Equal(t, 2, all[0].Runs)
	assert.InDelta(t, 0.5, all[0].Questions[0].Partly, 1e-9)
	assert.Zero(t, all[0].Questions[0].Answered)
	assert.InDelta(t, 0.9, all[1].Answered, 1e-9, "all but the verifier")
	require.Len(t, all[0].Next, most)
	assert.GreaterOrEqual(t, all[0].Next[0].Gain, all[0].Next[1].Gain)
	for _, n := range all[1].Next {
		assert.Equal(t, []int{9}, n.Questions)
	}
	var b bytes.Buffer
	require.NoError(t, WriteText(&b, all))
	assert.Contains(t, b.String(), "poor: ")
	assert.Contains(t, b.String(), all[0].Next[0].Line)
	require.NoError(t, WriteMarkdown(&b, []Service{{Service: "x` [a](b)\n# y"}}))
	assert.NotContains(t, b.String(), "\n# y")
}

// Every attribute that a question can miss has a line that states it.
func TestEveryGapHasALine(t *testing.T) {
	known := map[string]bool{semconv.ErrorType: true, semconv.GenAIToolCallID: true, semconv.GenAIAgentVersion: true}
	for _, g := range semconv.App().Groups {
		for _, a := range g.Attributes {
			known[a.Key] = true
		}
	}
	seen := map[string]bool{}
	for seed := range uint64(3 * planted.Kinds()) {
		for _, q := range evidence.Answer(planted.New(seed).Run) {
			for _, key := range q.Missing {
				seen[key] = true
			}
		}
	}
	require.Greater(t, len(seen), 12)
	for key := range seen {
		line := Line(key)
		switch {
		case strings.HasPrefix(line, "inject("):
			assert.Contains(t, []string{"parent_span_id", "span_id"}, key)
		case strings.HasPrefix(line, "export OTEL_RESOURCE_ATTRIBUTES="):
			assert.Contains(t, line, key+"=")
		default:
			assert.True(t, known[key], "%s is no attribute", key)
			assert.Contains(t, line, `"`+key+`"`)
		}
	}
	assert.Equal(t, `span.set_attribute("app.effect.receipt.id", RECEIPT_ID)`, Line(semconv.AppEffectReceiptID))
	assert.Equal(t, `span.set_attribute("app.verifier.verdict", VERIFIER_VERDICT)  # pass, fail, unknown`, Line(semconv.AppVerifierVerdict), "words of a closed list")
}
