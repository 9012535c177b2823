package planted

import (
	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// decoy looks wrong and is not.
func (b *builder) decoy(parent *evidence.Span, agent string) {
	all := []happens{retried, contained, otherAgentCoped, denied, allowed, undone, mended, accepted, guarded, withinAuthority, stopped,
		sameCallElsewhere, reported, remoteCoped, modified, neverSent}
	asDecoy(all[b.rnd.IntN(len(all))])(b, parent, agent)
}

func asDecoy(event happens) happens {
	return func(b *builder, parent *evidence.Span, agent string) {
		was := b.inDecoy
		b.inDecoy = true
		event(b, parent, agent)
		b.inDecoy = was
	}
}

// retried: a failed call was made again and worked.
func retried(b *builder, parent *evidence.Span, _ string) {
	first := b.fail(b.open(parent, "execute_tool", "fetch", semconv.AppToolEffectClass, "read"), b.pick("timeout", "500", "rejected"))
	again := b.open(parent, "execute_tool", "fetch", semconv.AppToolEffectClass, "read")
	link(again, semconv.AppLinkRelationRetries, first)
	b.close(again)
}

// contained: a client failed below a tool that did not.
func contained(b *builder, parent *evidence.Span, _ string) {
	t := b.open(parent, "execute_tool", "test", semconv.AppToolEffectClass, "none")
	b.fail(b.http(t), b.pick("500", "timeout", ""))
	b.close(t)
}

// otherAgentCoped: an agent met an error and went on.
func otherAgentCoped(b *builder, parent *evidence.Span, _ string) {
	name := b.agent()
	sub := b.open(parent, "invoke_agent", name)
	b.fail(b.open(sub, b.pick("execute_tool", "chat"), "bash"), "exit_1")
	b.close(b.open(sub, "execute_tool", "bash", semconv.AppToolEffectClass, "none"))
	b.close(sub)
}

// denied: a call was denied, blocked, and that was accepted.
func denied(b *builder, parent *evidence.Span, _ string) {
	sub := b.open(parent, "invoke_agent", b.agent())
	t := b.open(sub, "execute_tool", "rm", semconv.AppToolEffectClass, "destructive")
	b.say(t, semconv.EventAppToolDecided, semconv.AppPermissionDecision, b.pick("deny", "abort"), semconv.AppPermissionDecidedBy, b.pick("policy", "user", "hook"),
		semconv.AppPermissionEnforced, "blocked")
	b.fail(t, b.pick("permission_denied", "denied"))
	b.close(sub)
}

// allowed: a question was answered, or an automatic refusal taken back by a person.
func allowed(b *builder, parent *evidence.Span, _ string) {
	t := b.open(parent, "execute_tool", "push", semconv.AppToolEffectClass, "none")
	b.record(t, semconv.EventAppToolDecided, semconv.AppPermissionDecision, b.pick("ask", "deny"), semconv.AppPermissionDecidedBy, "auto")
	b.record(t, semconv.EventAppToolDecided, semconv.AppPermissionDecision, "allow", semconv.AppPermissionDecidedBy, "user")
	b.close(t)
}

// undone: an effect happened and was compensated.
func undone(b *builder, parent *evidence.Span, _ string) {
	t := b.open(parent, "execute_tool", "book", semconv.AppToolEffectClass, "external")
	id := b.id("effect")
	b.record(t, semconv.EventAppEffectRecorded, semconv.AppEffectID, id, semconv.AppEffectStage, "dispatched")
	b.record(t, semconv.EventAppEffectRecorded, semconv.AppEffectID, id, semconv.AppEffectStage, "receipt")
	b.close(t)
	u := b.open(parent, "execute_tool", "cancel_booking", semconv.AppToolEffectClass, "external")
	b.record(u, semconv.EventAppEffectRecorded, semconv.AppEffectID, id, semconv.AppEffectStage, "compensated")
	b.close(u)
}

// mended: an effect was lost, and a later attempt with the same key has the receipt.
func mended(b *builder, parent *evidence.Span, _ string) {
	id, key := b.id("effect"), b.id("key")
	for n := range 2 {
		t := b.open(parent, "execute_tool", "deploy", semconv.AppToolEffectClass, "external", semconv.AppEffectAttempt, int64(n+1))
		b.record(t, semconv.EventAppEffectRecorded, semconv.AppEffectID, id, semconv.AppEffectStage, "dispatched", semconv.AppEffectIdempotencyKey, key)
		if n == 0 {
			b.fail(t, "timeout")
			continue
		}
		b.record(t, semconv.EventAppEffectRecorded, semconv.AppEffectID, id, semconv.AppEffectStage, "receipt", semconv.AppEffectIdempotencyKey, key)
		b.close(t)
	}
}

// accepted: a verifier failed a step and later passed it.
func accepted(b *builder, parent *evidence.Span, _ string) {
	t := b.close(b.open(parent, "execute_tool", "build", semconv.AppToolEffectClass, "none"))
	for _, verdict := range []string{"fail", "pass"} {
		b.record(nil, semconv.EventGenAIEvaluationResult, semconv.AppVerifierName, "tests", semconv.AppVerifierVersion, "1", semconv.AppVerifierVerdict, verdict,
			semconv.AppVerifierSubjectKind, "step", semconv.AppVerifierSubjectID, t.ID.String(), semconv.AppTaskID, b.rootAt.Attrs.Str(semconv.AppTaskID))
	}
}

// guarded: a guard let a call through.
func guarded(b *builder, parent *evidence.Span, _ string) {
	t := b.open(parent, "execute_tool", "edit", semconv.AppToolEffectClass, "none")
	b.close(b.open(t, "", "hook", semconv.AppExtensionKind, "hook", semconv.AppExtensionDecision, "invoked"))
	b.close(t)
}

// withinAuthority: a narrower delegation, used inside its resource.
func withinAuthority(b *builder, parent *evidence.Span, _ string) {
	wide, narrow := b.id("delegation"), b.id("delegation")
	a := b.open(parent, "invoke_agent", b.agent(), semconv.AppAuthorityDelegationID, wide, semconv.AppAuthorityResource, "repo/a",
		semconv.AppAuthorityOperations, []any{"read", "write"})
	c := b.open(a, "invoke_agent", b.agent(), semconv.AppAuthorityDelegationID, narrow, semconv.AppAuthorityDelegationParentID, wide,
		semconv.AppAuthorityResource, "repo/a", semconv.AppAuthorityOperations, []any{"write"})
	b.write(c)
	b.close(c)
	b.close(a)
}

// stopped: a branch was cancelled and stopped.
func stopped(b *builder, parent *evidence.Span, _ string) {
	id := b.id("control")
	sub := b.open(parent, "invoke_agent", b.agent())
	t := b.open(sub, "execute_tool", "watch", semconv.AppToolEffectClass, "read")
	b.control(t, id, "cancel", "user", "requested")
	b.control(t, id, "cancel", "tool", "effective")
	b.fail(t, "cancelled")
	b.close(sub)
}

func (b *builder) control(s *evidence.Span, id, kind, layer, phase string) {
	b.record(s, semconv.EventAppControlChanged, semconv.AppControlID, id, semconv.AppControlKind, kind, semconv.AppControlLayer, layer, semconv.AppControlPhase, phase)
}
