package evidence

import (
	"slices"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// Keep classes, in the order in which one of several is chosen.
const (
	ClassSecurityDenial       = "security_denial"
	ClassAuthorityViolation   = "authority_violation"
	ClassDestructiveEffect    = "destructive_effect"
	ClassUnknownEffect        = "unknown_effect"
	ClassVerifierDisagreement = "verifier_disagreement"
	ClassResumeFailure        = "resume_failure"
	ClassVerifierFail         = "verifier_fail"
	ClassCancelIgnored        = "cancel_ignored"
	ClassError                = "error"
)

// Classes returns all keep classes in order.
func Classes() []string {
	return []string{
		ClassSecurityDenial, ClassAuthorityViolation, ClassDestructiveEffect, ClassUnknownEffect,
		ClassVerifierDisagreement, ClassResumeFailure, ClassVerifierFail, ClassCancelIgnored, ClassError,
	}
}

// ClassHit says that a run belongs to a keep class, by which rule, and which
// step proves it; the step is zero if only a record without context does.
type ClassHit struct {
	Class string
	Rule  string
	Step  StepID
	Count int // how many steps, verdicts, effects or records the rule holds for
}

// Classify returns the keep classes of a run in their order, one hit for each
// rule that applies, with the first step that proves it. An ordinary run has none.
func Classify(run Run) []ClassHit { return newIndex(run).classify() }

func (x *index) classify() []ClassHit {
	hits := &hits{seen: map[[2]string]int{}}
	x.classifySteps(hits)
	for _, d := range x.decisions {
		if d.refuses() {
			hits.add(ClassSecurityDenial, "decision_"+d.Verdict, d.Step)
		}
	}
	for _, p := range x.externals() {
		if p.ExternalState == semconv.AppExternalTaskStateAuthRequired {
			hits.add(ClassSecurityDenial, "auth_required", p.Step)
		}
	}
	for _, b := range x.breaches {
		step := StepID{}
		if b.at != nil {
			step = b.at.span.ID
		}
		hits.add(ClassAuthorityViolation, b.rule, step)
	}
	for _, e := range x.effects {
		if e.class == semconv.AppToolEffectClassDestructive {
			hits.add(ClassDestructiveEffect, "effect_class_destructive", e.place())
		}
		if e.state == EffectUnknown {
			hits.add(ClassUnknownEffect, "effect_state_unknown", e.place())
		}
	}
	for _, v := range x.verdicts {
		if v.disagree {
			hits.add(ClassVerifierDisagreement, "verifiers_disagree", v.place())
		}
		if v.denies {
			hits.add(ClassVerifierDisagreement, "verdict_against_claim", v.place())
		}
		if v.Verdict.Verdict == semconv.AppVerifierVerdictFail && !v.answered {
			hits.add(ClassVerifierFail, "verdict_fail", v.place())
		}
	}
	for _, c := range x.controls {
		if _, effective := c.pausedAt(); c.kind == semconv.AppControlKindPause && effective && !x.resumed(c) {
			hits.add(ClassResumeFailure, "pause_not_resumed", c.path[len(c.path)-1].Step)
		}
		for _, p := range c.path {
			if p.failed() {
				hits.add(ClassCancelIgnored, "control_"+p.Phase, p.Step)
			}
		}
	}
	return hits.sorted()
}

func (x *index) classifySteps(hits *hits) {
	for _, n := range x.nodes {
		id := n.span.ID
		if n.guarded() {
			hits.add(ClassSecurityDenial, "guardrail_block", id)
		}
		if (n.failed || n.has&hasError != 0) && authorizationError(n.span) {
			hits.add(ClassSecurityDenial, "authorization_error", id)
		}
		if n.has&hasToolClass != 0 {
			hits.addToolClass(n.span.Attrs.Str(semconv.AppToolEffectClass), id)
		}
		if n.failed {
			switch x.phase(n) {
			case semconv.AppTaskPhaseResume, semconv.AppTaskPhaseReconcile:
				hits.add(ClassResumeFailure, "resume_error", id)
			}
			hits.add(ClassError, "span_error", id)
		}
	}
	for _, r := range x.records {
		if r.Attrs.Str(semconv.AppGuardrailOutcome) == semconv.AppGuardrailOutcomeBlock {
			hits.add(ClassSecurityDenial, "guardrail_block", r.Step)
		}
		hits.addToolClass(r.Attrs.Str(semconv.AppToolEffectClass), r.Step)
	}
}

func (e *effect) place() StepID {
	for _, t := range e.tries {
		if n := t.step(); n != nil {
			return n.span.ID
		}
	}
	if len(e.said) > 0 {
		return e.said[0].Step
	}
	return StepID{}
}

func (v *verdict) place() StepID {
	if v.target != nil {
		return v.target.span.ID
	}
	return v.Step
}

// hits collects the first proof of each rule.
type hits struct {
	list []ClassHit
	seen map[[2]string]int // 1 + place in list
}

func (h *hits) add(class, rule string, step StepID) {
	k := [2]string{class, rule}
	if at := h.seen[k]; at > 0 {
		h.list[at-1].Count++
		return
	}
	h.list = append(h.list, ClassHit{class, rule, step, 1})
	h.seen[k] = len(h.list)
}

func (h *hits) addToolClass(class string, step StepID) {
	switch class {
	case semconv.AppToolEffectClassDestructive:
		h.add(ClassDestructiveEffect, "effect_class_destructive", step)
	case semconv.AppToolEffectClassUnknown:
		h.add(ClassUnknownEffect, "effect_class_unknown", step)
	}
}

func (h *hits) sorted() []ClassHit {
	order := Classes()
	slices.SortStableFunc(h.list, func(a, b ClassHit) int {
		return slices.Index(order, a.Class) - slices.Index(order, b.Class)
	})
	return h.list
}

// classOf is the keep class of a candidate's own kind, the first of the table if
// there are several.
func (x *index) classOf(c *candidate) string {
	own := map[string]bool{}
	if c.reasons&failedStep != 0 {
		own[ClassError] = true
		own[ClassSecurityDenial] = c.at.error == deniedError
		phase := x.phase(c.at)
		own[ClassResumeFailure] = phase == semconv.AppTaskPhaseResume || phase == semconv.AppTaskPhaseReconcile
	}
	for _, v := range c.verdicts {
		own[ClassVerifierFail] = true
		own[ClassVerifierDisagreement] = own[ClassVerifierDisagreement] || v.disagree || v.denies
	}
	own[ClassAuthorityViolation] = c.reasons&brokeRule != 0
	own[ClassCancelIgnored] = c.reasons&lostControl != 0
	for _, e := range c.effects {
		own[ClassDestructiveEffect] = own[ClassDestructiveEffect] || e.class == semconv.AppToolEffectClassDestructive
		own[ClassUnknownEffect] = own[ClassUnknownEffect] || e.state == EffectUnknown
		own[ClassError] = true
	}
	for _, class := range Classes() {
		if own[class] {
			return class
		}
	}
	return ClassError
}
