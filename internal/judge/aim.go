package judge

import (
	"cmp"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// Name is something that a result names its subject by.
type Name struct{ key key }

// Aim looks for the subject of a result that has no step yet, in this order: the
// only step with the response id, the only step that produced the artifact, the
// only root of the task. It returns the names that a step may still come for;
// none if the verdict is final. Of several steps none is taken.
func (m *Memory) Aim(v *Verdict, a pcommon.Map, now time.Time) []Name {
	if v.Outcome == Linked || v.SubjectKind != "" && str(a, semconv.AppVerifierSubjectKind) != "" && v.SubjectKind != semconv.AppVerifierSubjectKindArtifact {
		return nil
	}
	v.identify() // the identity of a result is what it says, not what was found
	var wait []Name
	find := func(kind, id string) (target, bool) {
		if id == "" {
			return target{}, false
		}
		k := keyOf(kind, v.Tenant, id)
		t, ok := m.targets.get(k, m.since(now))
		if !ok {
			wait = append(wait, Name{k})
		}
		return t, ok && !t.many
	}
	stated := str(a, semconv.AppVerifierSubjectKind) != ""
	if !stated {
		if t, ok := find(ofResponse, v.ResponseID); ok {
			v.found(semconv.AppVerifierSubjectKindStep, t.step.String(), t, a)
			return nil
		}
	}
	// What joins its run by itself needs no step: the whole run knows better who
	// produced what than one collector at one moment.
	joins := v.Task != "" || v.Context.Trace != evidence.TraceID{}
	switch v.SubjectKind {
	case semconv.AppVerifierSubjectKindArtifact:
		if joins {
			break
		}
		if t, ok := find(ofArtifact, v.SubjectID); ok {
			v.found(v.SubjectKind, v.SubjectID, t, a)
			return nil
		}
	case "":
		if t, ok := find(ofTask, string(v.Task)); ok && !stated && v.ResponseID == "" && str(a, semconv.AppVerifierSubjectID) == "" {
			v.found(semconv.AppVerifierSubjectKindTask, string(v.Task), t, a)
			return nil
		}
	}
	return wait
}

func (v *Verdict) found(kind, id string, t target, a pcommon.Map) {
	v.Outcome, v.SubjectKind, v.SubjectID, v.Target = Found, kind, id, t.step
	if v.Context == v.Target {
		v.Context = evidence.StepID{}
	}
	v.complete(a)
}

// identify fixes the identity of the verdict.
func (v *Verdict) identify() {
	if v.id.IsZero() {
		v.id = v.ID()
	}
}

func (v *Verdict) subjectKey() key {
	return keyOf(ofSubject, v.Tenant, v.SubjectKind, cmp.Or(v.SubjectID, "?"))
}
