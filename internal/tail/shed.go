package tail

import (
	"cmp"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// sheddable is the size from which a value counts as content that can be shed.
const sheddable = 128

// markBytes is what it costs to say that a span lost content.
const markBytes = 32

// shed takes content from the ordinary spans of a run until it is not larger than
// limit bytes as OTLP protobuf, the largest values first. Content is a value of
// 128 bytes and more under a key that is not one of ours, in an attribute of a span
// or of its events. Roots, spans in error, spans that prove a class or that a record tells of, and their
// ancestors keep theirs; no span is removed. So a run of many small spans may stay
// above the limit. truncated are the spans that lost something.
func shed(td ptrace.Traces, limit int64, told []evidence.StepID) (truncated map[evidence.StepID]bool) {
	if limit <= 0 {
		return nil
	}
	var m ptrace.ProtoMarshaler
	over := int64(m.TracesSize(td)) - limit
	if over <= 0 {
		return nil
	}
	spared := sparedOf(td, told)
	var all []content
	var roots []ptrace.Span
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				if span.ParentSpanID().IsEmpty() {
					roots = append(roots, span)
				}
				if !spared[idOf(span)] {
					all = contentOf(all, span)
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b content) int { return cmp.Compare(b.size, a.size) })
	lost := map[evidence.StepID]bool{}
	for _, c := range all {
		if over <= 0 {
			break
		}
		over -= int64(c.size)
		if id := idOf(c.span); !lost[id] {
			lost[id] = true
			over += markBytes
			c.span.Attributes().PutBool(semconv.AppSamplingTruncated, true)
		}
		c.in.Remove(c.key)
	}
	if len(lost) > 0 {
		for _, root := range roots {
			n := int64(len(lost))
			if before, ok := root.Attributes().Get(semconv.AppSamplingTruncatedSpans); ok {
				n += before.Int()
			}
			root.Attributes().PutInt(semconv.AppSamplingTruncatedSpans, n)
		}
	}
	return lost
}

func idOf(span ptrace.Span) evidence.StepID {
	return evidence.StepID{Trace: evidence.TraceID(span.TraceID()), Span: evidence.SpanID(span.SpanID())}
}

// sparedOf is the spans that keep their content. told are the span that the run was kept
// for and those that records tell of; the other classes are read again.
func sparedOf(td ptrace.Traces, told []evidence.StepID) map[evidence.StepID]bool {
	parents := map[evidence.StepID]evidence.StepID{}
	heads := slices.Clone(told)
	for _, h := range evidence.Classify(evidence.Run{Spans: evidence.FromTraces(td)}) {
		heads = append(heads, h.Step)
	}
	spared := map[evidence.StepID]bool{}
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				id := idOf(span)
				if span.ParentSpanID().IsEmpty() {
					spared[id] = true
				} else {
					parents[id] = evidence.StepID{Trace: id.Trace, Span: evidence.SpanID(span.ParentSpanID())}
				}
				if span.Status().Code() == ptrace.StatusCodeError {
					heads = append(heads, id)
				}
			}
		}
	}
	for _, id := range heads {
		for more := true; more && !spared[id]; id, more = parents[id] {
			spared[id] = true
		}
	}
	return spared
}

// content is one value that can be shed.
type content struct {
	span ptrace.Span
	in   pcommon.Map
	key  string
	size int
}

func contentOf(all []content, span ptrace.Span) []content {
	all = contentIn(all, span, span.Attributes())
	for _, e := range span.Events().All() {
		all = contentIn(all, span, e.Attributes())
	}
	return all
}

func contentIn(all []content, span ptrace.Span, in pcommon.Map) []content {
	for k, v := range in.All() {
		if strings.HasPrefix(k, "app.") && !semconv.Content().Match(k) {
			continue
		}
		if n := sizeOf(v); n >= sheddable {
			all = append(all, content{span, in, k, n})
		}
	}
	return all
}

// sizeOf is about the bytes a value takes as OTLP protobuf.
func sizeOf(v pcommon.Value) (n int) {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		return len(v.Str())
	case pcommon.ValueTypeBytes:
		return v.Bytes().Len()
	case pcommon.ValueTypeSlice:
		for _, item := range v.Slice().All() {
			n += sizeOf(item) + 4
		}
		return n
	case pcommon.ValueTypeMap:
		for k, item := range v.Map().All() {
			n += len(k) + sizeOf(item) + 8
		}
		return n
	}
	return 8
}
