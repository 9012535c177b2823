package evidence

import "github.com/otelcol-agent/otelcol-agent/semconv"

// callsOf finds the calls that a decision is about: by tool call id in the same
// trace, else in the same task; else the call in whose context it was made.
func (x *index) callsOf(d *decision) []*node {
	if d.ToolCallID != "" {
		if d.at != nil && d.at.isCall() && d.at.span.Attrs.Str(semconv.GenAIToolCallID) == d.ToolCallID {
			return []*node{d.at}
		}
		return nearestCall(x.callsNamed(d.ToolCallID, &d.Source), d.Time)
	}
	switch n := d.at; {
	case n == nil:
		return nil
	case n.isCall():
		return []*node{n}
	case n.owner != nil:
		return []*node{n.owner}
	case d.bySpan && n.op == semconv.GenAIOperationNameInvokeAgent && (n.parent != nil || len(n.to) > 0):
		return []*node{n} // a delegation that was decided about
	}
	return nil
}

// callsNamed returns the calls with a tool call id that the source can mean: ids
// of tool calls are unique only inside a conversation.
func (x *index) callsNamed(id string, src *Source) []*node {
	all := x.byCall[id]
	pick := func(ok func(n *node) bool) []*node {
		var out []*node
		for _, n := range all {
			if ok(n) {
				out = append(out, n)
			}
		}
		return out
	}
	if src.Step.Trace != (TraceID{}) {
		if out := pick(func(n *node) bool { return n.span.ID.Trace == src.Step.Trace }); len(out) > 0 {
			return out
		}
	}
	if src.Task != "" {
		if out := pick(func(n *node) bool { return n.task == src.Task }); len(out) > 0 {
			return out
		}
	}
	for _, n := range all {
		if n.span.ID.Trace != all[0].span.ID.Trace {
			return nil // which of them is meant is not known
		}
	}
	return all
}

// nearestCall picks, of several calls under one id, the execute_tool (and not
// its client) that was not over when the decision was made.
func nearestCall(all []*node, t int64) []*node {
	var tools []*node
	for _, n := range all {
		if n.isTool() {
			tools = append(tools, n)
		}
	}
	if len(tools) > 0 {
		all = tools
	}
	if len(all) < 2 {
		return all
	}
	for _, n := range all {
		if n.span.End >= t {
			return []*node{n}
		}
	}
	return all[len(all)-1:]
}

// ran reports whether a call is seen to have run: it is stated, or the span
// ended without error, or a stage past the intent is stated for it. Where
// blocking is stated only the effect's side can prove the opposite.
func ran(c *node, enforced string) bool {
	sent, receipt := sentStages(c)
	switch enforced {
	case semconv.AppPermissionEnforcedExecuted:
		return true
	case semconv.AppPermissionEnforcedBlocked, semconv.AppPermissionEnforcedNotReached:
		return receipt
	}
	return c.error == noError || sent || receipt
}

// sentStages looks for stages stated on a call and on the spans below it.
func sentStages(c *node) (sent, receipt bool) {
	look := func(f *Facts) {
		for i := range f.Effects {
			switch f.Effects[i].Stage {
			case semconv.AppEffectStageDispatched, semconv.AppEffectStageAcked:
				sent = true
			case semconv.AppEffectStageReceipt, semconv.AppEffectStageVerified:
				receipt = receipt || f.Effects[i].ReportedBy != semconv.AppEffectReportedByCaller
			}
		}
	}
	var down func(n *node, depth int)
	down = func(n *node, depth int) {
		look(n.facts)
		for _, f := range n.stated {
			look(f)
		}
		for _, k := range n.children {
			if depth < 8 && k.owner == c {
				down(k, depth+1)
			}
		}
	}
	down(c, 0)
	return sent, receipt
}
