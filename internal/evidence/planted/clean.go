package planted

import (
	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

func (b *builder) clean() {
	b.tell(telling{event: func(b *builder, p *evidence.Span, a string) { b.acts(p, a) }, claim: "completed"})
}

func cleanPlans() []plan {
	out := []plan{
		{"clean ordinary", (*builder).clean, false},
		{"clean without claim", func(b *builder) {
			b.tell(telling{event: func(b *builder, p *evidence.Span, a string) { b.write(p) }})
		}, false},
		{"clean by a later attempt of the task", laterAttempt, false},
		{"clean, cancelled as asked", cancelledAsAsked, false},
		{"clean, paused and resumed", pausedAndResumed, false},
		{"clean, judged and accepted", func(b *builder) {
			b.tell(telling{claim: "completed", event: func(b *builder, p *evidence.Span, _ string) {
				t := b.write(p)
				b.verdict(t, "tests", "1", "pass")
			}})
		}, false},
	}
	for name, d := range map[string]happens{
		"retried": retried, "contained": contained, "otherAgentCoped": otherAgentCoped, "denied": denied, "allowed": allowed, "undone": undone,
		"mended": mended, "accepted": accepted, "guarded": guarded, "withinAuthority": withinAuthority, "stopped": stopped,
		"sameCallElsewhere": sameCallElsewhere, "reported": reported, "remoteCoped": remoteCoped, "modified": modified, "neverSent": neverSent,
	} {
		out = append(out, plan{"clean decoy " + name, func(b *builder) { b.tell(telling{event: asDecoy(d), claim: "completed"}) }, false})
	}
	sortPlans(out)
	return out
}

// laterAttempt: the first attempt of the root task failed, the second did not.
func laterAttempt(b *builder) {
	task := b.newTask()
	var first *evidence.Span
	for n := range 2 {
		b.inDecoy = n == 1 // the second one excuses the first
		root := b.trace("invoke_agent", b.agents[0], task, semconv.AppTaskAttempt, int64(n+1))
		b.rootAt = root
		b.acts(root, b.agents[0])
		b.delegate(root, b.agents[0], func(child *evidence.Span, agent string) bool {
			b.acts(child, agent)
			if n == 0 {
				b.fail(b.open(child, b.pick("chat", "execute_tool"), "model"), "overloaded")
			}
			return n == 0
		})
		if n == 0 {
			first = b.fail(root, "overloaded")
			continue
		}
		link(root, semconv.AppLinkRelationRetries, first)
		b.close(root)
		b.say(root, semconv.EventAppTaskEnded, semconv.AppTaskID, task, semconv.AppOutcome, "completed")
	}
	b.inDecoy = false
}

// cancelledAsAsked: a person stopped the run, and every layer obeyed.
func cancelledAsAsked(b *builder) {
	id := ""
	b.tell(telling{failing: false, claim: "cancelled", event: func(b *builder, p *evidence.Span, _ string) {
		id = b.id("control")
		t := b.open(p, "execute_tool", "watch", semconv.AppToolEffectClass, "read")
		b.control(b.rootAt, id, "cancel", "user", "requested")
		b.control(p, id, "cancel", "agent", "propagated")
		b.control(t, id, "cancel", "tool", "effective")
		b.fail(t, "cancelled")
	}})
}

func pausedAndResumed(b *builder) {
	b.tell(telling{claim: "completed", event: func(b *builder, p *evidence.Span, _ string) {
		b.control(p, b.id("control"), "pause", "agent", "effective")
	}, after: func(b *builder, root *evidence.Span, _ string) {
		r := b.trace("invoke_agent", b.agent(), root.Attrs.Str(semconv.AppTaskID), semconv.AppTaskPhase, "resume")
		link(r, semconv.AppLinkRelationContinues, root)
		b.write(r)
		b.close(r)
	}})
}
