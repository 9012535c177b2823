package evidence

import (
	"fmt"
	"slices"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// fullTimeline is the number of steps up to which the timeline shows them all;
// above it only those that matter and what stands above them.
const fullTimeline = 40

type timeline struct {
	*text
	marks map[*node][]seg
	show  map[*node]bool // nil shows all
	done  map[*node]bool
}

// timeline draws every trace as a tree; links stand where they start.
func (t *text) timeline() {
	if len(t.x.nodes) == 0 {
		return
	}
	legend := "  ✗ failed  [decision]  {stages of an effect}  <control>  (verdict)"
	if t.r.Attribution.Result == ResultStep {
		legend = "  ▶ first wrong step" + legend
	}
	t.blank()
	t.line(bold("TIMELINE"), dim(legend))
	l := &timeline{text: t, marks: t.allMarks(), done: map[*node]bool{}}
	if len(t.x.nodes) > fullTimeline {
		l.choose()
	}
	for _, trace := range t.r.Traces {
		var roots []*node
		for _, n := range t.x.nodes {
			if n.span.ID.Trace.String() == trace && n.parent == nil {
				roots = append(roots, n)
			}
		}
		l.trace(trace, roots)
	}
}

func (l *timeline) trace(id string, roots []*node) {
	if len(roots) == 0 {
		return
	}
	task := ""
	if _, unnamed := roots[0].task.Trace(); !unnamed {
		task = "  task " + string(roots[0].task)
	}
	head := []seg{dim("  trace " + short(id)), plain(task)}
	for _, e := range roots[0].to {
		head = append(head, dim("  "+relationName(e.relation)+" "), plain(e.step.span.Name))
	}
	l.line(head...)
	for _, n := range roots {
		l.step(n, "", "")
	}
}

// choose marks the steps that a reader of a long run needs: those with marks,
// roots, and everything above them, up to a bound.
func (l *timeline) choose() {
	l.show = map[*node]bool{}
	rows := 0
	add := func(n *node) {
		for p := n; p != nil && !l.show[p]; p = p.parent {
			l.show[p] = true
			rows++
		}
	}
	for _, want := range []func(n *node) bool{
		func(n *node) bool { return l.first(n) },
		func(n *node) bool { return n.parent == nil },
		func(n *node) bool { return n.failed },
		func(n *node) bool { return len(l.marks[n]) > 0 },
	} {
		for _, n := range l.x.nodes {
			if rows < fullTimeline && want(n) {
				add(n)
			}
		}
	}
}

func (l *timeline) first(n *node) bool {
	a := &l.r.Attribution
	return a.Result == ResultStep && a.SpanID == n.span.ID.Span.String() && a.TraceID == n.span.ID.Trace.String()
}

func (l *timeline) step(n *node, branch, below string) {
	if l.done[n] {
		return
	}
	l.done[n] = true
	if len(branch) > 3*24 {
		branch, below = branch[:3*24], below[:min(len(below), 3*24)] // deep trees stop growing to the right
		branch, below = strings.ToValidUTF8(branch, ""), strings.ToValidUTF8(below, "")
	}
	row := []seg{dim(fmt.Sprintf("  %9s %7s  %s", at(n.span.Start-l.x.start), lasted(n.span.Start, n.span.End), branch))}
	name := n.span.Name
	if name == "" {
		name = "(unnamed)"
	}
	switch {
	case l.first(n):
		row = append(row, bad("▶ "+name))
	case n.failed:
		row = append(row, bad(name))
	default:
		row = append(row, plain(name))
	}
	if n.failed {
		row = append(row, bad(" ✗"+strings.TrimSpace(errorWord(n))))
	}
	for _, m := range l.marks[n] {
		row = append(row, plain(" "), m)
	}
	var kids []*node
	hidden := 0
	for _, c := range n.children {
		switch {
		case l.done[c]:
		case l.show == nil || l.show[c]:
			kids = append(kids, c)
		default:
			hidden += l.hide(c)
		}
	}
	if hidden > 0 && len(kids) == 0 {
		row = append(row, dim(fmt.Sprintf(" +%d more", hidden)))
		hidden = 0
	}
	l.line(row...)
	for i, c := range kids {
		if i == len(kids)-1 && hidden == 0 {
			l.step(c, below+"└ ", below+"  ")
		} else {
			l.step(c, below+"├ ", below+"│ ")
		}
	}
	if hidden > 0 {
		l.line(dim(fmt.Sprintf("  %17s  %s└ %s more without a mark", "", below, count(hidden, "step"))))
	}
}

// hide counts a step and all below it as done.
func (l *timeline) hide(n *node) int {
	total := 0
	stack := []*node{n}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if l.done[n] {
			continue
		}
		l.done[n] = true
		total++
		stack = append(stack, n.children...)
	}
	return total
}

// brackets of the kinds of marks.
var brackets = map[string][2]string{MarkDecision: {"[", "]"}, MarkEffect: {"{", "}"}, MarkControl: {"<", ">"}, MarkVerdict: {"(", ")"}}

var tones = map[string]func(string) seg{"": plain, ToneGood: good, ToneOdd: odd, ToneBad: bad, ToneDim: dim}

// allMarks says beside each step what was decided, sent, judged and stopped there,
// and where its links lead.
func (t *text) allMarks() map[*node][]seg {
	m := map[*node][]seg{}
	for n, marks := range t.x.marks() {
		for _, k := range marks {
			m[n] = append(m[n], tones[k.Tone](brackets[k.Kind][0]+k.Text+brackets[k.Kind][1]))
		}
	}
	for _, n := range t.x.nodes {
		for _, e := range n.to {
			link := dim("→ " + relationName(e.relation) + " " + e.step.span.Name)
			if n.parent != nil && !slices.Contains(m[n], link) {
				m[n] = append(m[n], link)
			}
		}
	}
	return m
}

func relationName(relation string) string {
	if relation == "" {
		return semconv.AppLinkRelationRelated
	}
	return strings.ReplaceAll(relation, "_", " ")
}

func by(who string) string {
	if who == "" {
		return ""
	}
	return "by " + who
}
