package evidence

import (
	"math"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// FromTraces returns one span for every span of td, in its order.
//
// Strings are shared with td; byte values, lists and maps are copies. The spans
// of one resource share one Resource map, so it must not be written to.
// Timestamps after the year 2262, which do not fit an int64, are cut to the
// largest one that does.
func FromTraces(td ptrace.Traces) []Span {
	out := make([]Span, 0, td.SpanCount())
	eachSpan(td, func(src *sender, s ptrace.Span) {
		out = append(out, src.bare(s))
		out[len(out)-1].Attrs = src.attrs(s.Attributes())
	})
	return out
}

// EachSpan calls f for every span that FromTraces returns, without its attributes,
// which come beside it as they are: of a key that is there twice the first
// counts, and their values are those of ValueOf. The span is f's to keep.
func EachSpan(td ptrace.Traces, f func(s Span, attrs pcommon.Map)) {
	eachSpan(td, func(src *sender, s ptrace.Span) { f(src.bare(s), s.Attributes()) })
}

func eachSpan(td ptrace.Traces, f func(src *sender, s ptrace.Span)) {
	for _, rs := range td.ResourceSpans().All() {
		src := sourceOf(rs.Resource())
		for _, ss := range rs.ScopeSpans().All() {
			src.scope, src.scopeVersion = ss.Scope().Name(), ss.Scope().Version()
			for _, s := range ss.Spans().All() {
				f(&src, s)
			}
		}
	}
}

// sender is what the spans or records of one resource and scope have in common.
type sender struct {
	tenant, service, serviceVersion string
	scope, scopeVersion             string
	resource                        Attrs

	// before holds the texts of the row before, by place: most rows repeat most
	// of them, and a value that is there already need not be made again.
	before []any
}

func sourceOf(r pcommon.Resource) sender {
	src := sender{resource: attrsOf(r.Attributes())}
	// A tenant that is not text still separates: nothing may fall into the
	// empty tenant because a number was sent.
	if v, ok := r.Attributes().Get(semconv.TenantID); ok {
		src.tenant = utf8Text(v.AsString())
	}
	src.service = src.resource.Str(semconv.ServiceName)
	src.serviceVersion = src.resource.Str(semconv.ServiceVersion)
	return src
}

// bare is a span without its attributes.
func (src *sender) bare(s ptrace.Span) Span {
	return Span{
		Tenant:         src.tenant,
		ID:             StepID{Trace: TraceID(s.TraceID()), Span: SpanID(s.SpanID())},
		Parent:         SpanID(s.ParentSpanID()),
		Name:           s.Name(),
		Kind:           kindOf(s.Kind()),
		Start:          nanos(s.StartTimestamp()),
		End:            nanos(s.EndTimestamp()),
		Status:         statusOf(s.Status().Code()),
		StatusMessage:  s.Status().Message(),
		TraceState:     s.TraceState().AsRaw(),
		Service:        src.service,
		ServiceVersion: src.serviceVersion,
		Scope:          src.scope,
		ScopeVersion:   src.scopeVersion,
		Resource:       src.resource,
		Links:          linksOf(s.Links()),
		Events:         eventsOf(s.Events()),
	}
}

func linksOf(links ptrace.SpanLinkSlice) []Link {
	if links.Len() == 0 {
		return nil
	}
	out := make([]Link, 0, links.Len())
	for _, l := range links.All() {
		link := Link{
			To:         StepID{Trace: TraceID(l.TraceID()), Span: SpanID(l.SpanID())},
			Relation:   semconv.AppLinkRelationRelated,
			TraceState: l.TraceState().AsRaw(),
			Attrs:      attrsOf(l.Attributes()),
		}
		if r := link.Attrs.Str(semconv.AppLinkRelation); r != "" {
			link.Relation = r
		}
		out = append(out, link)
	}
	return out
}

func eventsOf(events ptrace.SpanEventSlice) []SpanEvent {
	if events.Len() == 0 {
		return nil
	}
	out := make([]SpanEvent, 0, events.Len())
	for _, e := range events.All() {
		out = append(out, SpanEvent{Time: nanos(e.Timestamp()), Name: e.Name(), Attrs: attrsOf(e.Attributes())})
	}
	return out
}

func kindOf(k ptrace.SpanKind) string {
	switch k {
	case ptrace.SpanKindInternal:
		return "internal"
	case ptrace.SpanKindServer:
		return "server"
	case ptrace.SpanKindClient:
		return "client"
	case ptrace.SpanKindProducer:
		return "producer"
	case ptrace.SpanKindConsumer:
		return "consumer"
	}
	return ""
}

func statusOf(c ptrace.StatusCode) string {
	switch c {
	case ptrace.StatusCodeOk:
		return StatusOK
	case ptrace.StatusCodeError:
		return StatusError
	}
	return StatusUnset
}

// nanos returns the timestamp as an int64, cut to the largest one.
func nanos(t pcommon.Timestamp) int64 {
	if t > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(t)
}

// attrsOf returns nil for an empty map. Of a key that is there twice the first
// counts, as pdata's own Get has it.
func attrsOf(m pcommon.Map) Attrs {
	if m.Len() == 0 {
		return nil
	}
	out := make(Attrs, m.Len())
	for k, v := range m.All() {
		if _, twice := out[k]; !twice {
			out[k] = valueOf(v)
		}
	}
	return out
}

// attrs is attrsOf for one row after the other.
func (src *sender) attrs(m pcommon.Map) Attrs {
	if m.Len() == 0 {
		return nil
	}
	for len(src.before) < min(m.Len(), maxRepeated) {
		src.before = append(src.before, nil)
	}
	out := make(Attrs, m.Len())
	at := 0
	for k, v := range m.All() {
		if _, twice := out[k]; !twice {
			out[k] = src.value(at, v)
		}
		at++
	}
	return out
}

// maxRepeated is how many places of a row are compared with the row before.
const maxRepeated = 64

func (src *sender) value(at int, v pcommon.Value) any {
	if v.Type() != pcommon.ValueTypeStr || at >= len(src.before) {
		return valueOf(v)
	}
	if text, ok := src.before[at].(string); ok && text == v.Str() {
		return src.before[at]
	}
	src.before[at] = valueOf(v)
	return src.before[at]
}

// ValueOf returns a value as Attrs have it.
func ValueOf(v pcommon.Value) any { return valueOf(v) }

// TextOf returns a text as Attrs have it.
func TextOf(s string) string { return utf8Text(s) }

// utf8Text returns text with U+FFFD in place of bytes that are not UTF-8, which OTLP
// forbids and a sender can still put into protobuf: what is shown of an id must
// be what finds it.
func utf8Text(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// valueOf returns nil for a value without a type.
func valueOf(v pcommon.Value) any {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		return utf8Text(v.Str())
	case pcommon.ValueTypeInt:
		return v.Int()
	case pcommon.ValueTypeDouble:
		return v.Double()
	case pcommon.ValueTypeBool:
		return v.Bool()
	case pcommon.ValueTypeBytes:
		return v.Bytes().AsRaw()
	case pcommon.ValueTypeSlice:
		list := make([]any, 0, v.Slice().Len())
		for _, item := range v.Slice().All() {
			list = append(list, valueOf(item))
		}
		return list
	case pcommon.ValueTypeMap:
		m := map[string]any(attrsOf(v.Map()))
		if m == nil {
			m = map[string]any{}
		}
		return m
	}
	return nil
}
