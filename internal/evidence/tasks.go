package evidence

import (
	"slices"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// addTasks gives every step a task and finds the root task. A step without a
// stated task has that of its nearest ancestor, else the only task of its trace,
// else one named after the trace.
func (x *index) addTasks() {
	alone := map[TraceID]TaskID{}
	many := map[TraceID]bool{}
	for _, n := range x.nodes {
		t, trace := n.task, n.span.ID.Trace
		switch {
		case t == "":
		case alone[trace] == "":
			alone[trace] = t
		case alone[trace] != t:
			many[trace] = true
		}
	}
	seen := map[TaskID]bool{}
	mention := func(t TaskID) {
		if t != "" && !seen[t] {
			seen[t] = true
			x.tasks = append(x.tasks, t)
		}
	}
	x.inheritTasks()
	for _, n := range x.nodes {
		trace := n.span.ID.Trace
		if n.task == "" && !many[trace] {
			n.task = alone[trace]
		}
		mention(n.task)
	}
	stated := len(x.tasks) > 0
	for _, n := range x.nodes {
		if n.task == "" {
			n.task = traceTask(n.span.ID.Trace)
		}
		if !stated {
			mention(n.task)
		}
	}
	for _, r := range x.records {
		t := r.Task()
		if t == "" && x.byID[r.Step] == nil && r.Step.Trace != (TraceID{}) && len(x.nodes) == 0 {
			t = traceTask(r.Step.Trace)
		}
		mention(t)
	}
	x.addParents()
	x.root = x.findRoot()
}

// inheritTasks gives steps that state no task the one of their nearest ancestor
// that does.
func (x *index) inheritTasks() {
	asked := make([]bool, len(x.nodes))
	var path []*node
	for _, n := range x.nodes {
		path = path[:0]
		p := n
		for p.task == "" && p.parent != nil && !asked[p.at] {
			asked[p.at] = true
			path = append(path, p)
			p = p.parent
		}
		for _, below := range path {
			below.task = p.task
		}
	}
}

// addParents reads who delegated to whom. The first statement counts; a task
// is never its own parent.
func (x *index) addParents() {
	x.parents = map[TaskID]TaskID{}
	tops := map[TaskID]TaskID{}
	read := func(t TaskID, a Attrs) {
		if t == "" {
			return
		}
		parent, top := TaskID(a.Str(semconv.AppTaskParentID)), TaskID(a.Str(semconv.AppTaskRootID))
		if parent != "" && parent != t && x.parents[t] == "" {
			x.parents[t] = parent
		}
		if top != "" && top != t && tops[t] == "" {
			tops[t] = top
		}
	}
	for _, n := range x.nodes {
		if n.has&hasTasks != 0 {
			read(n.span.Task(), n.span.Attrs)
		}
	}
	for _, r := range x.records {
		read(r.Task(), r.Attrs)
	}
	for _, t := range x.tasks {
		// A root stated beside a task stands above everything known of it.
		if root := tops[t]; root != "" {
			if top := x.top(t); top != root && x.top(root) != top {
				x.parents[top] = root
			}
		}
	}
}

// top climbs to the task without a parent; in a cycle, to the first task of the run
// that is part of it.
func (x *index) top(t TaskID) TaskID {
	visited := map[TaskID]bool{}
	for !visited[t] {
		visited[t] = true
		p := x.parents[t]
		if p == "" {
			return t
		}
		t = p
	}
	cycle := map[TaskID]bool{}
	for !cycle[t] {
		cycle[t] = true
		t = x.parents[t]
	}
	for _, known := range x.tasks {
		if cycle[known] {
			return known
		}
	}
	for c := range cycle {
		if c < t {
			t = c
		}
	}
	return t
}

// ancestors returns the task and everything above it.
func (x *index) ancestors(t TaskID) []TaskID {
	out := []TaskID{t}
	for p := x.parents[t]; p != "" && !slices.Contains(out, p); p = x.parents[p] {
		out = append(out, p)
	}
	return out
}

// findRoot returns the task that the run is named by. Of several tops it is the
// one that the others link up to, else the first.
func (x *index) findRoot() TaskID {
	var tops []TaskID
	for _, t := range x.tasks {
		if top := x.top(t); !slices.Contains(tops, top) {
			tops = append(tops, top)
		}
	}
	if len(tops) == 0 {
		if len(x.records) > 0 {
			return traceTask(x.records[0].Step.Trace)
		}
		return ""
	}
	below := map[TaskID]bool{}
	known := map[TaskID]TaskID{}
	top := func(t TaskID) TaskID {
		if _, ok := known[t]; !ok {
			known[t] = x.top(t)
		}
		return known[t]
	}
	for _, n := range x.nodes {
		for _, e := range n.to {
			if a, b := top(n.task), top(e.step.task); a != b && !below[b] {
				below[a] = true
			}
		}
	}
	for _, t := range tops {
		if !below[t] {
			return t
		}
	}
	return tops[0]
}
