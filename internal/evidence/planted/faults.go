package planted

import (
	"cmp"
	"slices"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

func sortPlans(all []plan) {
	slices.SortFunc(all, func(a, b plan) int { return cmp.Compare(a.name, b.name) })
}

// faults returns one plan for each way in which a run can go wrong.
func faults() []plan {
	var out []plan
	ends := func(name string, event happens) { // the fault ends everything above it
		out = append(out, plan{name, func(b *builder) {
			b.tell(telling{event: event, failing: true, claim: b.pick("", "failed", "failed", "completed")})
		}, true})
	}
	var quiet []happens
	silent := func(name string, event happens) { // nothing above it fails
		quiet = append(quiet, event)
		out = append(out, plan{name, func(b *builder) {
			b.tell(telling{event: event, claim: b.pick("", "completed", "completed")})
		}, false})
	}
	rejected := func(b *builder, p *evidence.Span, agent string) {
		t := b.open(p, "execute_tool", "push", semconv.AppToolEffectClass, b.pick("none", "read"))
		b.blame(b.fail(t, b.pick("rejected", "exit_1", "timeout", "")), agent, "tool", "error", false)
	}
	ends("error of a tool", rejected)
	ends("error of a model", func(b *builder, p *evidence.Span, agent string) {
		b.blame(b.fail(b.open(p, "chat", "model"), b.pick("429", "overloaded", "timeout")), agent, "model", "error", false)
	})
	ends("error of a plan", func(b *builder, p *evidence.Span, agent string) {
		b.blame(b.fail(b.open(p, "plan", "next"), "invalid"), agent, "agent", "error", false)
	})
	ends("error of an agent", func(b *builder, p *evidence.Span, _ string) {
		name := b.agent()
		s := b.open(p, "invoke_agent", name)
		b.close(b.open(s, "chat", "model"))
		b.blame(b.fail(s, "loop_limit"), name, "agent", "error", false)
	})
	ends("error behind MCP", func(b *builder, p *evidence.Span, agent string) {
		t := b.open(p, "execute_tool", "query", semconv.AppToolEffectClass, "read")
		c := b.fail(b.mcp(t), b.pick("tool_error", "-32603"))
		b.fail(t, "tool_error")
		b.blame(c, agent, "mcp", "error", false)
	})
	ends("error of an MCP server", func(b *builder, p *evidence.Span, agent string) {
		t := b.open(p, "execute_tool", "query", semconv.AppToolEffectClass, "read")
		c := b.mcp(t)
		server := b.open(c, "", "tools/call", semconv.MCPMethodName, "tools/call")
		server.Kind = "server"
		b.blame(b.fail(server, "tool_error"), agent, "mcp", "error", false)
		b.fail(c, "tool_error")
		b.fail(t, "")
	})
	ends("error of the network", func(b *builder, p *evidence.Span, agent string) {
		t := b.open(p, "execute_tool", "query", semconv.AppToolEffectClass, "read")
		c := b.fail(b.http(t), b.pick("500", "timeout"))
		b.fail(t, "")
		b.blame(c, agent, "infrastructure", "error", false)
	})
	for _, protocol := range []string{"a2a", "acp", "lsp"} {
		ends("error behind "+protocol, func(b *builder, p *evidence.Span, agent string) {
			c := b.open(p, "", "send", semconv.AppProtocolName, protocol)
			c.Kind = "client"
			b.blame(b.fail(c, "internal"), agent, protocol, "error", false)
		})
	}
	ends("a layer that is stated", func(b *builder, p *evidence.Span, agent string) {
		layer := b.pick("infrastructure", "user", "verifier", "policy")
		t := b.open(p, "execute_tool", "push", semconv.AppToolEffectClass, "none", semconv.AppErrorLayer, layer)
		b.blame(b.fail(t, "rejected"), agent, layer, "error", false)
	})
	ends("a right that is missing", func(b *builder, p *evidence.Span, agent string) {
		t := b.open(p, "execute_tool", "push", semconv.AppToolEffectClass, "none")
		b.blame(b.fail(t, b.pick("403", "unauthenticated", "permission_denied")), agent, "tool", "security_denial", false)
	})
	ends("a resume that fails", func(b *builder, p *evidence.Span, _ string) {
		name := b.agent()
		r := b.trace("invoke_agent", name, b.rootAt.Attrs.Str(semconv.AppTaskID), semconv.AppTaskPhase, b.pick("resume", "reconcile"))
		link(r, semconv.AppLinkRelationContinues, p)
		t := b.fail(b.open(r, "execute_tool", "restore", semconv.AppToolEffectClass, "read"), "no_state")
		b.fail(r, "")
		b.blame(t, name, "tool", "resume_failure", false)
	})
	effectFaults(&out, silent)
	authorityFaults(&out, silent)
	verdictFaults(&out)
	distantFaults(ends, silent)
	for _, phase := range []string{"ignored", "lost"} {
		silent("a cancel that is "+phase, func(b *builder, p *evidence.Span, agent string) {
			id, layer := b.id("control"), b.pick("tool", "agent", "mcp", "infrastructure")
			t := b.open(p, "execute_tool", "watch", semconv.AppToolEffectClass, "read")
			b.control(b.rootAt, id, "cancel", "user", "requested")
			b.control(p, id, "cancel", "harness", "propagated")
			b.control(t, id, "cancel", layer, phase)
			b.blame(b.close(t), agent, layer, "cancel_ignored", true)
		})
	}
	ends("two faults, the first of them silent", func(b *builder, p *evidence.Span, agent string) {
		quiet[b.rnd.IntN(len(quiet))](b, p, agent)
		first := b.truth
		b.acts(p, agent)
		rejected(b, p, agent)
		b.truth = first
	})
	out[len(out)-1].skew = false
	silent("two silent faults", func(b *builder, p *evidence.Span, agent string) {
		quiet[b.rnd.IntN(len(quiet)-1)](b, p, agent)
		first := b.truth
		b.acts(p, agent)
		quiet[b.rnd.IntN(len(quiet)-1)](b, p, agent)
		b.truth = first
	})
	return out
}

func effectFaults(_ *[]plan, silent func(string, happens)) {
	sent := func(b *builder, t *evidence.Span, id string) {
		b.record(t, semconv.EventAppEffectRecorded, semconv.AppEffectID, id, semconv.AppEffectStage, "dispatched", semconv.AppEffectTarget, "cluster/x")
	}
	lost := []string{"timeout", "ECONNRESET", "503", "cancelled"}
	silent("an effect that may have happened", func(b *builder, p *evidence.Span, agent string) {
		t := b.open(p, "execute_tool", "deploy", semconv.AppToolEffectClass, b.pick("write", "external"))
		sent(b, t, b.id("effect"))
		b.blame(b.fail(t, b.pick(lost...)), agent, "tool", "unknown_effect", false)
	})
	silent("an effect lost below its tool", func(b *builder, p *evidence.Span, agent string) {
		t := b.open(p, "execute_tool", "deploy", semconv.AppToolEffectClass, "write")
		sent(b, t, b.id("effect"))
		c, layer := b.http(t), "infrastructure"
		if b.chance(2) {
			set(c, semconv.MCPMethodName, "tools/call")
			layer = "mcp"
		}
		b.fail(c, b.pick(lost...))
		b.fail(t, "")
		b.blame(c, agent, layer, "unknown_effect", false)
	})
	silent("an effect without any stage", func(b *builder, p *evidence.Span, agent string) {
		t := b.open(p, "execute_tool", "deploy", semconv.AppToolEffectClass, "write", semconv.AppEffectTarget, "cluster/y")
		b.blame(b.fail(t, b.pick(lost...)), agent, "tool", "unknown_effect", false)
	})
	silent("an effect lost twice", func(b *builder, p *evidence.Span, agent string) {
		id := b.id("effect")
		for n := range 2 {
			t := b.open(p, "execute_tool", "deploy", semconv.AppToolEffectClass, "external", semconv.AppEffectAttempt, int64(n+1))
			sent(b, t, id)
			b.fail(t, "timeout")
			if n == 0 {
				b.blame(t, agent, "tool", "unknown_effect", false)
			}
		}
	})
	silent("a destructive effect that may have happened", func(b *builder, p *evidence.Span, agent string) {
		t := b.open(p, "execute_tool", "drop", semconv.AppToolEffectClass, "destructive")
		sent(b, t, b.id("effect"))
		b.blame(b.fail(t, "timeout"), agent, "tool", "destructive_effect", false)
	})
}

func authorityFaults(out *[]plan, silent func(string, happens)) {
	violation := func(b *builder, t *evidence.Span, agent string) {
		b.blame(b.close(t), agent, "policy", "authority_violation", true)
	}
	silent("a bypass", func(b *builder, p *evidence.Span, agent string) {
		t := b.open(p, "execute_tool", "rm", semconv.AppToolEffectClass, "none")
		b.say(t, semconv.EventAppToolDecided, semconv.AppPermissionDecision, "deny", semconv.AppPermissionDecidedBy, "policy", semconv.AppPermissionDecisionID, b.id("decision"))
		violation(b, t, agent)
	})
	silent("a bypass that is stated", func(b *builder, p *evidence.Span, agent string) {
		t := b.open(p, "execute_tool", "rm", semconv.AppToolEffectClass, "none")
		b.say(t, semconv.EventAppToolDecided, semconv.AppPermissionDecision, "deny", semconv.AppPermissionDecidedBy, "hook", semconv.AppPermissionEnforced, "executed")
		b.blame(b.fail(t, "exit_1"), agent, "policy", "authority_violation", true)
	})
	silent("a bypass with an error that it coped with", func(b *builder, p *evidence.Span, agent string) {
		t := b.open(p, "execute_tool", "rm", semconv.AppToolEffectClass, "none")
		b.fail(b.http(t), "500")
		b.say(t, semconv.EventAppToolDecided, semconv.AppPermissionDecision, "deny", semconv.AppPermissionDecidedBy, "policy")
		violation(b, t, agent)
	})
	silent("a question that nobody answered", func(b *builder, p *evidence.Span, agent string) {
		t := b.open(p, "execute_tool", "push", semconv.AppToolEffectClass, "none")
		b.say(t, semconv.EventAppToolDecided, semconv.AppPermissionDecision, "ask", semconv.AppPermissionDecidedBy, "policy")
		violation(b, t, agent)
	})
	silent("a guard that failed", func(b *builder, p *evidence.Span, agent string) {
		t := b.open(p, "execute_tool", "edit", semconv.AppToolEffectClass, "none")
		h := b.open(t, "", "hook", semconv.AppExtensionKind, "hook", semconv.AppExtensionDecision, b.pick("failed", "timeout"))
		b.end(h, b.chance(2))
		violation(b, t, agent)
	})
	silent("a target outside the authority", func(b *builder, p *evidence.Span, _ string) {
		name := b.agent()
		a := b.open(p, "invoke_agent", name, semconv.AppAuthorityResource, "repo/a")
		t := b.open(a, "execute_tool", "edit", semconv.AppToolEffectClass, "write", semconv.AppEffectTarget, b.pick("repo/b", "repo", "repo/ab", "repo/a/../b"))
		b.record(t, semconv.EventAppEffectRecorded, semconv.AppEffectID, b.id("effect"), semconv.AppEffectStage, "receipt")
		violation(b, t, name)
		b.close(a)
	})
	silent("a delegation that is wider", func(b *builder, p *evidence.Span, _ string) {
		wide, narrow := b.id("delegation"), b.id("delegation")
		a := b.open(p, "invoke_agent", b.agent(), semconv.AppAuthorityDelegationID, narrow, semconv.AppAuthorityResource, "repo/a", semconv.AppAuthorityOperations, []any{"read"})
		name := b.agent()
		c := b.open(a, "invoke_agent", name, semconv.AppAuthorityDelegationID, wide, semconv.AppAuthorityDelegationParentID, narrow)
		if b.chance(2) {
			set(c, semconv.AppAuthorityOperations, []any{"read", "write"})
		} else {
			set(c, semconv.AppAuthorityResource, "repo")
		}
		violation(b, c, name)
		b.close(a)
	})
	silent("an authority that had expired", func(b *builder, p *evidence.Span, _ string) {
		name := b.agent()
		a := b.open(p, "invoke_agent", name)
		set(a, semconv.AppAuthorityDelegationID, b.id("delegation"), semconv.AppAuthorityExpiresAt, rfc3339(b.tick()))
		b.tick()
		violation(b, b.open(a, "execute_tool", "edit", semconv.AppToolEffectClass, "none"), name)
		b.close(a)
	})
	*out = append(*out, plan{"an effect that failed and is claimed", func(b *builder) {
		b.tell(telling{claim: "completed", event: func(b *builder, p *evidence.Span, agent string) {
			set(p, semconv.AppTaskID, b.rootAt.Attrs.Str(semconv.AppTaskID))
			t := b.open(p, "execute_tool", "deploy", semconv.AppToolEffectClass, "write", semconv.AppEffectTarget, "cluster/z", semconv.AppTaskID, b.rootAt.Attrs.Str(semconv.AppTaskID))
			id := b.id("effect")
			b.record(t, semconv.EventAppEffectRecorded, semconv.AppEffectID, id, semconv.AppEffectStage, "dispatched")
			b.record(t, semconv.EventAppEffectRecorded, semconv.AppEffectID, id, semconv.AppEffectStage, "failed", semconv.AppEffectReportedBy, "effect")
			b.blame(b.fail(t, "rejected"), agent, "tool", "error", true)
		}})
	}, false})
}
