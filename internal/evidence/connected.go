package evidence

import "github.com/otelcol-agent/otelcol-agent/semconv"

// connected returns the steps from which the outcome can be reached: failed
// roots of the root task, every candidate that is more than a failed step, and
// from there down failed children, failed steps that link here, and failed
// steps that share the effect or artifact that a verdict failed.
func (s *suspects) connected() map[*node]bool {
	in := map[*node]bool{}
	var queue []*node
	reach := func(n *node) {
		if !in[n] {
			in[n] = true
			queue = append(queue, n)
		}
	}
	for _, n := range s.x.nodes {
		if s.outcome(n) {
			reach(n)
		}
		if c := s.byStep[n]; c != nil && c.reasons&^failedStep != 0 {
			reach(n)
		}
	}
	for _, n := range s.sharers() {
		reach(n)
	}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		if !n.failed {
			continue
		}
		for _, c := range n.children {
			if c.failed {
				reach(c)
			}
		}
		for _, e := range n.from {
			if e.step.failed && e.caused() {
				reach(e.step)
			}
		}
	}
	return in
}

// outcome reports whether a step is a failed end of the root task.
func (s *suspects) outcome(n *node) bool {
	return n.failed && n.isRoot() && n.task == s.x.root && !s.recovered[n]
}

// sharers returns failed steps that name the effect or the artifact of what a
// verdict failed.
func (s *suspects) sharers() []*node {
	effects, artifacts := map[*effect]bool{}, map[string]bool{}
	for _, v := range s.x.verdicts {
		if !v.fails() || v.target != nil && s.mendedAfter(v) {
			continue
		}
		if v.effect != nil {
			effects[v.effect] = true
		}
		if v.artifact != "" {
			artifacts[v.artifact] = true
		}
		if v.target == nil {
			continue
		}
		for _, e := range s.tried[v.target] {
			effects[e] = true
		}
		for _, key := range []string{semconv.AppArtifactID, semconv.AppArtifactHash} {
			if id := v.target.str(key); id != "" {
				artifacts[id] = true
			}
		}
	}
	var out []*node
	for _, e := range s.x.effects {
		if !effects[e] {
			continue
		}
		for _, st := range e.said {
			for _, n := range []*node{st.at, st.owner} {
				if n != nil && n.failed {
					out = append(out, n)
				}
			}
		}
	}
	for id := range artifacts {
		for _, n := range s.x.holders[id] {
			if n.failed {
				out = append(out, n)
			}
		}
	}
	return out
}
