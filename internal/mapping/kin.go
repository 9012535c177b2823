package mapping

import (
	"github.com/otelcol-agent/otelcol-agent/semconv"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// kin are the names by which the spans of one batch know each other. A parent
// and its child that arrive in two batches do not: what a rule concludes from
// here is never more than who of two spans repeats the other.
type kin struct {
	names    map[spanRef]kinName
	children map[spanRef]string // name of a span's first child
}

type spanRef struct {
	trace pcommon.TraceID
	span  pcommon.SpanID
}

type kinName struct{ name, scope string }

// ask gives the batch's kin, made when the first rule asks.
func (s *scratch) ask() *kin {
	if s.kin != nil {
		return s.kin
	}
	k := &kin{names: map[spanRef]kinName{}, children: map[spanRef]string{}}
	for _, rs := range s.traces.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				name := nameBefore(span)
				k.names[spanRef{span.TraceID(), span.SpanID()}] = kinName{name, ss.Scope().Name()}
				parent := spanRef{span.TraceID(), span.ParentSpanID()}
				if _, known := k.children[parent]; !known && !parent.span.IsEmpty() {
					k.children[parent] = name
				}
			}
		}
	}
	s.kin = k
	return k
}

// nameBefore is the span's name as its emitter gave it.
func nameBefore(span ptrace.Span) string {
	if v, ok := span.Attributes().Get(semconv.AppMappingOriginalName); ok && v.Type() == pcommon.ValueTypeStr {
		return v.Str()
	}
	return span.Name()
}

func (s *scratch) kinName(src *source) string {
	switch src.kind {
	case fromChildName:
		return s.ask().children[spanRef{s.span.TraceID(), s.span.SpanID()}]
	case fromParentName:
		return s.ask().names[spanRef{s.span.TraceID(), s.span.ParentSpanID()}].name
	}
	return s.ask().names[spanRef{s.span.TraceID(), s.span.ParentSpanID()}].scope
}
