package evidence

import (
	"slices"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// gap is a reason why a run without a first wrong step is not clean, and the
// attributes that would have decided it.
type gap struct {
	why     string
	ref     EvidenceRef
	missing []string
}

func unknownBecause(gaps []gap) Attribution {
	a := Attribution{Result: ResultUnknown, Strength: StrengthUnknown}
	for _, g := range gaps {
		if g.ref.ID != "" && !slices.Contains(a.Evidence, g.ref) {
			a.Evidence = append(a.Evidence, g.ref)
		}
		a.Missing = union(a.Missing, g.missing)
	}
	return a
}

// gaps lists what the evidence leaves open.
func (x *index) gaps(s *suspects) []gap {
	var out []gap
	add := func(why, kind, id string, missing ...string) {
		out = append(out, gap{why, EvidenceRef{kind, id}, missing})
	}
	if c := s.first(); c != nil {
		if g := s.severed(c); g != nil {
			out = append(out, *g)
		}
	}
	for _, e := range x.effects {
		if e.state == EffectUnknown && !(e.doubtful() && s.madeUp(e)) {
			add("an effect is unknown", "effect", e.id, semconv.AppEffectStage, semconv.AppEffectReceiptID)
		} else if x.failedAgainstClaim(e) {
			add("an effect failed and its task is claimed completed", "effect", e.id, semconv.ErrorType)
		}
	}
	for _, v := range x.verdicts {
		switch {
		case v.open():
			add("a verdict is unknown", "verdict", v.ref(), semconv.AppVerifierVerdict)
		case v.fails() && v.whole:
			add("a verdict fails the task as a whole", "verdict", v.ref(), semconv.AppVerifierSubjectKind, semconv.AppVerifierSubjectID)
		case v.fails() && v.target == nil:
			add("what a failing verdict is about is not here", "verdict", v.ref(), semconv.AppVerifierSubjectID)
		}
	}
	for _, d := range x.decisions {
		if d.unaimed {
			add("an answer does not say to which call it was given", "decision", d.ID, semconv.GenAIToolCallID)
		} else if d.doubted {
			add("who took a denial back is not stated", "decision", d.ID, semconv.AppPermissionDecidedBy)
		} else if d.refuses() && !d.settled {
			add("neither blocking nor running of a denied call is seen", "decision", d.ID, semconv.AppPermissionEnforced)
		}
	}
	for _, b := range x.breaches {
		if b.at == nil {
			add("the step that broke a rule is not here", "decision", b.decision.ID, semconv.GenAIToolCallID)
		}
	}
	for _, n := range x.untold {
		add("a link does not say whether it handed on authority", "span", n.span.ID.String(), semconv.AppLinkRelation)
	}
	for _, c := range x.controls {
		switch lost := slices.IndexFunc(c.path, func(p controlStep) bool { return p.failed() }); {
		case lost >= 0 && c.path[lost].at == nil:
			add("the step that ignored a control is not here", "control", c.id, "span_id")
		case c.isCancel() && !c.ended():
			add("how a cancel ended is not seen", "control", c.id, semconv.AppControlPhase)
		case c.kind == semconv.AppControlKindPause && lost < 0 && !x.resumed(c):
			add("a pause was not followed by resume or claim", "control", c.id, semconv.AppTaskPhase, semconv.AppOutcome)
		}
	}
	for _, p := range x.externals() {
		if !endState(p.ExternalState) {
			add("a remote task is not in an end state", "span", stepRef(p.Step), semconv.AppExternalTaskState)
		}
	}
	switch x.claimed(x.root) {
	case semconv.AppOutcomeFailed, semconv.AppOutcomeUnknown:
		add("the root task is claimed "+x.claimed(x.root), "span", stepRef(x.latest[x.root].Step), semconv.AppVerifierVerdict, semconv.ErrorType)
	}
	return append(out, x.unseenOutcome(s)...)
}

func stepRef(s StepID) string {
	if s.IsZero() {
		return ""
	}
	return s.String()
}

// unseenOutcome finds failures whose end is not in the run: a failed root that
// no candidate explains, and a failed step above which a parent is missing.
func (x *index) unseenOutcome(s *suspects) []gap {
	stopped := x.claimed(x.root) == semconv.AppOutcomeCancelled && slices.ContainsFunc(x.controls, func(c *control) bool {
		return c.isCancel() && c.stopped != "" && c.ignored == ""
	})
	for _, n := range x.nodes {
		if s.outcome(n) && !(stopped && s.excused[n]) {
			return []gap{{"the task failed and no step explains it", EvidenceRef{"span", n.span.ID.String()}, []string{semconv.AppVerifierVerdict}}}
		}
	}
	for _, n := range x.nodes {
		if !n.failed || s.recovered[n] || s.excused[n] {
			continue
		}
		if n.orphan() || n.isRoot() && n.danglingLink() {
			return []gap{{"what a failed step led to is not here", EvidenceRef{"span", n.span.ID.String()}, []string{"parent_span_id"}}}
		}
	}
	return nil
}

// danglingLink reports whether a failed root of a part of the run links only to steps
// that are not here.
func (n *node) danglingLink() bool { return len(n.span.Links) > 0 && len(n.to) == 0 }

// passes refers to the verdicts that a clean run rests on.
func (x *index) passes() []EvidenceRef {
	out := []EvidenceRef{}
	for _, v := range x.verdicts {
		if ref := (EvidenceRef{"verdict", v.ref()}); v.passes() && !slices.Contains(out, ref) {
			out = append(out, ref)
		}
	}
	return out
}
