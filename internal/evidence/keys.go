package evidence

import (
	"math/bits"
	"slices"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// groups says which groups of keys are there, so that a span without facts
// costs no look-ups.
type groups uint32

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
	hasAsked   // what a question looks for anywhere in the run
	hasVersion // of harness or agent
	hasTasks   // parent, root or attempt of a task
	hasDropped // a sampler says that earlier spans are gone
)

// slot is the place of a text in a row; a row of another type has none there.
type slot uint8

const (
	slotTask slot = iota
	slotOperation
	slotTool
	slotCall
	slotDecisionID
	slotDecision
	slotDecidedBy
	slotScope
	slotPolicy
	slotPolicyVersion
	slotRule
	slotEnforced
	slotRaw
	slotEffect
	slotStage
	slotTarget
	slotClass
	slotRequest
	slotResult
	slotKey
	slotReceipt
	slotReportedBy
	slotControl
	slotControlKind
	slotControlLayer
	slotControlPhase
	slotOutcome
	slotClaimBy
	slotProtocol
	slotPeer
	slotRequested
	slotNegotiated
	slotExternalTask
	slotExternalState
	slotErrorLayer
	slotError
	slotMCPMethod
	slotMCPVersion
	slotMCPSession
	slots
)

// row is one map of attributes, looked through once: which groups of keys it has,
// and the texts that facts are made of. It is used for one map after the other.
type row struct {
	attrs Attrs
	has   groups
	lists bool // app.mapping.inferred, a claim's or a protocol's list may be there
	set   uint64
	text  [slots]string
}

func (r *row) str(s slot) string { return r.text[s] }

func (r *row) put(s slot, v any) {
	if t, ok := v.(string); ok {
		r.text[s] = t
		r.set |= 1 << s
	}
}

func (r *row) clear() {
	for ; r.set != 0; r.set &= r.set - 1 {
		r.text[bits.TrailingZeros64(r.set)] = ""
	}
	r.has, r.attrs, r.lists = 0, nil, false
}

// read looks once at every key, so that spans without facts cost no look-ups.
func (r *row) read(a Attrs, links []Link) {
	r.clear()
	r.attrs = a
	var score groups
	for k, v := range a {
		switch k {
		case semconv.AppTaskID:
			r.put(slotTask, v)
		case semconv.GenAIOperationName:
			r.put(slotOperation, v)
		case semconv.GenAIToolName:
			r.put(slotTool, v)
		case semconv.GenAIToolCallID:
			r.put(slotCall, v)
			r.has |= hasCall
		case semconv.AppMappingInferred, semconv.AppClaimBasis, semconv.AppClaimMissing, semconv.AppProtocolDegraded:
			r.lists = true
		case semconv.AppPermissionDecision:
			r.put(slotDecision, v)
			r.has |= hasDecision
		case semconv.AppPermissionDecisionID:
			r.put(slotDecisionID, v)
		case semconv.AppPermissionDecidedBy:
			r.put(slotDecidedBy, v)
		case semconv.AppPermissionScope:
			r.put(slotScope, v)
		case semconv.AppPermissionPolicyID:
			r.put(slotPolicy, v)
		case semconv.AppPermissionPolicyVersion:
			r.put(slotPolicyVersion, v)
		case semconv.AppPermissionRuleID:
			r.put(slotRule, v)
		case semconv.AppPermissionEnforced:
			r.put(slotEnforced, v)
		case semconv.AppPermissionRaw:
			r.put(slotRaw, v)
		case semconv.AppEffectID:
			r.put(slotEffect, v)
			r.has |= hasEffect
		case semconv.AppEffectStage:
			r.put(slotStage, v)
			r.has |= hasEffect
		case semconv.AppEffectTarget:
			r.put(slotTarget, v)
		case semconv.AppToolEffectClass:
			r.put(slotClass, v)
			r.has |= hasToolClass
		case semconv.AppEffectRequestDigest:
			r.put(slotRequest, v)
		case semconv.AppEffectResultDigest:
			r.put(slotResult, v)
		case semconv.AppEffectIdempotencyKey:
			r.put(slotKey, v)
		case semconv.AppEffectReceiptID:
			r.put(slotReceipt, v)
		case semconv.AppEffectReportedBy:
			r.put(slotReportedBy, v)
		case semconv.AppControlID:
			r.put(slotControl, v)
		case semconv.AppControlKind:
			r.put(slotControlKind, v)
		case semconv.AppControlLayer:
			r.put(slotControlLayer, v)
		case semconv.AppControlPhase:
			r.put(slotControlPhase, v)
			r.has |= hasControl
		case semconv.AppVerifierVerdict:
			r.has |= hasVerdict
		case semconv.GenAIEvaluationScoreLabel, semconv.GenAIEvaluationScoreValue, semconv.GenAIEvaluationName:
			score |= hasVerdict
		case semconv.AppOutcome:
			r.put(slotOutcome, v)
			r.has |= hasClaim
		case semconv.AppClaimBy:
			r.put(slotClaimBy, v)
		case semconv.AppProtocolName:
			r.put(slotProtocol, v)
			r.has |= hasProtocol
		case semconv.MCPMethodName:
			r.put(slotMCPMethod, v)
			r.has |= hasProtocol
		case semconv.MCPProtocolVersion:
			r.put(slotMCPVersion, v)
			r.has |= hasProtocol
		case semconv.MCPSessionID:
			r.put(slotMCPSession, v)
			r.has |= hasProtocol
		case semconv.AppExternalTaskID:
			r.put(slotExternalTask, v)
			r.has |= hasProtocol
		case semconv.AppExternalTaskState:
			r.put(slotExternalState, v)
			r.has |= hasProtocol
		case semconv.AppProtocolVersionNegotiated:
			r.put(slotNegotiated, v)
			r.has |= hasProtocol
		case semconv.AppProtocolVersionRequested:
			r.put(slotRequested, v)
		case semconv.ServerAddress:
			r.put(slotPeer, v)
		case semconv.AppErrorLayer:
			r.put(slotErrorLayer, v)
		case semconv.AppExtensionKind:
			r.has |= hasExtension
		case semconv.AppAuthorityDelegationID, semconv.AppAuthorityDelegationParentID, semconv.AppAuthorityExpiresAt,
			semconv.AppAuthorityResource, semconv.AppAuthorityAudience, semconv.AppAuthorityOperations:
			r.has |= hasAuthority
		case semconv.AppArtifactID, semconv.AppArtifactHash:
			r.has |= hasArtifact
		case semconv.ErrorType:
			r.put(slotError, v)
			r.has |= hasError
		case semconv.HTTPResponseStatusCode, semconv.RPCResponseStatusCode:
			r.has |= hasError
		case semconv.AppGuardrailOutcome:
			r.has |= hasGuardrail
		case semconv.AppTaskGoalDigest, semconv.AppToolCatalogHash, semconv.AppContextHash, semconv.AppAuthorityActor, semconv.AppAuthoritySubject:
			r.has |= hasAsked
		case semconv.AppHarnessVersion, semconv.GenAIAgentVersion:
			r.has |= hasVersion
		case semconv.AppSamplingIncomplete:
			if dropped, _ := v.(bool); dropped {
				r.has |= hasDropped
			}
		case semconv.AppTaskParentID, semconv.AppTaskRootID, semconv.AppTaskAttempt:
			r.has |= hasTasks
		}
	}
	if r.has&hasToolClass != 0 && r.str(slotOperation) == semconv.GenAIOperationNameExecuteTool && maybeWrites(r.str(slotClass)) {
		r.has |= hasEffect
	}
	// A score on a span is a verdict only where the span judges another one.
	if score != 0 && slices.ContainsFunc(links, func(l Link) bool { return judges(l.Relation) }) {
		r.has |= score
	}
}

// BeginsFact reports whether a span with this key may state a fact other than a
// decision or an effect, whatever its value.
func BeginsFact(key string) bool {
	var r row
	r.read(Attrs{key: nil}, []Link{{Relation: semconv.AppLinkRelationEvaluates}})
	return r.has&facts&^(hasDecision|hasEffect) != 0
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
