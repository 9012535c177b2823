package evidence

import "github.com/otelcol-agent/otelcol-agent/semconv"

// Plain reports whether a span states nothing that a class, a question or an
// attribution reads, did not fail, links to nothing and is no step of an agent:
// it has no operation name.
func (s *Span) Plain() bool {
	if s.Status == StatusError || len(s.Links) > 0 || s.Attrs.Str(semconv.GenAIOperationName) != "" || groupsOf(s.Attrs, nil) != 0 {
		return false
	}
	for i := range s.Events {
		e := &s.Events[i]
		if groupsOf(e.Attrs, nil) != 0 || groupsOfEvent(e.Name) != 0 || canonicalEvent(e.Name) || e.Attrs.Str(semconv.ExceptionType) != "" {
			return false
		}
	}
	return true
}
