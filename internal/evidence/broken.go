package evidence

import (
	"slices"
	"time"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// severed returns what hangs in the air inside the time of an accused step: the
// top of a failed part of the run that is tied to nothing, or a statement about
// a failed or refused step that is not here. The accused step may have failed
// because of it, so nobody is accused by its failure alone.
func (s *suspects) severed(c *candidate) *gap {
	if c.reasons != failedStep {
		return nil
	}
	var explained, own map[*node]bool
	for _, n := range s.x.nodes {
		if n == c.at || !n.failed || !n.severed() || s.recovered[n] {
			continue
		}
		if own == nil {
			explained, own = s.explained(), map[*node]bool{}
			up(c.at, own)
		}
		if !own[n] && (n.during(c.at) || !explained[n] && s.x.maybeDuring(n, c.at, 0) || s.x.maybeDuring(n, c.at, farOff)) {
			return &gap{"what a failed step led to is not here", EvidenceRef{"span", n.span.ID.String()}, []string{"parent_span_id"}}
		}
	}
	for _, r := range s.x.records {
		if r.Step.Trace != c.at.span.ID.Trace || r.Step.IsZero() || s.x.byID[r.Step] != nil || r.Time < c.at.span.Start || r.Time > c.at.span.End {
			continue
		}
		if r.Attrs.Str(semconv.ErrorType) != "" || refusal(r.Attrs.Str(semconv.AppPermissionDecision)) {
			return &gap{"a step that failed is not here", EvidenceRef{"span", r.Step.String()}, []string{"span_id"}}
		}
	}
	return nil
}

// explained returns every step above a connected candidate: what ended them is known.
func (s *suspects) explained() map[*node]bool {
	out := map[*node]bool{}
	in := s.connected()
	for n, c := range s.byStep {
		if c != nil && in[n] {
			up(n, out)
		}
	}
	return out
}

// up adds a step and everything above it, by parent and by link.
func up(n *node, into map[*node]bool) {
	for ; n != nil && !into[n]; n = n.parent {
		into[n] = true
		for _, e := range n.to {
			up(e.step, into)
		}
	}
}

// during reports whether a step ran while another one could wait for it.
func (n *node) during(o *node) bool {
	return n.span.Start >= o.span.Start && n.span.End <= o.span.End
}

// farOff is so long that two clocks, and not two turns of a task, make it likely.
const farOff = int64(time.Hour)

// maybeDuring does the same for steps whose clocks cannot be compared: one of
// them lies outside the time of the run's root by more than a while.
func (x *index) maybeDuring(n, o *node, by int64) bool {
	root := x.rootSpan()
	if root == nil || n.span.ID.Trace == o.span.ID.Trace {
		return false
	}
	foreign := func(n *node) bool { return n.span.End < root.span.Start-by || n.span.Start > root.span.End+by }
	return (foreign(n) || foreign(o)) && n.span.End-n.span.Start <= o.span.End-o.span.Start
}

// severed reports whether nothing here says what the step led to: its parent is
// missing, or it begins a trace of another task that links to nothing here.
func (n *node) severed() bool {
	return n.orphan() || n.isRoot() && len(n.to) == 0
}

func refusal(verdict string) bool {
	return slices.Contains([]string{semconv.AppPermissionDecisionDeny, semconv.AppPermissionDecisionAbort}, verdict)
}
