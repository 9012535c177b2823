package evidence

import (
	"slices"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

func (x *index) addClaims() {
	type place struct {
		at   *node
		task TaskID
		by   string
		st   string
	}
	seen := map[place]*Claim{}
	x.eachFacts(func(n *node, f *Facts) {
		for i := range f.Claims {
			c := f.Claims[i]
			if c.Task == "" && n != nil {
				c.Task = n.task
			}
			p := place{n, c.Task, c.By, c.State}
			if o := seen[p]; n != nil && o != nil { // a record and its span say the same
				o.Time = max(o.Time, c.Time)
				o.Basis, o.Missing = union(o.Basis, c.Basis), union(o.Missing, c.Missing)
				continue
			}
			seen[p] = &c
			x.claims = append(x.claims, &c)
		}
	})
	slices.SortStableFunc(x.claims, func(a, b *Claim) int {
		switch {
		case a.Time != b.Time:
			return compareInts(a.Time, b.Time)
		case claimRank(a.State) != claimRank(b.State):
			return claimRank(a.State) - claimRank(b.State)
		}
		return compareSources(&a.Source, &b.Source)
	})
	x.latest = map[TaskID]*Claim{}
	for _, c := range x.claims {
		x.latest[c.Task] = c
	}
}

// claimRank orders claims of one time: of two that contradict each other the
// one that promises less counts.
func claimRank(state string) int {
	return slices.Index([]string{
		semconv.AppOutcomeCompleted, semconv.AppOutcomeCancelled, semconv.AppOutcomeFailed, semconv.AppOutcomeUnknown,
	}, state)
}

func union(a, b []string) []string {
	for _, s := range b {
		if !slices.Contains(a, s) {
			a = append(slices.Clip(a), s)
		}
	}
	return a
}

// claimed returns the latest state claimed for a task, or "".
func (x *index) claimed(t TaskID) string {
	if c := x.latest[t]; c != nil {
		return c.State
	}
	return ""
}

// completedAbove reports whether the task or one above it is claimed completed.
func (x *index) completedAbove(t TaskID) bool {
	for _, a := range x.ancestors(t) {
		if x.claimed(a) == semconv.AppOutcomeCompleted {
			return true
		}
	}
	return false
}

// unrest says why a run without a claim is still running, or "".
func (x *index) unrest() string {
	if x.latest[x.root] != nil {
		return ""
	}
	var began, ended int64
	for _, r := range x.records {
		if t := r.Task(); t != x.root && t != "" {
			continue
		}
		switch r.Event {
		case semconv.EventAppTaskSubmitted, semconv.EventAppTaskStarted, semconv.EventAppTurnStarted:
			began = max(began, r.Time)
		case semconv.EventAppTaskEnded, semconv.EventAppTurnEnded:
			ended = max(ended, r.Time)
		}
	}
	if began > ended {
		return "started and not ended"
	}
	for _, c := range x.controls {
		if _, effective := c.pausedAt(); c.kind == semconv.AppControlKindPause && effective && !x.resumed(c) {
			return "paused"
		}
	}
	for _, p := range x.externals() {
		if !endState(p.ExternalState) {
			return "external task not ended"
		}
	}
	root, submit := false, true
	for _, n := range x.nodes {
		if n.isRoot() && n.task == x.root {
			root = true
			submit = submit && x.phase(n) == semconv.AppTaskPhaseSubmit
		}
	}
	switch {
	case !root && len(x.nodes) > 0:
		return "no root span"
	case root && submit && len(x.nodes) > 0:
		return "submitted and not executed"
	}
	return ""
}
