package evidence

import (
	"slices"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// decision is one answer to one intent, however often it was stated.
type decision struct {
	*Decision          // of the facts, which are the index's own
	at         *node   // context, nil if it has none here
	bySpan     bool    // a span states it as its own attribute
	calls      []*node // what was decided about
	contradict bool    // statements of it differ about what happened
	bypass     *node   // the call that ran although it was refused
	settled    bool    // for a refusal: blocking or running is seen, or a later answer allows it
	doubted    bool    // a later answer may allow it: it does not say who gave it, or to which call
	unaimed    bool    // of a doubt: it does not say to which call
	answered   bool    // for a question: somebody answered
}

func (d *decision) refuses() bool {
	return d.Verdict == semconv.AppPermissionDecisionDeny || d.Verdict == semconv.AppPermissionDecisionAbort
}

// lacks names what is not stated of who decided and by what.
func (d *decision) lacks() []string {
	var keys []string
	if d.DecidedBy == "" || d.DecidedBy == semconv.AppPermissionDecidedByUnknown {
		keys = append(keys, semconv.AppPermissionDecidedBy)
	}
	if d.PolicyID == "" && d.RuleID == "" {
		keys = append(keys, semconv.AppPermissionPolicyID)
	}
	return keys
}

// subject is the call that was decided about, else the step that states it.
func (d *decision) subject() *node {
	if len(d.calls) > 0 {
		return d.calls[0]
	}
	return d.at
}

func (x *index) addDecisions() {
	if x.mayRepeatDecisions() {
		x.decisionsAt = decisionBook{}
	}
	var room []decision
	x.eachFacts(func(n *node, f *Facts) {
		for i := range f.Decisions {
			d := &one(&room, decision{Decision: &f.Decisions[i], at: n, bySpan: f.Decisions[i].Record == RecordID{}})[0]
			if d.ToolCallID == "" && n != nil && n.isCall() {
				d.ToolCallID = n.span.Attrs.Str(semconv.GenAIToolCallID)
				if d.Derived && d.ToolCallID != "" {
					d.ID = derive("decision", callOrPlace(d.ToolCallID, d.Source), d.DecidedBy)
				}
			}
			if d.Task == "" && n != nil {
				d.Task = n.task
			}
			x.addDecision(d)
		}
	})
	slices.SortStableFunc(x.decisions, func(a, b *decision) int {
		if c := compareSources(&a.Source, &b.Source); c != 0 {
			return c
		}
		return compareStrings(a.ID, b.ID)
	})
	for _, d := range x.decisions {
		d.calls = x.callsOf(d)
	}
	if slices.ContainsFunc(x.decisions, func(d *decision) bool { return d.refuses() || d.Verdict == semconv.AppPermissionDecisionAsk }) {
		x.collectAnswers()
	}
	x.refusals = map[*node]*decision{}
	for _, d := range x.decisions {
		x.judgeDecision(d)
	}
}

// mayRepeatDecisions reports whether two statements can mean one decision: not
// where every span states its own, about its own call, and none has an id.
func (x *index) mayRepeatDecisions() bool {
	repeat := false
	calls := make(map[string]bool, len(x.byCall))
	x.eachFacts(func(n *node, f *Facts) {
		for i := range f.Decisions {
			d := &f.Decisions[i]
			repeat = repeat || !d.Derived || d.Record != RecordID{} || n == nil || len(f.Decisions) > 1 || calls[d.ToolCallID]
			if d.ToolCallID != "" {
				calls[d.ToolCallID] = true
			}
		}
	})
	return repeat
}

// addDecision unites statements of one decision: equal id and answer, or equal
// call, answer and decider where one of them states no id.
func (x *index) addDecision(d *decision) {
	if x.decisionsAt == nil {
		x.decisions = append(x.decisions, d)
		return
	}
	if o := x.decisionsAt.match(d); o != nil {
		o.unite(d)
		x.decisionsAt.add(o)
		return
	}
	x.decisions = append(x.decisions, d)
	x.decisionsAt.add(d)
}

func (o *decision) unite(d *decision) {
	if o.Derived && !d.Derived {
		o.ID, o.Derived = d.ID, false
	}
	o.contradict = o.contradict || o.Enforced != "" && d.Enforced != "" && o.Enforced != d.Enforced
	for _, p := range [][2]*string{
		{&o.ToolCallID, &d.ToolCallID}, {&o.DecidedBy, &d.DecidedBy}, {&o.Scope, &d.Scope}, {&o.PolicyID, &d.PolicyID},
		{&o.PolicyVersion, &d.PolicyVersion}, {&o.RuleID, &d.RuleID}, {&o.Enforced, &d.Enforced}, {&o.Raw, &d.Raw},
	} {
		if *p[0] == "" {
			*p[0] = *p[1]
		}
	}
	if o.contradict {
		o.Enforced = semconv.AppPermissionEnforcedUnknown
	}
	if o.at == nil {
		o.at, o.Step = d.at, d.Step
	}
	o.bySpan = o.bySpan || d.bySpan
}

func (x *index) judgeDecision(d *decision) {
	switch {
	case d.Verdict == semconv.AppPermissionDecisionAsk:
		d.answered = slices.ContainsFunc(subjects(d), func(s page) bool { return x.answers[s] != nil })
		d.unaimed = !d.answered && slices.ContainsFunc(d.calls, func(c *node) bool { return ran(c, d.Enforced) && x.maybeAllowed(d, c) })
		d.doubted = d.unaimed
	case d.refuses():
		if x.overridden(d) {
			d.settled = true
			return
		}
		for _, c := range d.calls {
			x.refusals[c] = d
		}
		for _, c := range d.calls {
			if ran(c, d.Enforced) {
				d.doubted = x.allowedBy(d, "", semconv.AppPermissionDecidedByUnknown) || x.allowedAtOnce(d)
				d.unaimed = !d.doubted && x.maybeAllowed(d, c)
				if d.doubted = d.doubted || d.unaimed; d.doubted {
					return
				}
				d.bypass, d.settled = c, true
				return
			}
		}
		d.settled = isBlocked(d)
	}
}

// answer is what was said about one subject besides questions.
type answer struct {
	allowed map[string]int64 // latest time of an allow or modify, by decider
}

// subjects names what a decision is about: its id, its calls, or a call that is
// not in the run.
func subjects(d *decision) []page {
	out := make([]page, 0, 2)
	if !d.Derived {
		out = append(out, page{kind: byID, id: d.ID})
	}
	for _, c := range d.calls {
		out = append(out, page{kind: byStep, step: c.span.ID})
	}
	if len(d.calls) == 0 && d.ToolCallID != "" {
		out = append(out, page{kind: byCall, id: d.ToolCallID})
	}
	return out
}

func (x *index) collectAnswers() {
	x.answers = map[page]*answer{}
	for _, d := range x.decisions {
		if d.Verdict == semconv.AppPermissionDecisionAsk {
			continue
		}
		for _, s := range subjects(d) {
			a := x.answers[s]
			if a == nil {
				a = &answer{}
				x.answers[s] = a
			}
			if d.Verdict == semconv.AppPermissionDecisionAllow || d.Verdict == semconv.AppPermissionDecisionModify {
				if a.allowed == nil {
					a.allowed = map[string]int64{}
				}
				if t, ok := a.allowed[d.DecidedBy]; !ok || d.Time > t {
					a.allowed[d.DecidedBy] = d.Time
				}
			}
		}
	}
}

// overridden reports whether a later answer takes a refusal back: only a person,
// a policy, or whoever refused can do that.
func (x *index) overridden(d *decision) bool {
	if d.DecidedBy == semconv.AppPermissionDecidedByUnknown || d.DecidedBy == "" {
		return x.allowedBy(d, semconv.AppPermissionDecidedByUser, semconv.AppPermissionDecidedByPolicy)
	}
	return x.allowedBy(d, semconv.AppPermissionDecidedByUser, semconv.AppPermissionDecidedByPolicy, d.DecidedBy)
}

// allowedBy reports whether one of some deciders allowed later what was refused.
func (x *index) allowedBy(d *decision, deciders ...string) bool {
	for _, s := range subjects(d) {
		a := x.answers[s]
		if a == nil {
			continue
		}
		for _, who := range deciders {
			if t, ok := a.allowed[who]; ok && t > d.Time {
				return true
			}
		}
	}
	return false
}

// allowedAtOnce reports whether a refusal was taken back at the very time at which
// it was given: a coarse clock does not say which was first.
func (x *index) allowedAtOnce(d *decision) bool {
	return slices.ContainsFunc(subjects(d), func(s page) bool {
		a := x.answers[s]
		if a == nil {
			return false
		}
		for _, t := range a.allowed {
			if t == d.Time {
				return true
			}
		}
		return false
	})
}

// maybeAllowed reports whether an answer that names no call may be the answer to
// a question or refusal: it was given after that and before the call was over, in
// the context of a step above the call, or in none.
func (x *index) maybeAllowed(d *decision, c *node) bool {
	return slices.ContainsFunc(x.decisions, func(o *decision) bool {
		if o.Verdict != semconv.AppPermissionDecisionAllow && o.Verdict != semconv.AppPermissionDecisionModify {
			return false
		}
		if o.ToolCallID != "" || len(o.calls) > 0 || o.Time < d.Time || o.Time > c.span.End {
			return false
		}
		if o.at == nil {
			return o.Step.IsZero() && (o.Task == "" || o.Task == c.task)
		}
		for p := c.parent; p != nil; p = p.parent {
			if p == o.at {
				return true
			}
		}
		return false
	})
}

// guarded reports whether a guardrail blocked the step.
func (n *node) guarded() bool {
	return n.has&hasGuardrail != 0 && n.str(semconv.AppGuardrailOutcome) == semconv.AppGuardrailOutcomeBlock
}

// refused reports whether the step was denied and is not seen to have run.
func (x *index) refused(n *node) bool {
	if n.guarded() {
		return true
	}
	d := x.refusals[n]
	if d == nil && n.owner != nil {
		d = x.refusals[n.owner]
	}
	return d != nil && d.bypass == nil
}

// blocked reports whether the step was denied and is seen not to have run.
func (x *index) blocked(n *node) bool {
	d := x.refusals[n]
	return d != nil && d.bypass == nil && isBlocked(d)
}

// isBlocked reports whether a refused call is seen not to have run.
func isBlocked(d *decision) bool {
	switch d.Enforced {
	case semconv.AppPermissionEnforcedBlocked, semconv.AppPermissionEnforcedNotReached:
		return true
	}
	for _, c := range d.calls {
		if c.failed && c.error == deniedError {
			return true
		}
	}
	return false
}
