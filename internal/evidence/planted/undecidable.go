package planted

import (
	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// undecidable returns runs of which nobody can say who was wrong first.
func undecidable() []plan {
	var out []plan
	add := func(name, claim string, failing bool, event happens) {
		out = append(out, plan{"undecidable, " + name, func(b *builder) {
			b.tell(telling{event: event, claim: claim, failing: failing})
			b.unknown()
		}, false})
	}
	add("a cancel whose end is not seen", "completed", false, func(b *builder, p *evidence.Span, _ string) {
		id := b.id("control")
		b.control(b.rootAt, id, "cancel", "user", "requested")
		b.control(p, id, "cancel", "agent", "propagated")
	})
	add("a denial of which nothing more is seen", "completed", false, func(b *builder, p *evidence.Span, _ string) {
		t := b.open(p, "execute_tool", "rm", semconv.AppToolEffectClass, "none")
		b.say(t, semconv.EventAppToolDecided, semconv.AppPermissionDecision, "deny", semconv.AppPermissionDecidedBy, "policy")
		b.fail(t, "exit_1")
	})
	add("a claim of failure without a cause", "failed", false, func(b *builder, p *evidence.Span, a string) { b.acts(p, a) })
	add("a verdict that could not say", "completed", false, func(b *builder, p *evidence.Span, _ string) {
		b.verdict(b.close(b.open(p, "execute_tool", "edit")), "judge", "1", "unknown")
	})
	add("a verdict on what is not here", "completed", false, func(b *builder, _ *evidence.Span, _ string) {
		b.record(nil, semconv.EventGenAIEvaluationResult, semconv.AppVerifierName, "tests", semconv.AppVerifierVersion, "1", semconv.AppVerifierVerdict, "fail",
			semconv.AppVerifierSubjectKind, b.pick("artifact", "effect", "step"), semconv.AppVerifierSubjectID, b.id("nowhere"),
			semconv.AppTaskID, b.rootAt.Attrs.Str(semconv.AppTaskID))
	})
	add("a verdict on the task as a whole", "completed", false, func(b *builder, p *evidence.Span, _ string) {
		b.record(p, semconv.EventGenAIEvaluationResult, semconv.AppVerifierName, "tests", semconv.AppVerifierVersion, "1", semconv.AppVerifierVerdict, "fail",
			semconv.AppVerifierSubjectKind, "task", semconv.AppVerifierSubjectID, b.rootAt.Attrs.Str(semconv.AppTaskID))
	})
	add("a pause without an end", "", false, func(b *builder, p *evidence.Span, _ string) {
		b.control(p, b.id("control"), "pause", "agent", "effective")
	})
	add("a remote task that did not end", "completed", false, func(b *builder, p *evidence.Span, _ string) {
		b.close(b.open(p, "", "send", semconv.AppProtocolName, "a2a", semconv.AppExternalTaskID, b.id("remote"), semconv.AppExternalTaskState, b.pick("working", "submitted", "unknown")))
	})
	add("an effect without a span", "completed", false, func(b *builder, _ *evidence.Span, _ string) {
		b.record(nil, semconv.EventAppEffectRecorded, semconv.AppEffectID, b.id("effect"), semconv.AppEffectStage, "dispatched", semconv.AppToolEffectClass, "write",
			semconv.AppTaskID, b.rootAt.Attrs.Str(semconv.AppTaskID))
	})
	add("a run that failed after a denial", "failed", true, asDecoy(func(b *builder, p *evidence.Span, _ string) {
		t := b.open(p, "execute_tool", "rm", semconv.AppToolEffectClass, "none")
		b.say(t, semconv.EventAppToolDecided, semconv.AppPermissionDecision, "deny", semconv.AppPermissionDecidedBy, "policy", semconv.AppPermissionEnforced, "blocked")
		b.fail(t, "permission_denied")
	}))
	return out
}
