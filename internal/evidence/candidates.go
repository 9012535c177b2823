package evidence

import (
	"slices"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// reason says why a step may be the first wrong one.
type reason uint8

const (
	failedStep    reason = 1 << iota // a failed step below which nothing failed
	failedVerdict                    // target of a failing verdict
	brokeRule                        // an authority_violation
	lostControl                      // a control was ignored or lost here
	lostEffect                       // its effect is unknown
	failedEffect                     // its effect is stated as failed, its task as completed
)

// candidate is a step that may be the first wrong one, with what says so.
type candidate struct {
	at       *node
	reasons  reason
	verdicts []*verdict
	breaches []breach
	controls []*controlStep
	effects  []*effect
}

// suspects are all candidates of a run.
type suspects struct {
	x         *index
	byStep    map[*node]*candidate
	recovered map[*node]bool
	inUnknown map[*node]bool      // states a stage of an unknown effect
	tried     map[*node][]*effect // effects that a step states a stage of
	excused   map[*node]bool      // refused and not seen to run, or stopped as asked
}

func (x *index) suspects() *suspects {
	if x.suspected == nil {
		x.suspected = x.findSuspects()
	}
	return x.suspected
}

func (x *index) findSuspects() *suspects {
	s := &suspects{x: x, byStep: map[*node]*candidate{}}
	s.readEffects()
	s.readExcuses()
	s.findRecovered()
	for _, n := range x.nodes {
		if n.failed && !s.excused[n] && !s.recovered[n] && nothingFailedBelow(n) {
			s.add(n, failedStep)
		}
	}
	for _, v := range x.verdicts {
		if v.fails() && v.target != nil && !s.mendedAfter(v) {
			c := s.add(v.target, failedVerdict)
			c.verdicts = append(c.verdicts, v)
		}
	}
	for _, b := range x.breaches {
		if b.at != nil {
			c := s.add(b.at, brokeRule)
			c.breaches = append(c.breaches, b)
		}
	}
	for _, ctl := range x.controls {
		for i := range ctl.path {
			if p := &ctl.path[i]; p.failed() && p.at != nil {
				c := s.add(p.at, lostControl)
				c.controls = append(c.controls, p)
			}
		}
	}
	for _, e := range x.effects {
		s.addEffect(e)
	}
	return s
}

func (s *suspects) add(n *node, why reason) *candidate {
	c := s.byStep[n]
	if c == nil {
		c = &candidate{at: n}
		s.byStep[n] = c
	}
	c.reasons |= why
	return c
}

// nothingFailedBelow reports whether no child and no step that links here failed.
func nothingFailedBelow(n *node) bool {
	return !slices.ContainsFunc(n.children, func(c *node) bool { return c.failed }) &&
		!slices.ContainsFunc(n.from, func(e edge) bool { return e.step.failed && e.caused() })
}

// addEffect names the step of an effect that went wrong. Of several tries of an
// unknown effect it is the first whose outcome is not known.
func (s *suspects) addEffect(e *effect) {
	switch e.state {
	case EffectUnknown:
		if e.doubtful() {
			return
		}
		for _, t := range e.tries {
			if t.outcome != EffectUnknown {
				continue
			}
			n := t.step()
			if n == nil || !e.beganWith(t) {
				return // the first that was lost is not here
			}
			if n.failed {
				c := s.add(n, lostEffect)
				c.effects = append(c.effects, e)
				return
			}
		}
	case EffectFailed:
		if !s.x.failedAgainstClaim(e) {
			return
		}
		for _, t := range e.tries {
			if n := t.step(); n != nil && n.failed && !s.recovered[n] && !s.excused[n] {
				c := s.add(n, failedEffect)
				c.effects = append(c.effects, e)
				return
			}
		}
	}
}

// beganWith reports whether no attempt before a try is missing.
func (e *effect) beganWith(t *try) bool {
	return t.counted || t.number <= 1 || slices.ContainsFunc(e.tries, func(o *try) bool { return o.number < t.number })
}

// doubtful reports whether it is itself not known that there is an effect: no
// stage is stated, and not what the tool can do either.
func (e *effect) doubtful() bool {
	return !e.stated && e.class == semconv.AppToolEffectClassUnknown
}

// failedAgainstClaim reports whether an effect is stated as failed although its
// task is claimed completed and nothing mended it.
func (x *index) failedAgainstClaim(e *effect) bool {
	if e.state != EffectFailed || !e.stated || x.claimed(e.task) != semconv.AppOutcomeCompleted {
		return false
	}
	return !slices.ContainsFunc(x.effects, func(o *effect) bool {
		return o != e && o.tool == e.tool && o.target == e.target && o.end > e.end &&
			(o.state == EffectConfirmed || o.state == EffectReported)
	})
}

// readExcuses finds failed steps that did what they were told: a denied call
// that is not seen to have run, a cancelled step in a run that is claimed
// cancelled, and a step whose error is its verdict on something else.
func (s *suspects) readExcuses() {
	s.excused = map[*node]bool{}
	for _, v := range s.x.verdicts {
		if v.at != nil && v.at.failed && v.at != v.target && v.Record == (RecordID{}) && v.Verdict.Verdict != semconv.AppVerifierVerdictPass {
			s.excused[v.at] = true
		}
	}
	cancelled := s.x.claimed(s.x.root) == semconv.AppOutcomeCancelled
	for _, n := range s.x.nodes {
		if n.failed && (s.x.refused(n) || cancelled && n.error == canceledError) {
			s.excused[n] = true
		}
	}
}

func (s *suspects) readEffects() {
	s.inUnknown, s.tried = map[*node]bool{}, map[*node][]*effect{}
	for _, e := range s.x.effects {
		unknown := e.state == EffectUnknown && !e.doubtful()
		for _, t := range e.tries {
			for _, st := range t.said {
				for _, n := range []*node{st.at, st.owner} {
					if n == nil {
						continue
					}
					if unknown {
						s.inUnknown[n] = true
					}
					if e.stated && !slices.Contains(s.tried[n], e) {
						s.tried[n] = append(s.tried[n], e)
					}
				}
			}
			// The failed clients below an unknown call stand for it.
			for n := t.step(); n != nil && unknown && t.outcome == EffectUnknown && n != t.owner; n = n.parent {
				if s.inUnknown[n] {
					break
				}
				s.inUnknown[n] = true
			}
		}
	}
}
