package evidence

import "time"

// alignClocks finds traces whose clock is provably behind: what works on behalf
// of a step cannot have begun before it. Such a trace is moved so far that it
// begins with what it links to. Less than farOff may be anything, and a trace that
// begins later than it should may have waited: neither is moved.
func (x *index) alignClocks() {
	type tie struct{ from, to *node }
	var ties []tie
	for _, n := range x.nodes {
		for i := range n.to {
			if e := &n.to[i]; e.descends() && e.step.span.ID.Trace != n.span.ID.Trace {
				ties = append(ties, tie{n, e.step})
			}
		}
	}
	// A trace may hang on one that is moved itself; a circle of links ends.
	for range min(len(ties), maxClocks) {
		moved := false
		for _, t := range ties {
			trace := t.from.span.ID.Trace
			if behind := x.started(t.to) - x.started(t.from); behind > farOff && behind < farthest && x.behind[trace] < farthest {
				if x.behind == nil {
					x.behind = map[TraceID]int64{}
				}
				x.behind[trace] += behind
				moved = true
			}
		}
		if !moved {
			return
		}
	}
}

// farthest bounds how far a clock is corrected; one that begins in 1970 is.
const farthest = int64(100*365*24) * int64(time.Hour)

// maxClocks bounds how long a chain of traces with clocks of their own is followed.
const maxClocks = 16

// started and ended are the times of a step by the clock of the run. A step that
// ends before it starts ended when it started.
func (x *index) started(n *node) int64 { return n.span.Start + x.behind[n.span.ID.Trace] }

func (x *index) ended(n *node) int64 {
	return max(n.span.Start, n.span.End) + x.behind[n.span.ID.Trace]
}
