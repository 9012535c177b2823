package evidence

import (
	"slices"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// absence is what a run speaks of and does not hold: spans that a sampler dropped,
// that another collector kept to itself, or that were never sent. It accuses
// nobody; it says how far the answers reach.
type absence struct {
	dropped bool // a sampler says that it dropped earlier spans
	parents int  // steps that are named as a parent and are not here
	links   int  // steps that are linked to as part of the run and are not here
}

// absent looks for what is missing. The turn before, which a link of relation
// follows names, is not part of the run.
func (x *index) absent() absence {
	var a absence
	seen := map[StepID]bool{}
	missing := func(id StepID) bool {
		if id.IsZero() || x.byID[id] != nil || seen[id] {
			return false
		}
		seen[id] = true
		return true
	}
	for _, n := range x.nodes {
		a.dropped = a.dropped || n.has&hasDropped != 0
		if n.parent == nil && !n.isRoot() && missing(StepID{n.span.ID.Trace, n.span.Parent}) {
			a.parents++
		}
	}
	for _, n := range x.nodes {
		for i := range n.span.Links {
			if l := &n.span.Links[i]; l.Relation != semconv.AppLinkRelationFollows && missing(l.To) {
				a.links++
			}
		}
	}
	return a
}

func (a absence) any() bool { return a.dropped || a.parents+a.links > 0 }

// keys names what would have to be there.
func (a absence) keys() []string {
	var out []string
	if a.dropped {
		out = append(out, semconv.AppSamplingIncomplete)
	}
	if a.parents > 0 {
		out = append(out, "parent_span_id")
	}
	if a.links > 0 {
		out = append(out, "links.to")
	}
	return out
}

// words says it for people.
func (a absence) words() []string {
	var out []string
	if a.dropped {
		out = append(out, "a sampler dropped earlier spans before it kept the run")
	}
	if a.parents > 0 {
		out = append(out, count(a.parents, "step")+" named as parent not here")
	}
	if a.links > 0 {
		out = append(out, count(a.links, "step")+" linked to not here")
	}
	return slices.Clip(out)
}
