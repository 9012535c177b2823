package evidence

import (
	"math"
	"slices"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// findRecovered marks failed steps that something made good: a step that did
// not fail retries or continues them; or their effect is confirmed or
// compensated and a later step of it did not fail; or their failed parent is
// recovered, or a failed retry of theirs is; or a later attempt of their task did
// not fail. A step of an unknown effect never is.
func (s *suspects) findRecovered() {
	s.recovered = map[*node]bool{}
	var queue []*node
	mark := func(n *node) {
		if n.failed && !s.recovered[n] && !s.inUnknown[n] {
			s.recovered[n] = true
			queue = append(queue, n)
		}
	}
	won := s.wonAttempts()
	for _, n := range s.x.nodes {
		if n.failed && (redone(n, math.MinInt64) || s.madeGood(n) || n.isRoot() && won.outdo(n)) {
			mark(n)
		}
	}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		for _, c := range n.children {
			mark(c)
		}
		for _, e := range n.to {
			if e.redoes() {
				mark(e.step)
			}
		}
		for _, e := range n.from {
			if e.caused() {
				mark(e.step)
			}
		}
	}
}

// attempts are, for each task, the attempts whose root did not fail.
type attempts map[TaskID]won

type won struct {
	last  int64 // highest number
	start int64 // when the last attempt after the first one began
}

func (s *suspects) wonAttempts() attempts {
	out := attempts{}
	for _, n := range s.x.nodes {
		if a := attemptOf(n); n.isRoot() && !n.failed && a > 0 {
			w := out[n.task]
			w.last = max(w.last, a)
			if a > 1 {
				w.start = max(w.start, n.span.Start)
			}
			out[n.task] = w
		}
	}
	return out
}

// outdo reports whether a later attempt of the task did not fail. A root that
// states no attempt belongs to an earlier one if it was over when that began.
func (all attempts) outdo(n *node) bool {
	w := all[n.task]
	if a := attemptOf(n); a > 0 {
		return a < w.last
	}
	return n.span.End <= w.start
}

func attemptOf(n *node) int64 {
	if n.has&hasTasks == 0 {
		return 0
	}
	a, _ := n.span.Attrs.Int(semconv.AppTaskAttempt)
	return a
}

// redone reports whether a step that did not fail, and ended after a time,
// retries or continues this one.
func redone(n *node, after int64) bool {
	return slices.ContainsFunc(n.from, func(e edge) bool {
		return !e.step.failed && e.step.span.End >= after && e.redoes()
	})
}

// madeGood reports whether the step states a stage of an effect that is known to
// have happened, or to be undone, and a later step of that effect did not fail.
func (s *suspects) madeGood(n *node) bool {
	for _, e := range s.tried[n] {
		if e.state != EffectConfirmed && e.state != EffectCompensated {
			continue
		}
		for _, st := range e.said {
			if st.at != nil && st.at != n && !st.at.failed && s.x.ended(st.at) >= s.x.ended(n) { // a coarse clock lets both end at one time
				return true
			}
		}
	}
	return false
}

// madeUp reports whether every lost call of an effect was recovered.
func (s *suspects) madeUp(e *effect) bool {
	return !slices.ContainsFunc(e.tries, func(t *try) bool {
		n := t.step()
		return t.outcome == EffectUnknown && (n == nil || !s.recovered[n])
	})
}

// mendedAfter reports whether what a failing verdict is about was done again, or
// undone, after the verdict. A receipt does not answer a verdict.
func (s *suspects) mendedAfter(v *verdict) bool {
	if s.inUnknown[v.target] {
		return false
	}
	if redone(v.target, v.Time) {
		return true
	}
	for _, e := range s.tried[v.target] {
		if e.state == EffectCompensated && e.end >= v.Time && (v.effect == nil || v.effect == e) {
			return true
		}
	}
	return false
}
