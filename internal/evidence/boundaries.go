package evidence

import (
	"slices"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

func (x *index) addProtocols() {
	bySpan := make([]*Protocol, len(x.nodes))
	x.eachFacts(func(n *node, f *Facts) {
		for i := range f.Protocols {
			p := &f.Protocols[i] // the facts are the index's own
			if o := ofStep(bySpan, n); o != nil && (p.Name == "" || o.Name == "" || p.Name == o.Name) {
				// A record in the span's context adds to what the span says.
				fill(&o.Name, p.Name)
				fill(&o.Peer, p.Peer)
				fill(&o.Requested, p.Requested)
				fill(&o.Negotiated, p.Negotiated)
				fill(&o.ErrorLayer, p.ErrorLayer)
				o.Degraded = union(o.Degraded, p.Degraded)
				if p.ExternalTask == o.ExternalTask || o.ExternalTask == "" || p.ExternalTask == "" {
					fill(&o.ExternalTask, p.ExternalTask)
				}
				x.states = append(x.states, p)
				if p.ExternalTask == "" {
					p.ExternalTask = o.ExternalTask
				}
				continue
			}
			if n != nil {
				p.Failed = n.failed
				fill(&p.ErrorLayer, knownLayer(n.str(semconv.AppErrorLayer)))
				bySpan[n.at] = p
			}
			x.protocols = append(x.protocols, p)
			x.states = append(x.states, p)
		}
	})
	slices.SortStableFunc(x.protocols, func(a, b *Protocol) int { return compareSources(&a.Source, &b.Source) })
	slices.SortStableFunc(x.states, func(a, b *Protocol) int { return compareSources(&a.Source, &b.Source) })
}

// ofStep returns what a list by steps has of one; of none it has nothing.
func ofStep[T any](list []T, n *node) T {
	if n == nil {
		var none T
		return none
	}
	return list[n.at]
}

// externals returns the last word on every remote task.
func (x *index) externals() []*Protocol {
	last := map[string]int{}
	var out []*Protocol
	for _, p := range x.states {
		if p.ExternalTask == "" && p.ExternalState == "" {
			continue
		}
		key := p.ExternalTask
		if key == "" {
			key = "\x00" + p.Step.String()
		}
		i, ok := last[key]
		if !ok {
			last[key] = len(out)
			out = append(out, p)
			continue
		}
		if p.ExternalState != "" || out[i].ExternalState == "" {
			out[i] = p
		}
	}
	return out
}

func endState(state string) bool {
	switch state {
	case semconv.AppExternalTaskStateCompleted, semconv.AppExternalTaskStateFailed,
		semconv.AppExternalTaskStateCanceled, semconv.AppExternalTaskStateRejected:
		return true
	}
	return false
}
