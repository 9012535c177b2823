package evidence

import (
	"slices"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// Effect states. They are computed over all attempts of an effect, by event
// time, and never taken on trust.
const (
	EffectConfirmed   = "confirmed"
	EffectReported    = "reported" // the executor's word, no receipt
	EffectFailed      = "failed"
	EffectUnknown     = "unknown"
	EffectNeverSent   = "never_sent"
	EffectCompensated = "compensated"
)

// effect is an intended change outside the agent over all its tries.
type effect struct {
	id      string
	derived bool
	task    TaskID
	tool    string
	target  string
	class   string
	said    []said // what was stated, by time
	stated  bool   // some stage is stated
	tries   []*try
	state   string
	start   int64
	end     int64
	clash   bool // one stage of one try is stated with different digests
}

// said is one statement about an effect, and the step it is made for.
type said struct {
	*EffectStage
	at    *node // step that states it, nil if it is not in the run
	owner *node // execute_tool it is stated for, else the step itself
}

func (x *index) addEffects() {
	x.byEffect = map[string]*effect{}
	byOwner := make([][]said, len(x.nodes))
	var room []said
	var owners []*node
	var loose []said
	x.eachFacts(func(n *node, f *Facts) {
		for i := range f.Effects {
			s := said{EffectStage: &f.Effects[i], at: n, owner: n}
			if n == nil || n.owner == nil {
				s.owner = x.callNamed(s.ToolCallID, &s.Source, n)
			}
			if s.owner == nil {
				loose = append(loose, s)
				continue
			}
			if n != nil && n.owner != nil {
				s.owner = n.owner
			}
			if s.Task == "" {
				s.Task = s.owner.task
			}
			if byOwner[s.owner.at] == nil {
				owners = append(owners, s.owner)
			}
			byOwner[s.owner.at] = add(byOwner[s.owner.at], &room, s)
		}
	})
	for _, o := range owners {
		x.addStatements(inheritFromCall(o, byOwner[o.at]))
	}
	for i := range loose {
		if s := loose[i].EffectStage; s.Derived {
			s.EffectID = deriveEffect(s)
		}
	}
	x.addStatements(loose)
	for _, e := range x.effects {
		e.finish()
	}
	x.effects = slices.DeleteFunc(x.effects, func(e *effect) bool { return !e.exists() })
	slices.SortStableFunc(x.effects, func(a, b *effect) int {
		if a.start != b.start {
			return compareInts(a.start, b.start)
		}
		return compareStrings(a.id, b.id)
	})
	clear(x.byEffect)
	for _, e := range x.effects {
		e.addTries()
		x.judgeEffect(e)
		x.byEffect[e.id] = e
	}
	x.relateTries()
}

// inheritFromCall completes what the spans below an execute_tool state with what
// the call and its other spans state, so that all of them mean one effect.
func inheritFromCall(o *node, all []said) []said {
	slices.SortStableFunc(all, func(a, b said) int {
		if (a.at == o) != (b.at == o) {
			if a.at == o {
				return -1
			}
			return 1
		}
		return compareSources(&a.Source, &b.Source)
	})
	var call EffectStage
	call.Tenant, call.Task, call.Step = o.span.Tenant, o.task, o.span.ID
	call.Tool = o.str(semconv.GenAIToolName)
	call.ToolCallID = o.str(semconv.GenAIToolCallID)
	call.Target = o.str(semconv.AppEffectTarget)
	call.TargetInferred = isInferred(o.list(semconv.AppMappingInferred), call.Target)
	call.Class = o.str(semconv.AppToolEffectClass)
	ids, id := 0, ""
	for i := range all {
		s := all[i].EffectStage
		fill(&call.Tool, s.Tool)
		fill(&call.ToolCallID, s.ToolCallID)
		call.fillTarget(s)
		fill(&call.Class, s.Class)
		fill(&call.RequestDigest, s.RequestDigest)
		fill(&call.IdempotencyKey, s.IdempotencyKey)
		if call.Attempt == 0 {
			call.Attempt = s.Attempt
		}
		if !s.Derived {
			if ids == 0 || s.EffectID != id {
				ids++
			}
			id, call.EffectID = s.EffectID, s.EffectID
		}
	}
	if ids != 1 {
		call.Derived = true
		call.EffectID = deriveEffect(&call)
	}
	for i := range all {
		s := all[i].EffectStage
		if s.Derived {
			s.EffectID, s.Derived = call.EffectID, call.Derived
		}
		if s.EffectID != call.EffectID {
			continue
		}
		fill(&s.Tool, call.Tool)
		fill(&s.ToolCallID, call.ToolCallID)
		s.fillTarget(&call)
		fill(&s.Class, call.Class)
		fill(&s.RequestDigest, call.RequestDigest)
		fill(&s.IdempotencyKey, call.IdempotencyKey)
		if s.Attempt == 0 {
			s.Attempt = call.Attempt
		}
	}
	return all
}

// isInferred reports whether the list of inferred keys names the target that is
// there.
func isInferred(inferred []string, target string) bool {
	return target != "" && slices.Contains(inferred, semconv.AppEffectTarget)
}

// fillTarget takes the other's target where there is none, or only an inferred
// one against a stated one.
func (s *EffectStage) fillTarget(from *EffectStage) {
	if s.Target == "" || s.TargetInferred && from.Target != "" && !from.TargetInferred {
		s.Target, s.TargetInferred = from.Target, from.TargetInferred
	}
}

// callNamed returns the call that a statement outside of any call names by its
// tool call id, else the step in whose context it is made.
func (x *index) callNamed(id string, src *Source, n *node) *node {
	if id != "" && (n == nil || !n.isCall()) {
		if calls := nearestCall(x.callsNamed(id, src), src.Time); len(calls) > 0 {
			return calls[0]
		}
	}
	return n
}

func fill(dst *string, v string) {
	if *dst == "" {
		*dst = v
	}
}

func (x *index) addStatements(all []said) {
	for _, s := range all {
		e := x.byEffect[s.EffectID]
		if e == nil {
			e = &effect{id: s.EffectID, derived: s.Derived}
			x.byEffect[s.EffectID] = e
			x.effects = append(x.effects, e)
		}
		e.said = append(e.said, s)
	}
}

// finish orders the statements and reads from them what the effect is.
func (e *effect) finish() {
	slices.SortStableFunc(e.said, func(a, b said) int {
		switch {
		case a.Time != b.Time:
			return compareInts(a.Time, b.Time)
		case a.Stage != b.Stage:
			return stageRank(a.Stage) - stageRank(b.Stage)
		}
		return compareSources(&a.Source, &b.Source)
	})
	for i := range e.said {
		s := &e.said[i]
		e.stated = e.stated || s.Stage != ""
		if e.task == "" {
			e.task = s.Task
		}
		fill(&e.tool, s.Tool)
		fill(&e.target, s.Target)
		if classRank(s.Class) > classRank(e.class) {
			e.class = s.Class
		}
		began := s.Time
		if s.at != nil {
			began = min(began, s.at.span.Start)
		}
		if i == 0 || began < e.start {
			e.start = began
		}
		e.end = max(e.end, s.Time)
	}
}

// exists reports whether there is an effect at all: a call that only reads has
// none, and a span that only names one is an edge to it.
func (e *effect) exists() bool {
	if e.class == semconv.AppToolEffectClassRead || e.class == semconv.AppToolEffectClassNone {
		return false
	}
	return e.stated || slices.ContainsFunc(e.said, func(s said) bool { return s.owner != nil && s.owner.isTool() })
}

// classRank orders effect classes by what they can do, so that of contradicting
// ones the graver counts.
func classRank(class string) int {
	return slices.Index([]string{
		"", semconv.AppToolEffectClassNone, semconv.AppToolEffectClassRead, semconv.AppToolEffectClassUnknown,
		semconv.AppToolEffectClassWrite, semconv.AppToolEffectClassExternal, semconv.AppToolEffectClassDestructive,
	}, class)
}
