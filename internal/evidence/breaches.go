package evidence

import (
	"slices"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// breach is an authority_violation and the call or step that did it.
type breach struct {
	rule     string
	at       *node // nil if the step is not in the run
	decision *decision
	time     int64
}

// Rules of breaches, as they are stamped on a kept run.
const (
	ruleBypass     = "denied_and_executed"
	ruleUnanswered = "asked_unanswered_executed"
	ruleTarget     = "target_outside_authority"
	ruleGuard      = "guard_failed_call_ran"
	ruleDelegation = "delegation_wider_than_parent"
	ruleExpired    = "authority_used_after_expiry"
)

func (x *index) findBreaches() {
	for _, d := range x.decisions {
		x.breachOfDecision(d)
	}
	for _, e := range x.effects {
		x.breachOfTarget(e)
	}
	x.eachFacts(func(n *node, f *Facts) {
		for i := range f.Extensions {
			x.breachOfGuard(n, &f.Extensions[i])
		}
	})
	x.breachesOfDelegation()
	slices.SortStableFunc(x.breaches, func(a, b breach) int {
		switch {
		case a.time != b.time:
			return compareInts(a.time, b.time)
		case a.at != nil && b.at != nil && a.at != b.at:
			return compareSteps(a.at.span.ID, b.at.span.ID)
		}
		return compareStrings(a.rule, b.rule)
	})
}

func (x *index) breachOfDecision(d *decision) {
	b := breach{decision: d, time: d.Time}
	switch {
	case d.bypass != nil:
		b.rule, b.at = ruleBypass, d.bypass
	case d.refuses() && !d.settled && !d.doubted && d.Enforced == semconv.AppPermissionEnforcedExecuted:
		b.rule = ruleBypass // it ran, but the call is not in the run
	case d.Verdict == semconv.AppPermissionDecisionAsk && !d.answered && !d.doubted:
		for _, c := range d.calls {
			if ran(c, d.Enforced) {
				b.rule, b.at = ruleUnanswered, c
				break
			}
		}
	}
	if b.rule != "" {
		x.breaches = append(x.breaches, b)
	}
}

// breachOfTarget compares what an effect acted on with the resource of the
// authority that the step, or its nearest ancestor, states. A target that the
// mapper inferred is in its own words, which no authority knows, and accuses
// nobody.
func (x *index) breachOfTarget(e *effect) {
	for _, t := range e.tries {
		if t.outcome == EffectNeverSent {
			continue
		}
		for _, s := range t.said {
			if s.at == nil || s.Target == "" || s.TargetInferred || x.refused(s.owner) {
				continue
			}
			resource := x.inherited(s.at, semconv.AppAuthorityResource)
			if resource != "" && !below(s.Target, resource) {
				x.breaches = append(x.breaches, breach{rule: ruleTarget, at: s.owner, time: s.owner.span.End})
				break
			}
			if resource != "" {
				continue
			}
			if resource = x.perhapsInherited(s.at, semconv.AppAuthorityResource); resource != "" && !below(s.Target, resource) {
				x.untold = append(x.untold, s.owner)
				break
			}
		}
	}
}

// breachOfGuard looks for the call that a broken guard let through. What the
// guard does on failure is no excuse: open lets it through by plan, closed by
// not holding.
func (x *index) breachOfGuard(n *node, ext *Extension) {
	if !ext.Guard || ext.Kind != semconv.AppExtensionKindHook && ext.Kind != semconv.AppExtensionKindPlugin {
		return
	}
	if ext.Decision != semconv.AppExtensionDecisionFailed && ext.Decision != semconv.AppExtensionDecisionTimeout {
		return
	}
	var calls []*node
	switch {
	case n != nil && ext.Record != (RecordID{}) && n.isCall():
		calls = []*node{n}
	case n != nil && n.parent != nil && n.parent.isCall():
		calls = []*node{n.parent}
	case ext.ToolCallID != "":
		calls = nearestCall(x.callsNamed(ext.ToolCallID, &ext.Source), ext.Time)
	}
	for _, c := range calls {
		if c == n && ext.Record == (RecordID{}) || x.refused(c) || !ext.guardStated && ext.after(n, c) {
			continue
		}
		if ran(c, "") {
			x.breaches = append(x.breaches, breach{rule: ruleGuard, at: c, time: c.span.End})
			return
		}
	}
}

// after reports whether a hook began when the call was over: nothing says that it
// is a guard, and it cannot have been one.
func (ext *Extension) after(n, call *node) bool {
	began := ext.Time
	if ext.Record == (RecordID{}) && n != nil {
		began = n.span.Start
	}
	return began > call.span.End
}
