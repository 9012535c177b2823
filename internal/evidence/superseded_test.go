package evidence

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// A second statement under the same ids can add to the first and cannot make a
// refusal or a failure unsaid.
func TestALaterStatementErasesNoFact(t *testing.T) {
	id := StepID{Trace: TraceID{1}, Span: SpanID{2}}
	denied := Span{ID: id, Name: "execute_tool rm", Start: 1, End: 10, Status: StatusError, Attrs: Attrs{
		semconv.GenAIOperationName: semconv.GenAIOperationNameExecuteTool, semconv.GenAIToolName: "rm", semconv.GenAIToolCallID: "c1",
		semconv.AppPermissionDecision: semconv.AppPermissionDecisionDeny, semconv.AppPermissionDecidedBy: semconv.AppPermissionDecidedByPolicy,
		semconv.AppEffectID: "e1", semconv.AppEffectStage: semconv.AppEffectStageFailed,
	}}
	allowed := Span{ID: id, Name: "execute_tool rm", Start: 1, End: 20, Status: StatusOK, Attrs: Attrs{
		semconv.GenAIOperationName: semconv.GenAIOperationNameExecuteTool, semconv.GenAIToolName: "rm", semconv.GenAIToolCallID: "c1",
		semconv.AppPermissionDecision: semconv.AppPermissionDecisionAllow, semconv.AppPermissionDecidedBy: semconv.AppPermissionDecidedByPolicy,
		semconv.AppEffectID: "e1", semconv.AppEffectStage: semconv.AppEffectStageReceipt,
	}}
	for _, order := range [][]Span{{denied, allowed}, {allowed, denied}, {denied, allowed, denied, allowed}} {
		merged := order[0]
		for _, s := range order[1:] {
			merged = MergeSpan(merged, s)
		}
		require.Len(t, merged.Events, 2, "each fact that lost, once")
		run := Run{Spans: []Span{merged}}
		var classes []string
		for _, hit := range Classify(run) {
			classes = append(classes, hit.Class)
		}
		require.Contains(t, classes, ClassSecurityDenial)
		var verdicts []string
		for _, d := range NewReport(run, "").Decisions {
			verdicts = append(verdicts, d.Verdict)
		}
		require.Contains(t, verdicts, semconv.AppPermissionDecisionDeny)
		require.Contains(t, verdicts, semconv.AppPermissionDecisionAllow)
		require.Equal(t, semconv.AppPermissionDecisionAllow, merged.Attrs[semconv.AppPermissionDecision])
		require.Equal(t, StatusError, merged.Status)
	}
}
