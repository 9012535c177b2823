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
	digest := Digest{Names: namesOf(&run.Rows), Rule: policy.match(run.Traces)}
	return ordinary(policy, run.Rows.Tenant, &digest)
}

// ordinary is the decision on a run that no class protects.
func ordinary(policy *Policy, tenant string, digest *Digest) Decision {
	name, share := RuleBaseline, policy.Ratio
	if digest.Rule > 0 {
		name, share = policy.Rules[digest.Rule-1].Name, policy.Rules[digest.Rule-1].Keep
	}
	return Decision{Keep: inShare(tenant, digest.Names.Identity(), share), Rule: name}
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
	return Decision{Keep: true, Class: best.Class, Rule: best.Rule, Evidence: best.Step}, true
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
