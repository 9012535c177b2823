package evidence

import "github.com/otelcol-agent/otelcol-agent/semconv"

// Plain reports whether a span states nothing that a class, a question or an
// attribution reads of it alone, did not fail, links to nothing and is no step of an
// agent: it has no operation name. It may name its tasks.
func (s *Span) Plain() bool {
	if s.Status == StatusError || len(s.Links) > 0 {
		return false
	}
	var r row
	r.read(s.Attrs, nil)
	const shared = hasTasks | hasDropped // said of a whole task or run
	if r.str(slotOperation) != "" || r.has&^shared != 0 {
		return false
	}
	for i := range s.Events {
		e := &s.Events[i]
		if r.read(e.Attrs, nil); r.has != 0 || groupsOfEvent(e.Name) != 0 || canonicalEvent(e.Name) || e.Attrs.Str(semconv.ExceptionType) != "" {
			return false
		}
	}
	return true
}
