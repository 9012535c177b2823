package clickhouse

import "github.com/otelcol-agent/otelcol-agent/semconv"

// promotedTexts are attributes of spans with a column of their own, in the order
// of the columns from parent_task_id to reported_by. The column holds them if
// they are texts and not empty, attrs_* if not.
var promotedTexts = [...]string{
	semconv.AppTaskParentID,
	semconv.AppTaskRootID,
	semconv.AppTaskGoalDigest,
	semconv.AppHarnessName,
	semconv.AppHarnessVersion,
	semconv.GenAIOperationName,
	semconv.GenAIAgentName,
	semconv.GenAIToolName,
	semconv.GenAIToolCallID,
	semconv.GenAIRequestModel,
	semconv.GenAIProviderName,
	semconv.GenAIConversationID,
	semconv.AppSessionID,
	semconv.ErrorType,
	semconv.AppToolEffectClass,
	semconv.AppPermissionDecisionID,
	semconv.AppPermissionDecision,
	semconv.AppPermissionDecidedBy,
	semconv.AppPermissionScope,
	semconv.AppPermissionPolicyID,
	semconv.AppPermissionPolicyVersion,
	semconv.AppPermissionRuleID,
	semconv.AppPermissionEnforced,
	semconv.AppPermissionRaw,
	semconv.AppEffectID,
	semconv.AppEffectStage,
	semconv.AppEffectTarget,
	semconv.AppEffectRequestDigest,
	semconv.AppEffectResultDigest,
	semconv.AppEffectIdempotencyKey,
	semconv.AppEffectReceiptID,
	semconv.AppEffectReportedBy,
}

// promotedInts are those of the columns from input_tokens to effect_attempt.
var promotedInts = [...]string{semconv.GenAIUsageInputTokens, semconv.GenAIUsageOutputTokens, semconv.AppTaskAttempt, semconv.AppEffectAttempt}

// textPlaces and intPlaces tell where a promoted attribute is, by its key.
var textPlaces, intPlaces = func() (texts, ints map[string]int) {
	texts, ints = map[string]int{}, map[string]int{}
	for i, k := range promotedTexts {
		texts[k] = i
	}
	for i, k := range promotedInts {
		ints[k] = i
	}
	return texts, ints
}()
