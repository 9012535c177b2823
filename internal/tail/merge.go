package tail

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// mergeSpans makes one span of those that have one trace id and span id, as
// evidence.MergeSpan does with rows. The span that ends last keeps its place and
// takes in the others.
func mergeSpans(td ptrace.Traces) {
	type version struct {
		span ptrace.Span
		n    int
	}
	seen := make(map[evidence.StepID]version, td.SpanCount())
	var gone map[int]bool
	n := 0
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				id := evidence.StepID{Trace: evidence.TraceID(span.TraceID()), Span: evidence.SpanID(span.SpanID())}
				now := version{span, n}
				n++
				old, twice := seen[id]
				if !twice || id.IsZero() {
					seen[id] = now
					continue
				}
				if old.span.EndTimestamp() > now.span.EndTimestamp() {
					old, now = now, old
				}
				fold(now.span, old.span)
				seen[id] = now
				if gone == nil {
					gone = map[int]bool{}
				}
				gone[old.n] = true
			}
		}
	}
	if gone != nil {
		remove(td, gone)
	}
}

// remove takes out spans by their number, and what is empty without them.
func remove(td ptrace.Traces, gone map[int]bool) {
	n := -1
	td.ResourceSpans().RemoveIf(func(rs ptrace.ResourceSpans) bool {
		rs.ScopeSpans().RemoveIf(func(ss ptrace.ScopeSpans) bool {
			ss.Spans().RemoveIf(func(ptrace.Span) bool { n++; return gone[n] })
			return ss.Spans().Len() == 0
		})
		return rs.ScopeSpans().Len() == 0
	})
}

// fold adds to a span what an earlier version of it said.
func fold(into, from ptrace.Span) {
	into.SetStartTimestamp(min(into.StartTimestamp(), from.StartTimestamp()))
	foldStatus(into.Status(), from.Status())
	if into.ParentSpanID().IsEmpty() {
		into.SetParentSpanID(from.ParentSpanID())
	}
	if into.Name() == "" {
		into.SetName(from.Name())
	}
	if into.Kind() == ptrace.SpanKindUnspecified {
		into.SetKind(from.Kind())
	}
	if into.TraceState().AsRaw() == "" {
		from.TraceState().CopyTo(into.TraceState())
	}
	keepSuperseded(into, from)
	foldAttributes(into.Attributes(), from.Attributes())
	for _, l := range from.Links().All() {
		if !hasLink(into, l) {
			l.CopyTo(into.Links().AppendEmpty())
		}
	}
	for _, e := range from.Events().All() {
		if !hasEvent(into, e) {
			e.CopyTo(into.Events().AppendEmpty())
		}
	}
}

// keepSuperseded keeps a decision, stage or phase that the other version
// contradicts, as an event.
func keepSuperseded(into, from ptrace.Span) {
	lost := evidence.Superseded(audited(from), audited(into))
	for _, fact := range lost {
		e := ptrace.NewSpanEvent()
		e.SetName(fact.Name)
		e.SetTimestamp(pcommon.Timestamp(fact.Time))
		_ = e.Attributes().FromRaw(fact.Attrs) // values came out of a map like it
		if !hasEvent(into, e) {
			e.CopyTo(into.Events().AppendEmpty())
		}
	}
}

// audited is as much of a span as Superseded reads.
func audited(s ptrace.Span) evidence.Span {
	return evidence.Span{End: int64(s.EndTimestamp()), Attrs: s.Attributes().AsRaw()}
}

// foldStatus: an error is never taken back, an ok only by an error.
func foldStatus(into, from ptrace.Status) {
	const unset, ok, failed = ptrace.StatusCodeUnset, ptrace.StatusCodeOk, ptrace.StatusCodeError
	switch {
	case from.Code() == into.Code():
		if into.Message() == "" {
			into.SetMessage(from.Message())
		}
	case from.Code() == failed, from.Code() == ok && into.Code() == unset:
		from.CopyTo(into)
	}
}

// foldAttributes: what is stated beats what is inferred, else the later span wins.
func foldAttributes(into, from pcommon.Map) {
	guessed, said := inferred(into), inferred(from)
	for k, v := range from.All() {
		if k == semconv.AppMappingInferred {
			continue
		}
		have, ok := into.Get(k)
		if !ok {
			v.CopyTo(into.PutEmpty(k))
			if slices.Contains(said, k) {
				guessed = append(guessed, k)
			}
			continue
		}
		if i := slices.Index(guessed, k); i >= 0 && !slices.Contains(said, k) {
			v.CopyTo(have)
			guessed = slices.Delete(guessed, i, i+1)
		}
	}
	into.Remove(semconv.AppMappingInferred)
	if len(guessed) > 0 {
		list := into.PutEmptySlice(semconv.AppMappingInferred)
		for _, k := range guessed {
			list.AppendEmpty().SetStr(k)
		}
	}
}

func inferred(a pcommon.Map) []string {
	v, ok := a.Get(semconv.AppMappingInferred)
	if !ok || v.Type() != pcommon.ValueTypeSlice {
		return nil
	}
	var keys []string
	for _, item := range v.Slice().All() {
		keys = append(keys, item.AsString())
	}
	return keys
}

func hasLink(s ptrace.Span, l ptrace.SpanLink) bool {
	for _, have := range s.Links().All() {
		if have.TraceID() == l.TraceID() && have.SpanID() == l.SpanID() &&
			have.TraceState().AsRaw() == l.TraceState().AsRaw() && have.Attributes().Equal(l.Attributes()) {
			return true
		}
	}
	return false
}

func hasEvent(s ptrace.Span, e ptrace.SpanEvent) bool {
	for _, have := range s.Events().All() {
		if have.Timestamp() == e.Timestamp() && have.Name() == e.Name() && have.Attributes().Equal(e.Attributes()) {
			return true
		}
	}
	return false
}
