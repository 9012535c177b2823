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
// the first rule that matches; then the share of ordinary runs.
func Decide(policy *Policy, run Run) Decision {
	d, protected := protect(policy, run.Rows)
	if run.Prior != nil {
		return inherit(*run.Prior, d, protected)
	}
	if protected {
		return d
	}
	name, share := policy.rule(run.Traces)
	w := stand(run.Traces, run.Rows.Tenant, identity(&run.Rows)).draw(share, 1)
	return Decision{Keep: w.kept(), Rule: name, Odds: w}
}

func protect(policy *Policy, rows evidence.Run) (Decision, bool) {
	var best *evidence.ClassHit
	hits := evidence.Classify(rows)
	for i := range hits {
		h := &hits[i]
		if !policy.Unprotected[h.Class] && (best == nil || rank(h.Class) < rank(best.Class)) {
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
