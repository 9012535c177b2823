package synth

import (
	"cmp"
	"slices"
	"time"
)

// looseWindow is how long after its opener a loose act may begin. It is wide
// enough for a person to answer a question, and a decision older than that
// says more about a forgotten dialog than about this call.
const looseWindow = 10 * time.Minute

// maxLoose bounds the work of one join; beyond it openers stand alone.
const maxLoose = 256

// joinLoose joins openers and closers that no id joins: in order of time, each
// opener goes to the first closer of the same name that begins after it. The
// whole assignment is made anew each time, so it does not depend on the order
// in which records came.
func (t *turn) joinLoose() {
	var openers, closers []*act
	for _, a := range t.acts {
		switch {
		case !a.loose && !(a.kind == actTool && a.closed && a.str(places().decision) == ""):
		case a.closed:
			closers = append(closers, a)
		case a.opened && !a.closed && !a.sent && !a.refused():
			openers = append(openers, a)
		}
	}
	if len(openers) == 0 || len(closers) == 0 || len(openers) > maxLoose || len(closers) > maxLoose {
		return
	}
	byTime := func(a, b *act) int {
		return cmp.Or(cmp.Compare(a.moment(), b.moment()), slices.Compare(a.id[:], b.id[:]))
	}
	slices.SortFunc(openers, byTime)
	slices.SortFunc(closers, byTime)
	before := make([]*act, len(closers))
	for i, c := range closers {
		before[i], c.partner = c.partner, nil
	}
	for _, o := range openers {
		o.taken = false
		for _, c := range closers {
			if c.partner == nil && o.begins(c) {
				c.partner, o.taken = o, true
				break
			}
		}
	}
	for i, c := range closers {
		if c.partner != before[i] {
			t.mark(c)
		}
	}
	for _, o := range openers {
		if o.taken {
			t.forget(o)
		} else {
			t.mark(o)
		}
	}
}

// moment orders loose acts: an opener by its record, a closer by its end.
func (a *act) moment() int64 {
	if a.closed {
		return a.end
	}
	return a.first
}

// begins reports whether the opener may be the beginning of the closer's act.
func (a *act) begins(c *act) bool {
	if a.kind != c.kind || a.subject() != c.subject() || c.end < a.first {
		return false
	}
	if own := c.str(places().decision); own != "" && own != a.str(places().decision) {
		return false // the result states the answer itself
	}
	return c.start-a.first <= int64(looseWindow)
}

// subject is the name of the tool or agent.
func (a *act) subject() string {
	switch a.kind {
	case actTool:
		return a.str(places().tool)
	case actAgent:
		return a.str(places().agent)
	}
	return ""
}
