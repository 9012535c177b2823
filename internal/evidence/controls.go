package evidence

import (
	"math"
	"slices"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// control is one cancel, pause, timeout or kill with every layer's word on it.
type control struct {
	id      string
	kind    string
	task    TaskID
	path    []controlStep
	stopped string // last layer with effective
	ignored string // last layer with ignored or lost
}

type controlStep struct {
	Control
	at *node
}

func (x *index) addControls() {
	byID := map[string]*control{}
	x.eachFacts(func(n *node, f *Facts) {
		for i := range f.Controls {
			c := f.Controls[i]
			if c.Task == "" && n != nil {
				c.Task = n.task
			}
			if c.Derived {
				c.ID = derive("control", string(c.Task), c.Kind)
			}
			o := byID[c.ID]
			if o == nil {
				o = &control{id: c.ID}
				byID[c.ID] = o
				x.controls = append(x.controls, o)
			}
			fill(&o.kind, c.Kind)
			if o.task == "" {
				o.task = c.Task
			}
			o.path = append(o.path, controlStep{c, n})
		}
	})
	for _, c := range x.controls {
		c.finish()
	}
	slices.SortStableFunc(x.controls, func(a, b *control) int {
		if a.path[0].Time != b.path[0].Time {
			return compareInts(a.path[0].Time, b.path[0].Time)
		}
		return compareStrings(a.id, b.id)
	})
}

func (c *control) finish() {
	slices.SortStableFunc(c.path, func(a, b controlStep) int {
		switch {
		case a.Time != b.Time:
			return compareInts(a.Time, b.Time)
		case a.Phase != b.Phase:
			return phaseRank(a.Phase) - phaseRank(b.Phase)
		}
		return compareSources(&a.Source, &b.Source)
	})
	var path []controlStep
	for _, s := range c.path {
		if !slices.ContainsFunc(path, func(o controlStep) bool {
			return o.Layer == s.Layer && o.Phase == s.Phase && (o.Time == s.Time || o.at != nil && o.at == s.at)
		}) {
			path = append(path, s)
		}
	}
	c.path = path
	for _, s := range path {
		switch s.Phase {
		case semconv.AppControlPhaseEffective:
			c.stopped = s.Layer
		case semconv.AppControlPhaseIgnored, semconv.AppControlPhaseLost:
			c.ignored = s.Layer
		}
	}
}

// isCancel reports whether the control wants work to end. A control of unstated
// kind counts as one.
func (c *control) isCancel() bool {
	switch c.kind {
	case "", semconv.AppControlKindCancel, semconv.AppControlKindKill:
		return true
	}
	return false
}

// ended reports whether the last word on the control says what became of it.
func (c *control) ended() bool {
	switch c.path[len(c.path)-1].Phase {
	case semconv.AppControlPhaseEffective, semconv.AppControlPhaseIgnored, semconv.AppControlPhaseLost:
		return true
	}
	return false
}

func (s *controlStep) failed() bool {
	return s.Phase == semconv.AppControlPhaseIgnored || s.Phase == semconv.AppControlPhaseLost
}

// pausedAt returns when a pause took effect, or was last heard of.
func (c *control) pausedAt() (t int64, effective bool) {
	for _, s := range c.path {
		if s.Phase == semconv.AppControlPhaseEffective {
			return s.Time, true
		}
	}
	return c.path[len(c.path)-1].Time, false
}

// resumed reports whether resume, reconcile or a claim followed a pause.
func (x *index) resumed(c *control) bool {
	t, _ := c.pausedAt()
	if x.lastResume() >= t {
		return true
	}
	if c.task == "" {
		return len(x.claims) > 0 && x.claims[len(x.claims)-1].Time >= t
	}
	return slices.ContainsFunc(x.ancestors(c.task), func(a TaskID) bool { return x.latest[a] != nil && x.latest[a].Time >= t })
}

// lastResume returns when the last step of phase resume or reconcile, or that
// continues another, ended.
func (x *index) lastResume() int64 {
	if x.resumeEnd != nil {
		return *x.resumeEnd
	}
	last := int64(math.MinInt64)
	for _, n := range x.nodes {
		phase := x.phase(n)
		if phase == semconv.AppTaskPhaseResume || phase == semconv.AppTaskPhaseReconcile ||
			slices.ContainsFunc(n.to, func(e edge) bool { return e.relation == semconv.AppLinkRelationContinues }) {
			last = max(last, n.span.End)
		}
	}
	x.resumeEnd = &last
	return last
}

// phase is that of the step, else of its nearest ancestor.
func (x *index) phase(n *node) string {
	return byParent(n, semconv.AppTaskPhase, x.memo(semconv.AppTaskPhase))
}
