package redact

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Traces applies the policy in place. A resource whose walk panics is removed
// and counted.
func (p *Policy) Traces(td ptrace.Traces) Hits {
	w := p.walk()
	w.migrateTraces(td)
	td.ResourceSpans().RemoveIf(func(rs ptrace.ResourceSpans) bool {
		return w.guard(ResourceAttribute, func() { w.resourceSpans(rs) })
	})
	return p.done(w)
}

func (w *walk) resourceSpans(rs ptrace.ResourceSpans) {
	w.resource(rs.Resource())
	w.set(rs.SchemaUrl(), rs.SetSchemaUrl, SchemaURL)
	for _, ss := range rs.ScopeSpans().All() {
		w.scope(ss.Scope())
		w.set(ss.SchemaUrl(), ss.SetSchemaUrl, SchemaURL)
		ss.Spans().RemoveIf(func(span ptrace.Span) bool {
			return w.guard(SpanAttribute, func() { w.span(span) })
		})
	}
}

func (w *walk) span(span ptrace.Span) {
	w.begin()
	w.echo.on = span.Status().Message() != "" || w.p.set.Content != Keep && strings.IndexByte(span.Name(), ' ') >= 0
	crossed := w.restart(span)
	w.tracestate(span.TraceState(), SpanTracestate)
	w.attributes(span.Attributes(), SpanAttribute)
	outer := w.stamp // events and links have no stamp of their own
	for _, ev := range span.Events().All() {
		said := isMessage(ev.Name())
		w.name(ev.Name(), ev.SetName, EventName)
		if said {
			w.agent = true
			w.messageAttributes(ev.Attributes(), EventAttribute)
			continue
		}
		w.attributes(ev.Attributes(), EventAttribute)
	}
	for _, link := range span.Links().All() {
		w.link(link)
	}
	cross(span, crossed)
	w.spanName(span)
	w.status(span.Status())
	w.stamp = outer
	w.end(span.Attributes())
}
