package review

import (
	"fmt"
	"slices"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// Trace is a waterfall, a part of a long one.
type Trace struct {
	Tenant string
	ID     string
	Task   Ref
	Start  string
	Took   string
	Steps  int
	From   int // number of the first row, from 0
	Rows   []TraceRow
	Ticks  []Tick
	Next   string // place of the following rows
	Before string
	Others []Ref // other traces of the run
}

// TraceRow is one step with its bar, in thousandths of the trace's length.
type TraceRow struct {
	StoryRow
	X, W float64
}

// TraceRows is how many rows a page has.
const TraceRows = 200

// NewTrace builds the page of a trace, most rows from row from on; ok is false if the run has
// no step of it.
func NewTrace(r *evidence.Reading, trace evidence.TraceID, from, most int) (page Trace, ok bool) {
	steps := r.Steps()
	rep := r.Report("")
	var roots []int
	children := map[int][]int{}
	start, end := int64(1<<63-1), int64(-1<<63)
	for i := range steps {
		sp := steps[i].Span
		if sp.ID.Trace != trace {
			continue
		}
		page.Steps++
		start, end = min(start, sp.Start), max(end, sp.End)
		if p := steps[i].Parent; p >= 0 {
			children[p] = append(children[p], i)
		} else {
			roots = append(roots, i)
		}
	}
	if page.Steps == 0 {
		return page, false
	}
	page.Tenant, page.ID = rep.Tenant, trace.String()
	page.Task = Ref{title(evidence.TaskID(rep.RootTaskID)), rootPlace(&rep)}
	page.Start, page.Took, page.Ticks = clock(start), took(start, end), ticks(end-start)
	for _, other := range rep.Traces {
		if other != page.ID && len(page.Others) < 40 {
			page.Others = append(page.Others, Ref{short(other), TracePlace(rep.Tenant, other)})
		}
	}
	a := axis{start, end}
	page.From = max(min(from, page.Steps-1), 0)
	n := 0
	type todo struct{ step, depth int }
	var stack []todo
	push := func(list []int, depth int) {
		for _, i := range slices.Backward(list) {
			stack = append(stack, todo{i, depth})
		}
	}
	push(roots, 0)
	for len(stack) > 0 {
		next := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if n >= page.From && len(page.Rows) < most {
			sp := steps[next.step].Span
			x := a.at(sp.Start)
			page.Rows = append(page.Rows, TraceRow{storyRow(steps, next.step, next.depth, start), x, max(a.at(sp.End)-x, 2)})
		}
		n++
		push(children[next.step], next.depth+1)
	}
	if after := page.From + len(page.Rows); after < page.Steps {
		page.Next = with("/traces/"+page.ID, page.Tenant, "from", fmt.Sprint(after))
	}
	if page.From > 0 {
		page.Before = with("/traces/"+page.ID, page.Tenant, "from", fmt.Sprint(max(page.From-most, 0)))
	}
	return page, true
}
