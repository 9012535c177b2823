package judge

import (
	"time"
	"unique"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// Limits bound what is remembered.
type Limits struct {
	Targets int           // steps, and as many subjects, results and claims
	Window  time.Duration // how long each of them is remembered
}

// Memory knows which steps were seen, by what they can be named with, and what
// was said of which subject. It is not safe for concurrent use.
type Memory struct {
	limits   Limits
	targets  *ring[target]
	opinions *ring[[]opinion]
	claims   *ring[claim]
	failures *ring[[]failure] // by task
	counted  *ring[struct{}]
}

// target is the only step that a name was seen on; many says that there are more.
type target struct {
	step evidence.StepID
	many bool
}

// claim says that a task is claimed completed.
type claim struct {
	by   unique.Handle[string]
	time int64
}

// NewMemory remembers nothing yet.
func NewMemory(l Limits) *Memory {
	return &Memory{
		limits: l, targets: newRing[target](l.Targets), opinions: newRing[[]opinion](l.Targets),
		claims: newRing[claim](l.Targets), failures: newRing[[]failure](l.Targets), counted: newRing[struct{}](l.Targets),
	}
}

// Targets is the number of names that are remembered.
func (m *Memory) Targets() int { return m.targets.len() }

func (m *Memory) since(now time.Time) time.Time { return now.Add(-m.limits.Window) }

// See notes by what a step can be named later: the id of its response, the hash
// or id of the artifact that it produced, and of a root its task. It returns the
// names that are new, for which results may be waiting, and failing verdicts that
// the span's claim contradicts.
func (m *Memory) See(tenant string, s ptrace.Span, now time.Time) ([]Name, []Denied) {
	a := s.Attributes()
	id := evidence.StepID{Trace: evidence.TraceID(s.TraceID()), Span: evidence.SpanID(s.SpanID())}
	if id.IsZero() || judgesAnother(s) {
		return nil, nil
	}
	var names []Name
	note := func(kind, value string) {
		if value == "" {
			return
		}
		k := keyOf(kind, tenant, value)
		old, known := m.targets.get(k, m.since(now))
		switch {
		case !known:
			m.targets.put(k, target{step: id}, now)
			names = append(names, Name{k})
		case old.step != id && !old.many:
			m.targets.put(k, target{step: old.step, many: true}, now)
		}
	}
	note(ofResponse, str(a, semconv.GenAIResponseID))
	if str(a, semconv.AppArtifactRole) != semconv.AppArtifactRoleConsumed {
		note(ofArtifact, str(a, semconv.AppArtifactHash))
		note(ofArtifact, str(a, semconv.AppArtifactID))
	}
	if s.ParentSpanID().IsEmpty() {
		note(ofTask, str(a, semconv.AppTaskID))
	}
	return names, m.SeeClaim(tenant, a, int64(s.EndTimestamp()), now)
}

// SeeClaim notes that a task is claimed completed, and returns the failing
// verdicts that this contradicts.
func (m *Memory) SeeClaim(tenant string, a pcommon.Map, at int64, now time.Time) []Denied {
	outcome := str(a, semconv.AppOutcome)
	if outcome == "" {
		return nil
	}
	task := str(a, semconv.AppTaskID)
	if task == "" {
		return nil
	}
	switch outcome {
	case semconv.AppOutcomeCompleted:
		c := claim{unique.Make(str(a, semconv.AppClaimBy)), max(at, 1)}
		m.claims.put(keyOf(ofTask, tenant, task), c, now)
		return m.denied(tenant, task, c, now)
	case semconv.AppOutcomeFailed, semconv.AppOutcomeCancelled, semconv.AppOutcomeUnknown:
		m.claims.put(keyOf(ofTask, tenant, task), claim{}, now) // taken back
	}
	return nil
}

// judgesAnother reports whether a span names things only because it judges them.
func judgesAnother(s ptrace.Span) bool {
	_, any := judgedBy(s)
	return any || str(s.Attributes(), semconv.AppTaskPhase) == semconv.AppTaskPhaseVerify
}

// judgedBy returns the one step that a span says it judges.
func judgedBy(s ptrace.Span) (id evidence.StepID, any bool) {
	for _, l := range s.Links().All() {
		switch str(l.Attributes(), semconv.AppLinkRelation) {
		case semconv.AppLinkRelationEvaluates, semconv.AppLinkRelationVerifies:
		default:
			continue
		}
		to := evidence.StepID{Trace: evidence.TraceID(l.TraceID()), Span: evidence.SpanID(l.SpanID())}
		if any && to != id {
			return evidence.StepID{}, true // several: which of them is not said
		}
		id, any = to, true
	}
	return id, any
}
