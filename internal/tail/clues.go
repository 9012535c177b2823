package tail

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// Clues are what of a class can be seen without understanding the run. A run
// whose pieces together give no Alarm has no class, whatever their order and
// however its spans merge: TestNoClueNoClass. One that does may still have none.
type Clues uint8

const (
	clueAlarm    Clues = 1 << iota // a class can be read from this alone
	clueTarget                     // says what an effect acted on,
	clueResource                   // or what the authority was for: both are needed for a breach
)

// Alarm reports whether a class can be read from spans with these clues.
func (c Clues) Alarm() bool {
	const breach = clueTarget | clueResource
	return c&clueAlarm != 0 || c&breach == breach
}

// glance is what one look at every key of a span, and of its events, tells.
type glance struct {
	clues                  Clues
	own, parent, top       string // tasks
	agent, operation       string // by which it is timed
	hasOwn, hasPar, hasTop bool
}

func (g *glance) at(span ptrace.Span) {
	*g = glance{}
	if span.Status().Code() == ptrace.StatusCodeError {
		g.clues = clueAlarm
	}
	for k, v := range span.Attributes().All() {
		switch k { // of a key that is there twice the first counts
		case semconv.AppTaskID:
			first(&g.own, &g.hasOwn, v)
		case semconv.AppTaskParentID:
			first(&g.parent, &g.hasPar, v)
		case semconv.AppTaskRootID:
			first(&g.top, &g.hasTop, v)
		case semconv.GenAIAgentName:
			g.agent = v.Str()
		case semconv.GenAIOperationName:
			g.operation = v.Str()
		default:
			g.clues |= clueIn(k, v)
		}
	}
	for _, e := range span.Events().All() {
		for k, v := range e.Attributes().All() {
			g.clues |= clueIn(k, v)
		}
	}
}

func first(id *string, seen *bool, v pcommon.Value) {
	if !*seen {
		*id, *seen = v.Str(), true
	}
}

// clueIn knows every value that makes a class. A value that is not text, where
// text is read, is no clue, as it is none to package evidence.
func clueIn(k string, v pcommon.Value) Clues {
	switch k {
	case semconv.AppPermissionDecision:
		switch v.Str() {
		case semconv.AppPermissionDecisionDeny, semconv.AppPermissionDecisionAbort, semconv.AppPermissionDecisionAsk:
			return clueAlarm
		}
	case semconv.AppGuardrailOutcome:
		if v.Str() == semconv.AppGuardrailOutcomeBlock {
			return clueAlarm
		}
	case semconv.ErrorType, semconv.RPCResponseStatusCode, semconv.ExceptionType:
		if v.Str() != "" {
			return clueAlarm
		}
	case semconv.HTTPResponseStatusCode:
		if v.Int() >= 400 {
			return clueAlarm
		}
	case semconv.AppToolEffectClass:
		switch v.Str() {
		case semconv.AppToolEffectClassDestructive, semconv.AppToolEffectClassUnknown:
			return clueAlarm
		}
	case semconv.AppEffectStage:
		switch v.Str() {
		case semconv.AppEffectStageDispatched, semconv.AppEffectStageAcked, semconv.AppEffectStageCompensated:
			return clueAlarm
		}
	case semconv.AppControlPhase:
		switch v.Str() {
		case semconv.AppControlPhaseEffective, semconv.AppControlPhaseIgnored, semconv.AppControlPhaseLost:
			return clueAlarm
		}
	case semconv.AppVerifierVerdict:
		if v.Str() == semconv.AppVerifierVerdictFail {
			return clueAlarm
		}
	case semconv.GenAIEvaluationScoreLabel:
		if strings.Contains(strings.ToLower(v.Str()), "fail") {
			return clueAlarm
		}
	case semconv.AppExternalTaskState:
		if v.Str() == semconv.AppExternalTaskStateAuthRequired {
			return clueAlarm
		}
	case semconv.AppExtensionDecision:
		switch v.Str() {
		case semconv.AppExtensionDecisionFailed, semconv.AppExtensionDecisionTimeout:
			return clueAlarm
		}
	case semconv.AppAuthorityDelegationParentID, semconv.AppAuthorityExpiresAt:
		return clueAlarm
	case semconv.AppAuthorityResource:
		return clueResource
	case semconv.AppEffectTarget:
		return clueTarget
	}
	return 0
}
