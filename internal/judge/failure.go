package judge

import (
	"slices"
	"time"
	"unique"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// failure is a failing verdict on something of a task, so much of it as a sampler
// needs if the task is claimed completed later.
type failure struct {
	id                        evidence.StepID // of the verdict span
	target                    evidence.StepID
	subjectKind, subjectID    string
	task, parent, root        string // that the verdict states
	verifier, version, metric unique.Handle[string]
	start, end                int64
}

func (f *failure) by(v *Verdict) bool {
	return f.subjectKind == v.SubjectKind && f.subjectID == v.SubjectID && f.verifier.Value() == v.Verifier && f.version.Value() == v.Version && f.metric.Value() == v.Metric
}

// tasks are the task of a verdict and those above it that the record names.
func (v *Verdict) tasks() []evidence.TaskID {
	var out []evidence.TaskID
	for _, t := range [...]evidence.TaskID{v.Task, v.ParentTask, v.RootTask} {
		if t != "" && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// hold remembers a failing verdict for a claim to come, and forgets those that a
// pass answers.
func (m *Memory) hold(v *Verdict, pass bool, now time.Time) {
	for _, task := range v.tasks() {
		k := keyOf(ofTask, v.Tenant, string(task))
		old, known := m.failures.get(k, m.since(now))
		if pass && !known {
			continue // nothing to forget
		}
		all := slices.DeleteFunc(slices.Clone(old), func(f failure) bool { return f.by(v) })
		if !pass {
			if len(all) >= maxOpinions {
				all = all[1:]
			}
			all = append(all, failure{
				v.ID(), v.Target, v.SubjectKind, v.SubjectID, string(v.Task), string(v.ParentTask), string(v.RootTask),
				unique.Make(v.Verifier), unique.Make(v.Version), unique.Make(v.Metric), v.Start.UnixNano(), v.End.UnixNano(),
			})
		}
		m.failures.put(k, all, now)
	}
}

// Denied is a failing verdict whose task was claimed completed after it.
type Denied struct {
	tenant  string
	failure failure
	task    string // that is claimed
	claim   claim
}

// denied returns the failing verdicts on a task that is claimed completed now,
// and forgets them: the claim is repeated to each of them once.
func (m *Memory) denied(tenant, task string, c claim, now time.Time) (out []Denied) {
	k := keyOf(ofTask, tenant, task)
	all, _ := m.failures.get(k, m.since(now))
	for _, f := range all {
		out = append(out, Denied{tenant, f, task, c})
	}
	if len(all) > 0 {
		m.failures.put(k, nil, now)
	}
	return out
}

// Return remembers failing verdicts that could not be stated again.
func (m *Memory) Return(all []Denied, now time.Time) {
	for i := range all {
		d := &all[i]
		k := keyOf(ofTask, d.tenant, d.task)
		old, _ := m.failures.get(k, m.since(now))
		m.failures.put(k, append(slices.Clone(old), d.failure), now)
	}
}

// AddDenied states a verdict again, under its own id, with the claim that
// contradicts it as an event. A store makes one span of both statements.
func (b *Batch) AddDenied(d *Denied) {
	f := &d.failure
	rs := b.Traces.ResourceSpans().AppendEmpty()
	if d.tenant != "" {
		rs.Resource().Attributes().PutStr(semconv.TenantID, d.tenant)
	}
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName(Scope)
	s := ss.Spans().AppendEmpty()
	s.SetTraceID(pcommon.TraceID(f.id.Trace))
	s.SetSpanID(pcommon.SpanID(f.id.Span))
	s.SetName(spanNameOf(f.metric.Value()))
	s.SetKind(ptrace.SpanKindInternal)
	s.SetStartTimestamp(stamp(time.Unix(0, f.start)))
	s.SetEndTimestamp(stamp(time.Unix(0, f.end)))
	for _, kv := range [...][2]string{
		{semconv.AppTaskID, f.task}, {semconv.AppTaskParentID, f.parent}, {semconv.AppTaskRootID, f.root}, {semconv.AppTaskPhase, semconv.AppTaskPhaseVerify}, {semconv.AppVerifierName, f.verifier.Value()}, {semconv.AppVerifierVersion, f.version.Value()},
		{semconv.AppVerifierVerdict, semconv.AppVerifierVerdictFail}, {semconv.AppVerifierSubjectKind, f.subjectKind}, {semconv.AppVerifierSubjectID, f.subjectID},
		{semconv.GenAIEvaluationName, f.metric.Value()},
	} {
		if kv[1] != "" {
			s.Attributes().PutStr(kv[0], kv[1])
		}
	}
	link(s, f.target, semconv.AppLinkRelationEvaluates)
	repeatClaim(s, d.task, d.claim)
	b.begun = false
}

func repeatClaim(s ptrace.Span, task string, c claim) {
	e := s.Events().AppendEmpty()
	e.SetName(semconv.EventAppTaskEnded)
	e.SetTimestamp(pcommon.Timestamp(max(c.time, 0)))
	e.Attributes().PutStr(semconv.AppTaskID, task)
	e.Attributes().PutStr(semconv.AppOutcome, semconv.AppOutcomeCompleted)
	if by := c.by.Value(); by != "" {
		e.Attributes().PutStr(semconv.AppClaimBy, by)
	}
}
