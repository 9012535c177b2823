package judge

import (
	"cmp"
	"encoding/hex"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// place finds the subject among what the record states. A stated subject wins;
// else the record's own span; else an artifact (hash before id); else an effect.
// A task is a subject only where the record says so: its id alone may mean no
// more than where the evaluation ran.
func (v *Verdict) place(a pcommon.Map, lr plog.LogRecord) {
	ctx := evidence.StepID{Trace: evidence.TraceID(lr.TraceID()), Span: evidence.SpanID(lr.SpanID())}
	if ctx.Trace == (evidence.TraceID{}) {
		ctx = evidence.StepID{}
	}
	v.SubjectKind, v.SubjectID = stated(a, ctx)
	if v.SubjectKind == "" {
		v.SubjectKind, v.SubjectID = implied(a, ctx)
	}
	if v.SubjectKind == semconv.AppVerifierSubjectKindStep {
		if v.Target = parseStep(v.SubjectID, ctx.Trace); !v.Target.IsZero() {
			v.SubjectID = v.Target.String()
		}
	}
	if ctx != v.Target {
		v.Context = ctx
	}
	switch {
	case !v.Target.IsZero():
		v.Outcome = Linked
	case v.SubjectKind != "" && v.SubjectID != "":
		v.Outcome = Named
	default:
		v.Outcome = Orphan
	}
}

// stated reads app.verifier.subject.*. A kind without an id takes the id that
// the record states for that kind; an id without a kind names nothing.
func stated(a pcommon.Map, ctx evidence.StepID) (kind, id string) {
	id = str(a, semconv.AppVerifierSubjectID)
	switch kind = str(a, semconv.AppVerifierSubjectKind); kind {
	case semconv.AppVerifierSubjectKindStep:
		return kind, cmp.Or(id, stepText(ctx))
	case semconv.AppVerifierSubjectKindArtifact:
		return kind, cmp.Or(id, str(a, semconv.AppArtifactHash), str(a, semconv.AppArtifactID))
	case semconv.AppVerifierSubjectKindEffect:
		return kind, cmp.Or(id, str(a, semconv.AppEffectID))
	case semconv.AppVerifierSubjectKindTask:
		return kind, cmp.Or(id, str(a, semconv.AppTaskID))
	}
	return "", ""
}

func implied(a pcommon.Map, ctx evidence.StepID) (kind, id string) {
	if s := stepText(ctx); s != "" {
		return semconv.AppVerifierSubjectKindStep, s
	}
	if s := cmp.Or(str(a, semconv.AppArtifactHash), str(a, semconv.AppArtifactID)); s != "" {
		return semconv.AppVerifierSubjectKindArtifact, s
	}
	if s := str(a, semconv.AppEffectID); s != "" {
		return semconv.AppVerifierSubjectKindEffect, s
	}
	return "", ""
}

// parseStep reads "<32 hex>/<16 hex>", or the span alone inside the record's own
// trace; anything else is no step.
func parseStep(s string, own evidence.TraceID) evidence.StepID {
	id := evidence.StepID{Trace: own}
	trace, span, both := strings.Cut(s, "/")
	if !both {
		trace, span = "", s
	}
	if (both && !readHex(id.Trace[:], trace)) || !readHex(id.Span[:], span) || id.Trace == (evidence.TraceID{}) || id.IsZero() {
		return evidence.StepID{}
	}
	return id
}

func readHex(into []byte, s string) bool {
	if len(s) != 2*len(into) {
		return false
	}
	_, err := hex.Decode(into, []byte(s))
	return err == nil
}

func stepText(s evidence.StepID) string {
	if s.IsZero() {
		return ""
	}
	return s.String()
}

func taskID(a pcommon.Map, key string) evidence.TaskID { return evidence.TaskID(str(a, key)) }
