package review

import (
	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// Story is what happened, step by step.
type Story struct {
	Traces []StoryTrace
	Whole  bool // it has every step
}

// StoryTrace is the part of a story that one trace tells.
type StoryTrace struct {
	Trace string
	Task  string
	Place string
	Rows  []StoryRow
	Rest  int // steps without a mark that are left out
}

// StoryRow is one step.
type StoryRow struct {
	Depth  int
	Offset string
	Took   string
	Name   string
	Agent  string
	Kind   string
	Failed bool
	First  bool
	Marks  []SignedMark
	Links  []Hop
	Place  string
	Error  string
}

// SignedMark is a mark with its letter.
type SignedMark struct {
	evidence.Mark
	Sign string
}

// Hop is a link to follow, in either direction.
type Hop struct {
	Out      bool
	Relation string
	Name     string
	Trace    string // "" inside one trace
	Place    string
}

// Sizes of a story: up to wholeStory steps it has all of them, else about
// shortStory.
const (
	wholeStory = 60
	shortStory = 60
	maxHops    = 8
	deepest    = 12 // steps are not moved further to the right than this
)

// NewStory tells the steps in the order of traces, every trace as a tree.
func NewStory(r *evidence.Reading, rep *evidence.Report, steps []evidence.Step) Story {
	show := map[int]bool{}
	if len(steps) <= wholeStory {
		for i := range steps {
			show[i] = true
		}
	} else {
		picked := chosen(steps, shortStory)
		for i := range steps {
			if picked[i] && (grave(steps[i].Marks) || steps[i].First || steps[i].Failed || steps[i].Parent < 0 || len(steps[i].Marks) > 0) {
				for p := i; p >= 0 && !show[p]; p = steps[p].Parent {
					show[p] = true
				}
			}
		}
	}
	s := Story{Whole: len(steps) <= wholeStory}
	start, _ := r.Window()
	children := make([][]int, len(steps))
	byTrace := map[string][]int{}
	size := map[string]int{}
	for i := range steps {
		trace := steps[i].Span.ID.Trace.String()
		size[trace]++
		if p := steps[i].Parent; p >= 0 {
			children[p] = append(children[p], i)
		} else {
			byTrace[trace] = append(byTrace[trace], i)
		}
	}
	for _, trace := range rep.Traces {
		t := StoryTrace{Trace: trace, Place: TracePlace(rep.Tenant, trace)}
		type todo struct{ step, depth int }
		var stack []todo
		push := func(list []int, depth int) {
			for i := len(list) - 1; i >= 0; i-- {
				stack = append(stack, todo{list[i], depth})
			}
		}
		push(byTrace[trace], 0)
		for len(stack) > 0 {
			next := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if !show[next.step] {
				continue // nothing below it is shown either
			}
			t.Rows = append(t.Rows, storyRow(steps, next.step, next.depth, start))
			push(children[next.step], next.depth+1)
		}
		if len(t.Rows) == 0 {
			continue
		}
		t.Task = title(steps[byTrace[trace][0]].Task)
		t.Rest = size[trace] - len(t.Rows)
		s.Traces = append(s.Traces, t)
	}
	return s
}

func storyRow(steps []evidence.Step, i, depth int, start int64) StoryRow {
	s := &steps[i]
	return StoryRow{
		Depth: min(depth, deepest), Offset: offset(s.Span.Start - start), Took: took(s.Span.Start, s.Span.End), Name: nameOf(s), Agent: s.Agent,
		Kind: kindOf(s), Failed: s.Failed, First: s.First, Marks: signed(s.Marks), Links: hops(steps, i), Place: stepPlace(s), Error: errorOf(s),
	}
}

func signed(marks []evidence.Mark) []SignedMark {
	out := make([]SignedMark, len(marks))
	for i, m := range marks {
		out[i] = SignedMark{m, sign(m)}
	}
	return out
}

// hops are the links of a step in both directions.
func hops(steps []evidence.Step, i int) []Hop {
	var out []Hop
	add := func(l evidence.StepLink, leads bool) {
		o := &steps[l.Other]
		h := Hop{Out: leads, Relation: spaced(l.Relation), Name: nameOf(o), Place: stepPlace(o)}
		if o.Span.ID.Trace != steps[i].Span.ID.Trace {
			h.Trace = short(o.Span.ID.Trace.String())
		}
		if len(out) < maxHops {
			out = append(out, h)
		}
	}
	for _, l := range steps[i].Out {
		add(l, true)
	}
	for _, l := range steps[i].In {
		add(l, false)
	}
	return out
}
