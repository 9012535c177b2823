package evidence

import (
	"slices"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// groups says which groups of keys are there, so that a span without facts
// costs no look-ups.
type groups uint16

const (
	hasDecision groups = 1 << iota
	hasEffect
	hasControl
	hasVerdict
	hasClaim
	hasProtocol
	hasExtension

	facts = hasExtension<<1 - 1

	// Other groups of keys, so that looking for them costs nothing where there are none.
	hasAuthority groups = 1 << iota
	hasArtifact
	hasError
	hasGuardrail
	hasToolClass
	hasCall
	hasAsked // what a question looks for anywhere in the run
)

// groupsOf looks once at every key, so that spans without facts cost no look-ups.
func groupsOf(a Attrs, links []Link) groups {
	var g, score groups
	for k, v := range a {
		switch k {
		case semconv.AppPermissionDecision:
			g |= hasDecision
		case semconv.AppEffectID, semconv.AppEffectStage:
			g |= hasEffect
		case semconv.AppToolEffectClass:
			g |= hasToolClass
			if c, _ := v.(string); maybeWrites(c) && a.Str(semconv.GenAIOperationName) == semconv.GenAIOperationNameExecuteTool {
				g |= hasEffect
			}
		case semconv.AppControlPhase:
			g |= hasControl
		case semconv.AppVerifierVerdict:
			g |= hasVerdict
		case semconv.GenAIEvaluationScoreLabel, semconv.GenAIEvaluationScoreValue, semconv.GenAIEvaluationName:
			score |= hasVerdict
		case semconv.AppOutcome:
			g |= hasClaim
		case semconv.AppProtocolName, semconv.MCPMethodName, semconv.MCPProtocolVersion, semconv.MCPSessionID,
			semconv.AppExternalTaskID, semconv.AppExternalTaskState, semconv.AppProtocolVersionNegotiated:
			g |= hasProtocol
		case semconv.AppExtensionKind:
			g |= hasExtension
		case semconv.AppAuthorityDelegationID, semconv.AppAuthorityDelegationParentID, semconv.AppAuthorityExpiresAt,
			semconv.AppAuthorityResource, semconv.AppAuthorityAudience, semconv.AppAuthorityOperations:
			g |= hasAuthority
		case semconv.AppArtifactID, semconv.AppArtifactHash:
			g |= hasArtifact
		case semconv.ErrorType, semconv.HTTPResponseStatusCode, semconv.RPCResponseStatusCode:
			g |= hasError
		case semconv.AppGuardrailOutcome:
			g |= hasGuardrail
		case semconv.GenAIToolCallID:
			g |= hasCall
		case semconv.AppTaskGoalDigest, semconv.AppHarnessVersion, semconv.GenAIAgentVersion, semconv.AppToolCatalogHash, semconv.AppContextHash,
			semconv.AppAuthorityActor, semconv.AppAuthoritySubject:
			g |= hasAsked
		}
	}
	// A score on a span is a verdict only where the span judges another one.
	if score != 0 && slices.ContainsFunc(links, func(l Link) bool { return judges(l.Relation) }) {
		g |= score
	}
	return g
}

// BeginsFact reports whether a span with this key may state a fact other than a
// decision or an effect, whatever its value.
func BeginsFact(key string) bool {
	g := groupsOf(Attrs{key: nil}, []Link{{Relation: semconv.AppLinkRelationEvaluates}})
	return g&facts&^(hasDecision|hasEffect) != 0
}

func groupsOfEvent(name string) groups {
	if name == semconv.EventGenAIEvaluationResult {
		return hasVerdict
	}
	return 0
}

func judges(relation string) bool {
	return relation == semconv.AppLinkRelationEvaluates || relation == semconv.AppLinkRelationVerifies
}

func canonicalEvent(name string) bool { return canonicalEvents()[name] }
