package evidence

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// FactsOf returns what a span states in its attributes and in its events that
// have a canonical name. Facts of records in its context are not included.
func FactsOf(s *Span) Facts {
	f := factsOf(s, groupsOf(s.Attrs, s.Links))
	nameEffects(f.Effects)
	return f
}

// nameEffects gives an id to effects that state none.
func nameEffects(effects []EffectStage) {
	for i := range effects {
		if e := &effects[i]; e.Derived {
			e.EffectID = deriveEffect(e)
		}
	}
}

// factsOf does the same for a span whose keys were looked at; effects without a
// stated id have none yet.
func factsOf(s *Span, has groups) Facts {
	var f Facts
	if has&facts != 0 {
		src := Source{Tenant: s.Tenant, Step: s.ID, Task: s.Task(), Time: s.End}
		collect(&f, has, src, s.Attrs, s.Start, spanFailed(s))
		if len(f.Verdicts) > 0 {
			subjectFromLinks(f.Verdicts, s.Links)
		}
	}
	factsOfEvents(&f, s)
	return f
}

// FactsOfEvents returns what a span states in its events that have a canonical
// name: the last of what FactsOf returns.
func FactsOfEvents(s *Span) Facts {
	var f Facts
	factsOfEvents(&f, s)
	nameEffects(f.Effects)
	return f
}

func factsOfEvents(f *Facts, s *Span) {
	for i := range s.Events {
		e := &s.Events[i]
		if !canonicalEvent(e.Name) {
			continue
		}
		src := Source{Tenant: s.Tenant, Step: s.ID, Task: TaskID(e.Attrs.Str(taskID)), Time: e.Time}
		if src.Task == "" {
			src.Task = s.Task()
		}
		has := groupsOf(e.Attrs, nil) | groupsOfEvent(e.Name)
		at := len(f.Verdicts)
		collect(f, has, src, e.Attrs, e.Time, e.Attrs.Str(semconv.ErrorType) != "")
		subjectFromLinks(f.Verdicts[at:], s.Links)
	}
}

// FactsOfRecord returns what a log record states. A record without trace
// context belongs to the task it names.
func FactsOfRecord(r *Record) Facts {
	f := factsOfRecord(r, groupsOf(r.Attrs, nil))
	nameEffects(f.Effects)
	return f
}

func factsOfRecord(r *Record, has groups) Facts {
	var f Facts
	has |= groupsOfEvent(r.Event)
	if has&facts != 0 {
		src := Source{Tenant: r.Tenant, Step: r.Step, Record: r.ID, Task: r.Task(), Time: r.Time}
		collect(&f, has, src, r.Attrs, r.Time, r.Attrs.Str(semconv.ErrorType) != "")
	}
	return f
}

func collect(f *Facts, has groups, src Source, a Attrs, start int64, failed bool) {
	if has&hasDecision != 0 {
		collectDecision(f, src, a)
	}
	if has&hasEffect != 0 {
		f.Effects = append(f.Effects, effectOf(src, a, start))
	}
	if has&hasControl != 0 {
		collectControl(f, src, a)
	}
	if has&hasVerdict != 0 {
		f.Verdicts = append(f.Verdicts, verdictOf(src, a))
	}
	if has&hasClaim != 0 {
		collectClaim(f, src, a)
	}
	if has&hasProtocol != 0 {
		f.Protocols = append(f.Protocols, protocolOf(src, a, failed))
	}
	if has&hasExtension != 0 {
		f.Extensions = append(f.Extensions, extensionOf(src, a))
	}
}

func collectDecision(f *Facts, src Source, a Attrs) {
	d := Decision{
		Source:        src,
		ID:            a.Str(semconv.AppPermissionDecisionID),
		ToolCallID:    a.Str(semconv.GenAIToolCallID),
		Verdict:       a.Str(semconv.AppPermissionDecision),
		DecidedBy:     a.Str(semconv.AppPermissionDecidedBy),
		Scope:         a.Str(semconv.AppPermissionScope),
		PolicyID:      a.Str(semconv.AppPermissionPolicyID),
		PolicyVersion: a.Str(semconv.AppPermissionPolicyVersion),
		RuleID:        a.Str(semconv.AppPermissionRuleID),
		Enforced:      a.Str(semconv.AppPermissionEnforced),
		Raw:           a.Str(semconv.AppPermissionRaw),
	}
	switch d.Verdict {
	case semconv.AppPermissionDecisionAllow, semconv.AppPermissionDecisionDeny, semconv.AppPermissionDecisionAsk,
		semconv.AppPermissionDecisionModify, semconv.AppPermissionDecisionAbort:
	default:
		return
	}
	if d.ID == "" {
		d.Derived = true
		d.ID = derive("decision", callOrPlace(d.ToolCallID, src), d.DecidedBy)
	}
	f.Decisions = append(f.Decisions, d)
}

func effectOf(src Source, a Attrs, start int64) EffectStage {
	e := EffectStage{
		Source:         src,
		EffectID:       a.Str(semconv.AppEffectID),
		Stage:          a.Str(semconv.AppEffectStage),
		Tool:           a.Str(semconv.GenAIToolName),
		ToolCallID:     a.Str(semconv.GenAIToolCallID),
		Target:         a.Str(semconv.AppEffectTarget),
		Class:          a.Str(semconv.AppToolEffectClass),
		RequestDigest:  a.Str(semconv.AppEffectRequestDigest),
		ResultDigest:   a.Str(semconv.AppEffectResultDigest),
		IdempotencyKey: a.Str(semconv.AppEffectIdempotencyKey),
		ReceiptID:      a.Str(semconv.AppEffectReceiptID),
		ReportedBy:     a.Str(semconv.AppEffectReportedBy),
	}
	if n, ok := a.Int(semconv.AppEffectAttempt); ok && n > 0 {
		e.Attempt = n
	}
	if stageRank(e.Stage) < 0 {
		e.Stage = ""
	}
	if e.Stage == semconv.AppEffectStageIntent || e.Stage == semconv.AppEffectStageDispatched {
		e.Time = start
	}
	e.Derived = e.EffectID == ""
	e.TargetInferred = isInferred(a.Strings(semconv.AppMappingInferred), e.Target)
	return e
}

// deriveEffect identifies an effect that states no id. Ids of tool calls are
// unique only inside a conversation, so the trace goes with them.
func deriveEffect(e *EffectStage) string {
	if e.Target == "" && e.RequestDigest == "" {
		return derive("effect", e.Tenant, e.Step.Trace.String(), callOrPlace(e.ToolCallID, e.Source))
	}
	return derive("effect", e.Tenant, string(e.Task), e.Tool, e.Target, e.RequestDigest, e.IdempotencyKey)
}

// stageRank orders stages of one time; -1 is no stage.
func stageRank(stage string) int {
	switch stage {
	case semconv.AppEffectStageIntent:
		return 0
	case semconv.AppEffectStageDispatched:
		return 1
	case semconv.AppEffectStageAcked:
		return 2
	case semconv.AppEffectStageFailed:
		return 3
	case semconv.AppEffectStageReceipt:
		return 4
	case semconv.AppEffectStageVerified:
		return 5
	case semconv.AppEffectStageCompensated:
		return 6
	}
	return -1
}

// maybeWrites reports whether a tool of this class can change something; an
// unstated class says nothing, class unknown counts as able.
func maybeWrites(class string) bool {
	switch class {
	case semconv.AppToolEffectClassWrite, semconv.AppToolEffectClassDestructive,
		semconv.AppToolEffectClassExternal, semconv.AppToolEffectClassUnknown:
		return true
	}
	return false
}

func collectControl(f *Facts, src Source, a Attrs) {
	c := Control{
		Source: src,
		ID:     a.Str(semconv.AppControlID),
		Kind:   a.Str(semconv.AppControlKind),
		Layer:  a.Str(semconv.AppControlLayer),
		Phase:  a.Str(semconv.AppControlPhase),
	}
	if phaseRank(c.Phase) < 0 {
		return
	}
	if c.ID == "" {
		c.Derived = true
		place := string(src.Task)
		if place == "" {
			place = src.Step.Trace.String()
		}
		c.ID = derive("control", place, c.Kind)
	}
	f.Controls = append(f.Controls, c)
}

// phaseRank orders phases of one time; -1 is no phase.
func phaseRank(phase string) int {
	return slices.Index([]string{
		semconv.AppControlPhaseRequested, semconv.AppControlPhasePropagated, semconv.AppControlPhaseAcked,
		semconv.AppControlPhaseEffective, semconv.AppControlPhaseIgnored, semconv.AppControlPhaseLost,
	}, phase)
}

func collectClaim(f *Facts, src Source, a Attrs) {
	c := Claim{
		Source:  src,
		State:   a.Str(semconv.AppOutcome),
		By:      a.Str(semconv.AppClaimBy),
		Basis:   a.Strings(semconv.AppClaimBasis),
		Missing: a.Strings(semconv.AppClaimMissing),
	}
	switch c.State {
	case semconv.AppOutcomeCompleted, semconv.AppOutcomeFailed, semconv.AppOutcomeCancelled, semconv.AppOutcomeUnknown:
	default:
		return
	}
	if c.By == "" {
		c.By = "agent"
	}
	f.Claims = append(f.Claims, c)
}

func callOrPlace(call string, src Source) string {
	switch {
	case call != "":
		return "call:" + call
	case !src.Step.IsZero():
		return src.Step.String()
	case src.Record != (RecordID{}):
		return src.Record.String()
	}
	return string(src.Task)
}

// derive makes an id out of parts that cannot run into each other. It is long
// enough for the runs of one tenant and starts with the kind of thing it names.
func derive(kind string, parts ...string) string {
	h := sha256.New()
	var n [8]byte
	for _, p := range parts {
		binary.BigEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write([]byte(p))
	}
	return kind + "-" + hex.EncodeToString(h.Sum(nil)[:8])
}

func norm(s string) string { return strings.ToLower(strings.TrimSpace(s)) }
