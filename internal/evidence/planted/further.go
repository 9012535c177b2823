package planted

import (
	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// remote opens a trace that another agent does work in for an open step.
func (b *builder) remote(from *evidence.Span, relation, name, task string) *evidence.Span {
	r := b.trace("invoke_agent", name, task)
	link(r, relation, from)
	return r
}

// distantFaults reach over traces: what is broken and what it broke are stated
// in different ones.
func distantFaults(ends, silent func(string, happens)) {
	ends("an error behind an MCP server with a trace of its own", func(b *builder, p *evidence.Span, agent string) {
		t := b.open(p, "execute_tool", "query", semconv.AppToolEffectClass, "read")
		c := b.mcp(t)
		server := b.trace("", "tools/call", b.rootAt.Attrs.Str(semconv.AppTaskID), semconv.MCPMethodName, "tools/call")
		server.Kind = "server"
		link(server, semconv.AppLinkRelationCrossesBoundary, c)
		db := b.fail(b.http(server), "500")
		b.fail(server, "tool_error")
		b.fail(c, "tool_error")
		b.fail(t, "")
		b.blame(db, agent, "infrastructure", "error", false)
	})
	silent("a delegation that is wider than its parent in another trace", func(b *builder, p *evidence.Span, _ string) {
		narrow, wide, name := b.id("delegation"), b.id("delegation"), b.agent()
		a := b.open(p, "invoke_agent", b.agent(), semconv.AppAuthorityDelegationID, narrow, semconv.AppAuthorityAudience, "staging")
		r := b.remote(a, semconv.AppLinkRelationDelegatedFrom, name, b.newTask())
		set(r, semconv.AppTaskParentID, b.rootAt.Attrs.Str(semconv.AppTaskID), semconv.AppAuthorityDelegationID, wide,
			semconv.AppAuthorityDelegationParentID, narrow, semconv.AppAuthorityAudience, "production")
		b.acts(r, name)
		b.blame(b.close(r), name, "policy", "authority_violation", true)
		b.close(a)
	})
	silent("a target outside an authority of another trace", func(b *builder, p *evidence.Span, _ string) {
		name := b.agent()
		a := b.open(p, "invoke_agent", b.agent(), semconv.AppAuthorityResource, "org/a")
		r := b.remote(a, semconv.AppLinkRelationDelegatedFrom, name, b.newTask())
		set(r, semconv.AppTaskParentID, b.rootAt.Attrs.Str(semconv.AppTaskID))
		t := b.open(r, "execute_tool", "edit", semconv.AppToolEffectClass, "write", semconv.AppEffectTarget, "org/b/x")
		b.record(t, semconv.EventAppEffectRecorded, semconv.AppEffectID, b.id("effect"), semconv.AppEffectStage, "receipt")
		b.blame(b.close(t), name, "policy", "authority_violation", true)
		b.close(r)
		b.close(a)
	})
	silent("a bypass told of by its call alone", func(b *builder, p *evidence.Span, agent string) {
		t := b.open(p, "execute_tool", "rm", semconv.AppToolEffectClass, "none", semconv.AppTaskID, b.rootAt.Attrs.Str(semconv.AppTaskID))
		b.record(nil, semconv.EventAppToolDecided, semconv.AppPermissionDecision, "deny", semconv.AppPermissionDecidedBy, "policy",
			semconv.GenAIToolCallID, t.Attrs.Str(semconv.GenAIToolCallID), semconv.AppTaskID, b.rootAt.Attrs.Str(semconv.AppTaskID))
		b.blame(b.close(t), agent, "policy", "authority_violation", true)
	})
	silent("an effect lost in another trace", func(b *builder, p *evidence.Span, _ string) {
		name := b.agent()
		a := b.open(p, "execute_tool", "delegate", semconv.AppToolEffectClass, "none")
		r := b.remote(a, semconv.AppLinkRelationSubmittedBy, name, b.rootAt.Attrs.Str(semconv.AppTaskID))
		t := b.open(r, "execute_tool", "deploy", semconv.AppToolEffectClass, "external")
		b.record(t, semconv.EventAppEffectRecorded, semconv.AppEffectID, b.id("effect"), semconv.AppEffectStage, b.pick("dispatched", "acked"))
		b.blame(b.fail(t, "timeout"), name, "tool", "unknown_effect", false)
		b.close(r)
		b.close(a)
	})
	silent("a cancel that a remote agent ignored", func(b *builder, p *evidence.Span, _ string) {
		id, name := b.id("control"), b.agent()
		a := b.open(p, "invoke_agent", name, semconv.AppProtocolName, "a2a")
		r := b.remote(a, semconv.AppLinkRelationDelegatedFrom, name, b.newTask())
		set(r, semconv.AppTaskParentID, b.rootAt.Attrs.Str(semconv.AppTaskID))
		b.control(b.rootAt, id, "cancel", "user", "requested")
		b.control(a, id, "cancel", "a2a", "propagated")
		b.say(r, semconv.EventAppControlChanged, semconv.AppControlID, id, semconv.AppControlKind, "cancel", semconv.AppControlLayer, "agent", semconv.AppControlPhase, "ignored")
		b.blame(b.close(r), name, "agent", "cancel_ignored", true)
		b.close(a)
	})
	silent("a verdict of a verifying agent", func(b *builder, p *evidence.Span, agent string) {
		id := b.id("artifact")
		t := b.close(b.open(p, "execute_tool", "edit", semconv.AppArtifactID, id, semconv.AppArtifactRole, "produced"))
		class := "verifier_fail"
		if b.claimed == "completed" {
			class = "verifier_disagreement"
		}
		b.blame(t, agent, "agent", class, true)
		v := b.trace("invoke_agent", b.agent(), b.rootAt.Attrs.Str(semconv.AppTaskID), semconv.AppTaskPhase, "verify")
		link(v, semconv.AppLinkRelationVerifies, p)
		b.close(b.open(v, "chat", "model"))
		b.close(b.open(v, "", "evaluate", semconv.AppVerifierName, "tests", semconv.AppVerifierVersion, "1", semconv.AppVerifierVerdict, "fail",
			semconv.AppVerifierSubjectKind, "artifact", semconv.AppVerifierSubjectID, id))
		b.close(v)
	})
}

// sameCallElsewhere: a call was denied and blocked; another task used its id for
// a call that ran.
func sameCallElsewhere(b *builder, parent *evidence.Span, _ string) {
	sub := b.open(parent, "invoke_agent", b.agent())
	call := b.id("call")
	t := b.open(sub, "execute_tool", "rm", semconv.GenAIToolCallID, call)
	b.record(t, semconv.EventAppToolDecided, semconv.AppPermissionDecision, "deny", semconv.AppPermissionDecidedBy, "policy", semconv.AppPermissionEnforced, "blocked",
		semconv.GenAIToolCallID, call)
	b.fail(t, "denied")
	r := b.remote(sub, semconv.AppLinkRelationDelegatedFrom, b.agent(), b.newTask())
	set(r, semconv.AppTaskParentID, b.rootAt.Attrs.Str(semconv.AppTaskID))
	b.close(b.open(r, "execute_tool", "ls", semconv.GenAIToolCallID, call))
	b.close(r)
	b.close(sub)
}

// reported: the executor's word is no receipt, and no fault either.
func reported(b *builder, parent *evidence.Span, _ string) {
	b.close(b.open(parent, "execute_tool", "edit", semconv.AppToolEffectClass, "write", semconv.AppEffectTarget, "repo/"+b.id("file")))
}

// remoteCoped: a remote agent failed, and the step that waited for it did not.
func remoteCoped(b *builder, parent *evidence.Span, _ string) {
	a := b.open(parent, "execute_tool", "delegate", semconv.AppToolEffectClass, "none")
	r := b.remote(a, semconv.AppLinkRelationDelegatedFrom, b.agent(), b.newTask())
	set(r, semconv.AppTaskParentID, b.rootAt.Attrs.Str(semconv.AppTaskID))
	b.fail(b.open(r, "chat", "model"), "overloaded")
	b.fail(r, "")
	b.close(a)
}

// modified: a call was changed before it ran.
func modified(b *builder, parent *evidence.Span, _ string) {
	t := b.open(parent, "execute_tool", "push", semconv.AppToolEffectClass, "none")
	b.say(t, semconv.EventAppToolDecided, semconv.AppPermissionDecision, "modify", semconv.AppPermissionDecidedBy, "hook")
	b.close(t)
}

// neverSent: a request that never left, and a later one that did.
func neverSent(b *builder, parent *evidence.Span, _ string) {
	sub := b.open(parent, "invoke_agent", b.agent())
	b.fail(b.open(sub, "execute_tool", "deploy", semconv.AppToolEffectClass, "write", semconv.AppEffectTarget, "cluster/"+b.id("x")), "ECONNREFUSED")
	b.write(sub)
	b.close(sub)
}
