package evidence

import "github.com/otelcol-agent/otelcol-agent/semconv"

// Step is a span in its surroundings, in the order of starts.
type Step struct {
	Span     *Span
	Records  []*Record // in its context
	Parent   int       // place of the parent, -1 without one here
	Task     TaskID    // stated, else that of its surroundings, else "trace:" and hex
	Attempt  int64     // at its task, 0 if there is no telling
	Agent    string    // its own, else of the nearest ancestor
	Op       string    // gen_ai.operation.name
	Tool     bool      // it is the execution of a tool
	Failed   bool
	First    bool // it is the first wrong step
	Marks    []Mark
	Out, In  []StepLink // links that start here, and that lead here
	Unlinked int        // links that start here and lead out of the run
}

// StepLink is a link to another step of the run.
type StepLink struct {
	Other    int // place of the other step
	Relation string
}

// Steps returns all steps of the run, the earliest first.
func (r *Reading) Steps() []Step {
	x := r.x
	a := x.attribute()
	marks := x.marks()
	attempts := map[TaskID]map[*node]int64{}
	out := make([]Step, len(x.nodes))
	for i, n := range x.nodes {
		by, ok := attempts[n.task]
		if !ok {
			by = x.attemptsOf(n.task)
			attempts[n.task] = by
		}
		s := Step{
			Span: n.span, Records: n.records, Parent: -1, Task: n.task, Attempt: by[n], Op: n.op,
			Agent: x.inherited(n, semconv.GenAIAgentName), Tool: n.isTool(), Failed: n.failed, Marks: marks[n],
			First: a.Result == ResultStep && a.SpanID == n.span.ID.Span.String() && a.TraceID == n.span.ID.Trace.String(),
		}
		if n.parent != nil {
			s.Parent = n.parent.at
		}
		for _, e := range n.to {
			s.Out = append(s.Out, StepLink{e.step.at, e.relation})
		}
		for _, e := range n.from {
			s.In = append(s.In, StepLink{e.step.at, e.relation})
		}
		s.Unlinked = len(n.span.Links) - len(n.to)
		out[i] = s
	}
	return out
}

// Spans returns the spans of the run, the earliest first, and the place of each one's
// parent, -1 without one here.
func (r *Reading) Spans() (spans []*Span, parents []int) {
	spans, parents = make([]*Span, len(r.x.nodes)), make([]int, len(r.x.nodes))
	for i, n := range r.x.nodes {
		spans[i], parents[i] = n.span, -1
		if n.parent != nil {
			parents[i] = n.parent.at
		}
	}
	return spans, parents
}

// Window is the time of the run in Unix nanoseconds, records included.
func (r *Reading) Window() (start, end int64) { return r.x.start, r.x.end }

// Loose are the records that belong to no step of the run.
func (r *Reading) Loose() []*Record {
	var out []*Record
	for _, rec := range r.x.records {
		if r.x.byID[rec.Step] == nil {
			out = append(out, rec)
		}
	}
	return out
}
