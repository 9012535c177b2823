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
	d, protected := protect(policy, run.Rows)
	if run.Prior != nil {
		return inherit(*run.Prior, d, protected)
	}
	if protected {
		return d
	}
	digest := digestOf(policy, &run)
	d, _ = ordinary(policy, run.Rows.Tenant, &digest, run.Cut)
	return d
}

// wish is what would be without a quota.
type wish struct {
	share float64 // of runs like this, of those that arrive
	kept  bool
}

// ordinary is the decision on a run that no class protects.
func ordinary(policy *Policy, tenant string, digest *Digest, cut float64) (Decision, wish) {
	name, share := RuleBaseline, policy.Ratio
	if digest.Rule > 0 {
		name, share = policy.Rules[digest.Rule-1].Name, policy.Rules[digest.Rule-1].Keep
	} else if policy.Slow != nil && policy.Slow.Slower(digest.Parts) {
		name, share = RuleSlow, 1
	}
	at := digest.Standing.stand(tenant, digest.Names.Identity())
	free := at.draw(share, 1)
	odds := free
	if cut > 0 {
		odds = at.draw(share, 1-cut)
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
// the class named first beats the others. Its odds are those of the first, or none
// if that was dropped: which of the two counts must not depend on how they fared.
// A run that had to be kept is certain for both.
func better(a, b Decision) Decision {
	odds := a.Odds
	switch {
	case a.Keep && a.Odds.Keep == places, b.Keep && b.Odds.Keep == places:
		odds = certain
	case !a.Keep:
		odds = Odds{}
	}
	if b.Keep && (!a.Keep || rank(b.Class) < rank(a.Class)) {
		a, b = b, a
	}
	a.Incomplete = a.Keep && (a.Incomplete || b.Incomplete || !b.Keep)
	if a.Keep {
		a.Odds = odds
	}
	return a
}
