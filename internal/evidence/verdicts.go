package evidence

import (
	"slices"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// verdict is one evaluation, however often it was stated.
type verdict struct {
	Verdict
	at       *node     // context
	again    []*Source // records and spans that say the same once more
	target   *node     // span that it is about, nil if there is none here
	whole    bool      // it is about a task as a whole
	subject  string    // key of the subject: equal subjects have equal keys
	task     TaskID    // of the subject, else of the context
	effect   *effect   // judged effect
	artifact string    // judged artifact
	answered bool      // the same verifier in the same version came to another result later
	doubt    bool      // a later pass may be by the same verifier: one of them does not say who it is
	clash    bool      // the same verifier says the opposite at the same time
	disagree bool      // another verifier or version says the opposite
	denies   bool      // it fails what is claimed completed
}

func (v *verdict) fails() bool {
	return v.Verdict.Verdict == semconv.AppVerifierVerdictFail && !v.answered && !v.clash && !v.doubt
}

func (v *verdict) passes() bool {
	return v.Verdict.Verdict == semconv.AppVerifierVerdictPass && !v.answered && !v.clash
}

func (v *verdict) open() bool {
	return v.clash || v.doubt || v.Verdict.Verdict == semconv.AppVerifierVerdictUnknown && !v.answered
}

func (x *index) addVerdicts() {
	type place struct {
		key    string
		time   int64
		at     *node
		record bool
	}
	seen := map[place]*verdict{}
	artifacts := x.artifacts()
	x.eachFacts(func(n *node, f *Facts) {
		for i := range f.Verdicts {
			v := &verdict{Verdict: f.Verdicts[i], at: n, task: f.Verdicts[i].Task}
			if v.task == "" && n != nil {
				v.task = n.task
			}
			x.aim(v, artifacts)
			key := v.subject + "\x00" + v.Verifier + "\x00" + v.Version + "\x00" + v.Metric + "\x00" + v.Verdict.Verdict
			record := v.Record != RecordID{}
			first := seen[place{key: key, time: v.Time}]
			if first == nil && v.at != nil {
				first = seen[place{key, 0, v.at, !record}]
			}
			if first != nil { // said by a record and by its span, or sent twice
				first.again = append(first.again, &f.Verdicts[i].Source)
				continue
			}
			seen[place{key: key, time: v.Time}] = v
			seen[place{key, 0, v.at, record}] = v
			x.verdicts = append(x.verdicts, v)
		}
	})
	slices.SortStableFunc(x.verdicts, func(a, b *verdict) int {
		if c := compareSources(&a.Source, &b.Source); c != 0 {
			return c
		}
		return compareStrings(a.subject+a.Verifier+a.Version+a.Verdict.Verdict, b.subject+b.Verifier+b.Version+b.Verdict.Verdict)
	})
	x.compareVerdicts()
}

// aim finds the subject of a verdict: what it names, else the step that its
// span or a span above it judges, else the step in whose context it was given.
func (x *index) aim(v *verdict, made map[string][]product) {
	kind, id := v.SubjectKind, v.SubjectID
	if id == "" && (kind == "" || kind == semconv.AppVerifierSubjectKindStep) {
		if step, ok := judgedAbove(v.at); ok {
			kind, id = semconv.AppVerifierSubjectKindStep, stepRef(step)
		} else if v.at != nil && !v.at.verifies(x) {
			kind, id = semconv.AppVerifierSubjectKindStep, v.at.span.ID.String()
		} else if v.at == nil && !v.Step.IsZero() {
			kind, id = semconv.AppVerifierSubjectKindStep, v.Step.String()
		}
	}
	if kind == "" && id != "" {
		kind = x.kindOfSubject(id, v, made)
	}
	v.SubjectKind, v.SubjectID = kind, id
	v.subject = kind + "\x00" + id
	switch kind {
	case semconv.AppVerifierSubjectKindStep:
		if v.target = x.stepNamed(id, v); v.target != nil {
			v.subject = kind + "\x00" + v.target.span.ID.String()
		}
	case semconv.AppVerifierSubjectKindArtifact:
		v.artifact = id
		v.target = producer(made[id], v.Time+x.behind[v.Step.Trace])
	case semconv.AppVerifierSubjectKindEffect:
		if v.effect = x.byEffect[id]; v.effect != nil {
			v.target = v.effect.callBefore(v.Time)
		}
		if v.target == nil {
			v.target = x.callOfEffect(id, v.Time)
		}
	case semconv.AppVerifierSubjectKindTask:
		v.whole = true
		if id != "" {
			v.task = TaskID(id)
		}
		v.subject = kind + "\x00" + string(v.task)
	}
	if v.target != nil {
		v.task = v.target.task
	}
}

// judgment remembers what a step, or one above it, says it judges.
type judgment struct {
	step StepID
	any  bool
}

// judgedAbove returns the step that a span, or one above it, says it judges.
func judgedAbove(n *node) (StepID, bool) {
	var path []*node
	found := &judgment{}
	for ; n != nil; n = n.parent {
		if n.judged != nil {
			found = n.judged
			break
		}
		path = append(path, n)
		if step, any := judged(n.span.Links); any {
			found = &judgment{step, any}
			break
		}
	}
	for _, p := range path {
		p.judged = found
	}
	return found.step, found.any
}

// verifies reports whether the step is itself an act of verification, which a
// verdict that names no subject is not about.
func (n *node) verifies(x *index) bool {
	return x.phase(n) == semconv.AppTaskPhaseVerify || n.op == evaluateOperation
}

const evaluateOperation = "evaluate" // gen_ai.operation.name of verdict spans, not in the pinned list

func (x *index) kindOfSubject(id string, v *verdict, made map[string][]product) string {
	switch {
	case x.stepNamed(id, v) != nil:
		return semconv.AppVerifierSubjectKindStep
	case len(made[id]) > 0:
		return semconv.AppVerifierSubjectKindArtifact
	case x.byEffect[id] != nil:
		return semconv.AppVerifierSubjectKindEffect
	case slices.Contains(x.tasks, TaskID(id)):
		return semconv.AppVerifierSubjectKindTask
	}
	return ""
}

// stepNamed finds a step by span id, trace and span id, or another id that only
// one step of the run has.
func (x *index) stepNamed(id string, v *verdict) *node {
	if step, ok := parseStep(id); ok {
		if step.Trace != (TraceID{}) {
			return x.byID[step]
		}
		if n := x.byID[StepID{v.Step.Trace, step.Span}]; n != nil {
			return n
		}
		return x.only(step.Span.String())
	}
	if calls := x.callsNamed(id, &v.Source); len(calls) > 0 {
		return nearestCall(calls, v.Time)[0]
	}
	return x.only(id)
}

// only returns the one step that has an id: span id, app.step.id or response id.
func (x *index) only(id string) *node {
	if x.named == nil {
		x.named = make(map[string][]*node, len(x.nodes))
		for _, n := range x.nodes {
			for _, id := range []string{n.span.ID.Span.String(), n.span.Attrs.Str(semconv.AppStepID), n.span.Attrs.Str(semconv.GenAIResponseID)} {
				if id != "" && !n.judgesAnother(x) {
					x.named[id] = append(x.named[id], n)
				}
			}
		}
	}
	if all := x.named[id]; len(all) == 1 {
		return all[0]
	}
	return nil
}

// callBefore returns the latest call of the effect that had begun.
func (e *effect) callBefore(t int64) *node {
	var first, last *node
	for _, tr := range e.tries {
		if tr.owner == nil || !tr.owner.isTool() {
			continue
		}
		if first == nil {
			first = tr.owner
		}
		if tr.owner.span.Start <= t {
			last = tr.owner
		}
	}
	if last == nil {
		last = first
	}
	return last
}

// callOfEffect finds the execute_tool that carries an effect id, also when the
// effect has no stage; else the only span that does.
func (x *index) callOfEffect(id string, t int64) *node {
	if x.carriers == nil {
		x.carriers = map[string][]*node{}
		for _, n := range x.nodes {
			if id := n.str(semconv.AppEffectID); id != "" && !n.judgesAnother(x) {
				x.carriers[id] = append(x.carriers[id], n)
			}
		}
	}
	if calls := x.carriers[id]; len(calls) > 0 {
		var first, last *node
		for _, n := range calls {
			if !n.isTool() {
				continue
			}
			if first == nil {
				first = n
			}
			if n.span.Start <= t {
				last = n
			}
		}
		switch {
		case last != nil:
			return last
		case first != nil:
			return first
		case len(calls) == 1:
			return calls[0]
		}
	}
	return nil
}
