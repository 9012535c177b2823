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
	var d drawer
	d.row.read(s.Attrs, s.Links)
	f := d.factsOf(s)
	nameEffects(f.Effects)
	return f
}

// drawer draws facts from one row after the other. Facts of one kind lie in
// pieces of memory that they share: a run has thousands.
type drawer struct {
	row       row // of the span or record
	event     row
	decisions []Decision
	effects   []EffectStage
	protocols []Protocol
}

// one returns a list of one, out of a piece of memory for many. More than one is
// appended to memory of its own.
func one[T any](piece *[]T, v T) []T {
	n := len(*piece)
	if n == cap(*piece) {
		*piece, n = make([]T, 0, min(2*n+1, 256)), 0
	}
	*piece = append(*piece, v)
	return (*piece)[n : n+1 : n+1]
}

func add[T any](list []T, piece *[]T, v T) []T {
	if list == nil {
		return one(piece, v)
	}
	return append(list, v)
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
func (d *drawer) factsOf(s *Span) Facts {
	var f Facts
	if d.row.has&facts != 0 {
		src := Source{Tenant: s.Tenant, Step: s.ID, Task: TaskID(d.row.str(slotTask)), Time: s.End}
		d.collect(&f, &d.row, src, s.Start, spanFailed(s))
		if len(f.Verdicts) > 0 {
			subjectFromLinks(f.Verdicts, s.Links)
		}
	}
	d.factsOfEvents(&f, s)
	return f
}

// FactsOfEvents returns what a span states in its events that have a canonical
// name: the last of what FactsOf returns.
func FactsOfEvents(s *Span) Facts {
	var d drawer
	var f Facts
	d.factsOfEvents(&f, s)
	nameEffects(f.Effects)
	return f
}

func (d *drawer) factsOfEvents(f *Facts, s *Span) {
	for i := range s.Events {
		e := &s.Events[i]
		if !canonicalEvent(e.Name) {
			continue
		}
		d.event.read(e.Attrs, nil)
		d.event.has |= groupsOfEvent(e.Name)
		src := Source{Tenant: s.Tenant, Step: s.ID, Task: TaskID(d.event.str(slotTask)), Time: e.Time}
		if src.Task == "" {
			src.Task = s.Task()
		}
		at := len(f.Verdicts)
		d.collect(f, &d.event, src, e.Time, d.event.str(slotError) != "")
		subjectFromLinks(f.Verdicts[at:], s.Links)
	}
}

// FactsOfRecord returns what a log record states. A record without trace
// context belongs to the task it names.
func FactsOfRecord(r *Record) Facts {
	var d drawer
	d.row.read(r.Attrs, nil)
	f := d.factsOfRecord(r)
	nameEffects(f.Effects)
	return f
}

func (d *drawer) factsOfRecord(r *Record) Facts {
	var f Facts
	d.row.has |= groupsOfEvent(r.Event)
	if d.row.has&facts != 0 {
		src := Source{Tenant: r.Tenant, Step: r.Step, Record: r.ID, Task: TaskID(d.row.str(slotTask)), Time: r.Time}
		d.collect(&f, &d.row, src, r.Time, d.row.str(slotError) != "")
	}
	return f
}

func (d *drawer) collect(f *Facts, r *row, src Source, start int64, failed bool) {
	if r.has&hasDecision != 0 {
		if v, ok := decisionOf(src, r); ok {
			f.Decisions = add(f.Decisions, &d.decisions, v)
		}
	}
	if r.has&hasEffect != 0 {
		f.Effects = add(f.Effects, &d.effects, effectOf(src, r, start))
	}
	if r.has&hasControl != 0 {
		collectControl(f, src, r)
	}
	if r.has&hasVerdict != 0 {
		f.Verdicts = append(f.Verdicts, verdictOf(src, r.attrs))
	}
	if r.has&hasClaim != 0 {
		collectClaim(f, src, r)
	}
	if r.has&hasProtocol != 0 {
		f.Protocols = add(f.Protocols, &d.protocols, protocolOf(src, r, failed))
	}
	if r.has&hasExtension != 0 {
		f.Extensions = append(f.Extensions, extensionOf(src, r.attrs))
	}
}

func decisionOf(src Source, r *row) (Decision, bool) {
	d := Decision{
		Source:        src,
		ID:            r.str(slotDecisionID),
		ToolCallID:    r.str(slotCall),
		Verdict:       r.str(slotDecision),
		DecidedBy:     r.str(slotDecidedBy),
		Scope:         r.str(slotScope),
		PolicyID:      r.str(slotPolicy),
		PolicyVersion: r.str(slotPolicyVersion),
		RuleID:        r.str(slotRule),
		Enforced:      r.str(slotEnforced),
		Raw:           r.str(slotRaw),
	}
	switch d.Verdict {
	case semconv.AppPermissionDecisionAllow, semconv.AppPermissionDecisionDeny, semconv.AppPermissionDecisionAsk,
		semconv.AppPermissionDecisionModify, semconv.AppPermissionDecisionAbort:
	default:
		return d, false
	}
	if d.ID == "" {
		d.Derived = true
		d.ID = derive("decision", callOrPlace(d.ToolCallID, src), d.DecidedBy)
	}
	return d, true
}

func effectOf(src Source, r *row, start int64) EffectStage {
	e := EffectStage{
		Source:         src,
		EffectID:       r.str(slotEffect),
		Stage:          r.str(slotStage),
		Tool:           r.str(slotTool),
		ToolCallID:     r.str(slotCall),
		Target:         r.str(slotTarget),
		Class:          r.str(slotClass),
		RequestDigest:  r.str(slotRequest),
		ResultDigest:   r.str(slotResult),
		IdempotencyKey: r.str(slotKey),
		ReceiptID:      r.str(slotReceipt),
		ReportedBy:     r.str(slotReportedBy),
	}
	if n, ok := r.attrs.Int(semconv.AppEffectAttempt); ok && n > 0 {
		e.Attempt = n
	}
	if stageRank(e.Stage) < 0 {
		e.Stage = ""
	}
	if e.Stage == semconv.AppEffectStageIntent || e.Stage == semconv.AppEffectStageDispatched {
		e.Time = start
	}
	e.Derived = e.EffectID == ""
	e.TargetInferred = r.lists && e.Target != "" && isInferred(r.attrs.Strings(semconv.AppMappingInferred), e.Target)
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

func collectControl(f *Facts, src Source, r *row) {
	c := Control{
		Source: src,
		ID:     r.str(slotControl),
		Kind:   r.str(slotControlKind),
		Layer:  r.str(slotControlLayer),
		Phase:  r.str(slotControlPhase),
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

func collectClaim(f *Facts, src Source, r *row) {
	c := Claim{
		Source:  src,
		State:   r.str(slotOutcome),
		By:      r.str(slotClaimBy),
		Basis:   r.attrs.Strings(semconv.AppClaimBasis),
		Missing: r.attrs.Strings(semconv.AppClaimMissing),
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
	var room [512]byte
	b := room[:0]
	for _, p := range parts {
		b = binary.BigEndian.AppendUint64(b, uint64(len(p)))
		b = append(b, p...)
	}
	sum := sha256.Sum256(b)
	b = append(append(room[:0], kind...), '-')
	return string(hex.AppendEncode(b, sum[:8]))
}

func norm(s string) string { return strings.ToLower(strings.TrimSpace(s)) }
