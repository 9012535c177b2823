package planted

import (
	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// happens plants something below an open step of an agent.
type happens func(b *builder, parent *evidence.Span, agent string)

// telling is how a story goes.
type telling struct {
	event   happens
	failing bool    // what happens ends the steps above it, up to the root
	claim   string  // of the root task, "" for none
	after   happens // at the end of the root trace, nil for nothing
	root    func(root *evidence.Span)
}

// tell writes a run: a tree of traces in which something happens once.
func (b *builder) tell(t telling) {
	b.claimed = t.claim
	above := make([]int, b.want)
	for i := 1; i < b.want; i++ {
		above[i] = b.rnd.IntN(i)
	}
	where := b.rnd.IntN(b.want)
	onPath := map[int]bool{}
	for i := where; ; i = above[i] {
		onPath[i] = true
		if i == 0 {
			break
		}
	}
	var work func(i int, root *evidence.Span, agent string)
	work = func(i int, root *evidence.Span, agent string) {
		b.acts(root, agent)
		for c := i + 1; c < b.want; c++ {
			if above[c] == i {
				b.delegate(root, agent, func(child *evidence.Span, agent string) bool {
					work(c, child, agent)
					return t.failing && onPath[c]
				})
				b.acts(root, agent)
			}
		}
		if i == where {
			b.inside(root, agent, t.failing, t.event)
			if !t.failing {
				b.acts(root, agent)
			}
		}
	}
	agent := b.agents[0]
	root := b.trace("invoke_agent", agent, b.newTask())
	b.rootAt = root
	if t.root != nil {
		t.root(root)
	}
	work(0, root, agent)
	if t.after != nil {
		t.after(b, root, agent)
	}
	b.end(root, t.failing)
	if t.claim != "" {
		b.say(root, semconv.EventAppTaskEnded, semconv.AppTaskID, root.Attrs.Str(semconv.AppTaskID), semconv.AppOutcome, t.claim)
	}
}

// inside lets it happen below the root of a trace, or below another agent there.
func (b *builder) inside(root *evidence.Span, agent string, failing bool, event happens) {
	if b.chance(2) {
		event(b, root, agent)
		return
	}
	name := b.agent()
	sub := b.open(root, "invoke_agent", name)
	b.acts(sub, name)
	event(b, sub, name)
	b.end(sub, failing)
}

// delegate hands work to a trace of its own and waits for it. work says whether it failed.
func (b *builder) delegate(parent *evidence.Span, agent string, work func(root *evidence.Span, agent string) bool) {
	task := b.rootAt.Attrs.Str(semconv.AppTaskID)
	if t := parent.Attrs.Str(semconv.AppTaskID); t != "" {
		task = t
	}
	name := b.agent()
	var submit, root *evidence.Span
	switch b.rnd.IntN(4) {
	case 0: // a tool starts the other agent
		submit = b.open(parent, "execute_tool", "delegate", semconv.AppToolEffectClass, "none")
		root = b.trace("invoke_agent", name, b.newTask(), semconv.AppTaskParentID, task)
		link(root, semconv.AppLinkRelationDelegatedFrom, submit)
	case 1: // a remote agent over a protocol
		submit = b.open(parent, "invoke_agent", name, semconv.AppProtocolName, "a2a", semconv.AppProtocolVersionNegotiated, "1.0")
		submit.Kind = "client"
		root = b.trace("invoke_agent", name, b.newTask(), semconv.AppTaskParentID, task, semconv.AppTaskRootID, b.rootAt.Attrs.Str(semconv.AppTaskID))
		link(root, semconv.AppLinkRelationDelegatedFrom, submit)
	case 2: // the same task in a queue
		submit = b.open(parent, "", "submit", semconv.AppTaskPhase, "submit")
		root = b.trace("invoke_agent", name, task, semconv.AppTaskPhase, "execute")
		link(root, semconv.AppLinkRelationSubmittedBy, submit)
	default: // a trace that was begun anew at a boundary
		submit = b.open(parent, "", "call gateway")
		root = b.trace("invoke_agent", name, task)
		link(root, semconv.AppLinkRelationCrossesBoundary, submit)
	}
	failed := work(root, name)
	b.end(root, failed)
	b.end(submit, failed)
}

// acts are ordinary acts of an agent, decoys among them.
func (b *builder) acts(parent *evidence.Span, agent string) {
	for range b.rnd.IntN(3) {
		b.close(b.open(parent, "chat", "model"))
		switch b.rnd.IntN(6) {
		case 0:
			b.close(b.open(parent, "plan", "next"))
		case 1:
			b.close(b.open(parent, "execute_tool", "read", semconv.AppToolEffectClass, "read"))
		case 2:
			b.write(parent)
		case 3:
			t := b.open(parent, "execute_tool", "search", semconv.AppToolEffectClass, "read")
			b.close(b.mcp(t))
			b.close(t)
		default:
			if b.decoys {
				b.decoy(parent, agent)
			}
		}
	}
}

// write changes something and gets a receipt.
func (b *builder) write(parent *evidence.Span) *evidence.Span {
	t := b.open(parent, "execute_tool", "edit", semconv.AppToolEffectClass, "write")
	id := b.id("effect")
	b.say(t, semconv.EventAppEffectRecorded, semconv.AppEffectID, id, semconv.AppEffectStage, "dispatched", semconv.AppEffectTarget, "repo/a/"+id)
	b.record(t, semconv.EventAppEffectRecorded, semconv.AppEffectID, id, semconv.AppEffectStage, "receipt", semconv.AppEffectReceiptID, b.id("receipt"))
	return b.close(t)
}

func (b *builder) mcp(parent *evidence.Span) *evidence.Span {
	c := b.open(parent, "", "tools/call", semconv.MCPMethodName, "tools/call", semconv.MCPProtocolVersion, "2025-06-18")
	c.Kind = "client"
	return c
}

func (b *builder) http(parent *evidence.Span) *evidence.Span {
	c := b.open(parent, "", "POST")
	c.Kind = "client"
	return c
}
