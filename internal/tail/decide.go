package tail

import (
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// Run is the spans that a decision is about, and the records that tell of them.
type Run struct {
	Rows   evidence.Run
	Traces ptrace.Traces // the same spans, for the conditions of rules
	Prior  *Decision     // nil unless spans of the run were decided before
	Parts  []Part        // by which it is timed
	Cut    float64       // part of its share that a quota takes, from 0 to 1
}

// Decision is what becomes of a run.
type Decision struct {
	Keep       bool
	Class      string          // "" unless a class protects the run
	Rule       string          // what decided: a rule of the class, a rule's name or RuleBaseline
	Evidence   evidence.StepID // span that proves the class; zero if only a record does, which names none
	Incomplete bool            // earlier spans of the run were dropped
	Odds       Odds            // how it stood against its share, and so how many runs this one stands for
}

// Protected reports whether a class, and no share, keeps the run.
func (d Decision) Protected() bool { return d.Class != "" }

// Decide is the whole policy: a class first; then what was decided before; then
// the first rule that matches; then what is slow; then the share of ordinary runs.
// A quota lowers the share.
func Decide(policy *Policy, run Run) Decision {
	d, _ := decide(policy, run)
	return d
}

// wish is what would be without a quota.
type wish struct {
	share float64 // of runs like this, of those that arrive
	kept  bool
}

func decide(policy *Policy, run Run) (Decision, wish) {
	d, protected := protect(policy, run.Rows)
	if run.Prior != nil {
		d = inherit(*run.Prior, d, protected)
		return d, wish{kept: d.Keep}
	}
	if protected {
		return d, wish{kept: true}
	}
	of := ordinary{tenant: run.Rows.Tenant, identity: identity(&run.Rows), rule: policy.match(run.Traces),
		standing: standingOf(run.Traces), parts: run.Parts, cut: run.Cut}
	return policy.ordinary(&of)
}

// ordinary is what a decision on a run depends on that no class protects.
type ordinary struct {
	tenant, identity string
	rule             int // 1 + the number of the first that matches, 0 if none does
	standing         Standing
	parts            []Part
	cut              float64
}

func (p *Policy) ordinary(of *ordinary) (Decision, wish) {
	name, share := RuleBaseline, p.Ratio
	if of.rule > 0 {
		name, share = p.Rules[of.rule-1].Name, p.Rules[of.rule-1].Keep
	} else if p.Slow != nil && p.Slow.Slower(of.parts) {
		name, share = RuleSlow, 1
	}
	at := of.standing.stand(of.tenant, of.identity)
	free := at.draw(share, 1)
	odds := free
	if of.cut > 0 {
		odds = at.draw(share, 1-of.cut)
	}
	return Decision{Keep: odds.kept(), Rule: name, Odds: odds}, wish{free.share(), free.kept()}
}

func protect(policy *Policy, rows evidence.Run) (Decision, bool) {
	var best *evidence.ClassHit
	hits := evidence.Classify(rows)
	for i := range hits {
		h := &hits[i]
		if policy.protects(h) && (best == nil || rank(h.Class) < rank(best.Class)) {
			best = h
		}
	}
	if best == nil {
		return Decision{}, false
	}
	return Decision{Keep: true, Class: best.Class, Rule: best.Rule, Evidence: best.Step, Odds: certain}, true
}

// inherit keeps what was decided, unless late spans are protected by a class
// that names the run better, or the run was dropped before them.
func inherit(prior, late Decision, protected bool) Decision {
	if !protected || (prior.Keep && rank(prior.Class) <= rank(late.Class)) {
		return prior
	}
	late.Incomplete = prior.Incomplete || !prior.Keep
	return late
}

// better is the decision that two joined runs go on with: kept beats dropped,
// the class named first beats the others.
func better(a, b Decision) Decision {
	if b.Keep && (!a.Keep || rank(b.Class) < rank(a.Class)) {
		a, b = b, a
	}
	a.Incomplete = a.Keep && (a.Incomplete || b.Incomplete || !b.Keep)
	return a
}
