package review

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// Timeline is all steps of a run over one axis of time. Places along it are in
// thousandths of its width, heights in pixels.
type Timeline struct {
	Lanes  []Lane
	Links  []Line
	Ticks  []Tick
	Height int
	Steps  int // all of them
	Alone  int // those that are bars of their own
}

// Lane is one attempt at a task.
type Lane struct {
	Title   string // task
	Sub     string // attempt, agents, traces
	Top     int
	Height  int
	Bars    []Bar
	Glyphs  []Glyph
	Crowd   string // path along the steps that have no bar of their own, in thousandths and pixels
	Steps   int
	Trouble int // failed steps
}

// Bar is one step.
type Bar struct {
	X, W   float64
	Y      int
	Label  string // what it is about, in few letters: its colour tells the kind
	Title  string // everything in one line
	Kind   string // agent, model, tool, other
	Failed bool
	First  bool // first wrong step
	Place  string
	N      int // place among all steps
}

// Glyph is a mark beside its bar.
type Glyph struct {
	X     float64
	Y     int
	Sign  string
	Kind  string
	Tone  string
	Title string
	Place string
}

// Line is a link between two steps.
type Line struct {
	X1, X2 float64
	Y1, Y2 int
	Title  string
	Across bool // between traces
}

// Tick is a place on the axis.
type Tick struct {
	X    float64
	Text string
}

// Measures of a lane, in pixels.
const (
	laneHead   = 22
	glyphRow   = 18
	barStep    = 22
	barHeight  = 16
	laneFoot   = 8
	axisHeight = 24
	maxRows    = 7
	maxGlyphs  = 3 // rows of them
)

// maxBars is how many steps are drawn alone; the rest is a crowd. maxMarks is how many
// marks all lanes have together. They keep the page of a run of any size small.
const (
	maxBars  = 240
	maxMarks = 240
)

type laneKey struct {
	task    evidence.TaskID
	attempt int64
}

// axis turns times into thousandths.
type axis struct{ start, end int64 }

func (a axis) at(t int64) float64 {
	t = min(max(t, a.start), a.end)
	return float64(t-a.start) * 1000 / float64(max(a.end-a.start, 1))
}

// NewTimeline draws the steps of a run.
func NewTimeline(r *evidence.Reading, steps []evidence.Step) Timeline {
	start, end := r.Window()
	t := Timeline{Steps: len(steps)}
	a := axis{start, end}
	lanes, order := lanesOf(steps)
	alone := chosen(steps, maxBars)
	room := roomFor(steps)
	t.Alone = len(alone)
	type spot struct {
		x float64
		y int
	}
	at := make([]spot, len(steps))
	t.Height = axisHeight
	for _, key := range order {
		lane := layLane(steps, lanes[key], alone, room, a, t.Height)
		lane.Title, lane.Sub = title(key.task), laneSub(key, steps, lanes[key])
		t.Lanes = append(t.Lanes, lane.Lane)
		for i, y := range lane.rows {
			at[lanes[key][i]] = spot{a.at(steps[lanes[key][i]].Span.Start), y}
		}
		t.Height += lane.Height
	}
	for i := range steps {
		for _, l := range steps[i].Out {
			if !alone[i] && !alone[l.Other] {
				continue
			}
			t.Links = append(t.Links, Line{
				X1: at[i].x, Y1: at[i].y + barHeight + 3, X2: at[l.Other].x, Y2: at[l.Other].y + barHeight + 3,
				Title:  nameOf(&steps[i]) + " " + spaced(l.Relation) + " " + nameOf(&steps[l.Other]),
				Across: steps[i].Span.ID.Trace != steps[l.Other].Span.ID.Trace,
			})
		}
	}
	if len(t.Links) > maxBars {
		t.Links = t.Links[:maxBars]
	}
	t.Ticks = ticks(end - start)
	return t
}

// lanesOf sorts steps into lanes; lanes are ordered by their first step.
func lanesOf(steps []evidence.Step) (map[laneKey][]int, []laneKey) {
	lanes := map[laneKey][]int{}
	var order []laneKey
	for i := range steps {
		k := laneKey{steps[i].Task, steps[i].Attempt}
		if lanes[k] == nil {
			order = append(order, k)
		}
		lanes[k] = append(lanes[k], i)
	}
	return lanes, order
}

func laneSub(k laneKey, steps []evidence.Step, list []int) string {
	var parts, agents []string
	if k.attempt > 0 {
		parts = append(parts, fmt.Sprintf("attempt %d", k.attempt))
	}
	traces := map[evidence.TraceID]bool{}
	for _, i := range list {
		traces[steps[i].Span.ID.Trace] = true
		if a := steps[i].Agent; a != "" && !slices.Contains(agents, a) && len(agents) < 3 {
			agents = append(agents, a)
		}
	}
	if len(agents) > 0 {
		parts = append(parts, strings.Join(agents, ", "))
	}
	return strings.Join(append(parts, count(len(list), "step"), count(len(traces), "trace")), " · ")
}

// chosen are the steps that are drawn alone: those that tell something first, then
// the longest.
func chosen(steps []evidence.Step, most int) map[int]bool {
	out := map[int]bool{}
	if len(steps) <= most {
		for i := range steps {
			out[i] = true
		}
		return out
	}
	for _, want := range []func(s *evidence.Step) bool{
		func(s *evidence.Step) bool { return s.First },
		func(s *evidence.Step) bool { return s.Parent < 0 },
		func(s *evidence.Step) bool { return grave(s.Marks) },
		func(s *evidence.Step) bool { return s.Failed },
		func(s *evidence.Step) bool { return len(s.Marks) > 0 || len(s.Out)+len(s.In) > 0 },
	} {
		for i := range steps {
			if len(out) < most && want(&steps[i]) {
				out[i] = true
			}
		}
	}
	rest := make([]int, 0, len(steps))
	for i := range steps {
		if !out[i] {
			rest = append(rest, i)
		}
	}
	slices.SortStableFunc(rest, func(a, b int) int {
		return cmp.Compare(steps[b].Span.End-steps[b].Span.Start, steps[a].Span.End-steps[a].Span.Start)
	})
	for _, i := range rest[:min(len(rest), most-len(out))] {
		out[i] = true
	}
	return out
}

func grave(marks []evidence.Mark) bool {
	return slices.ContainsFunc(marks, func(m evidence.Mark) bool { return m.Tone == evidence.ToneBad || m.Tone == evidence.ToneOdd })
}

// ticks are five to ten round lengths of time.
func ticks(length int64) []Tick {
	if length <= 0 {
		return []Tick{{0, "0s"}}
	}
	step := int64(1)
	for _, unit := range []int64{1e3, 1e4, 1e5, 1e6, 2e6, 5e6, 1e7, 2e7, 5e7, 1e8, 2e8, 5e8, 1e9, 2e9, 5e9, 1e10, 2e10, 3e10, 6e10, 12e10, 3e11, 6e11, 12e11, 18e11, 36e11, 72e11, 216e11, 432e11, 864e11, 1728e11, 6048e11, 2592e12} {
		step = unit
		if length/unit <= 8 {
			break
		}
	}
	var out []Tick
	for t := int64(0); t <= length-length/25 && len(out) < 20; t += step { // the last would not fit
		out = append(out, Tick{float64(t) * 1000 / float64(length), offset(t)})
	}
	return out
}

// kindOf is how a step is drawn.
func kindOf(s *evidence.Step) string {
	switch s.Op {
	case semconv.GenAIOperationNameInvokeAgent, semconv.GenAIOperationNameInvokeWorkflow, semconv.GenAIOperationNameCreateAgent:
		return "agent"
	case semconv.GenAIOperationNameExecuteTool:
		return "tool"
	case "":
		return "other"
	}
	return "model"
}
