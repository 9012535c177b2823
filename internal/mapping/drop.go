package mapping

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// droppedSpans are the spans of a batch that rules drop, with their parents.
type droppedSpans map[spanRef]pcommon.SpanID

func (d *droppedSpans) add(span ptrace.Span) {
	if *d == nil {
		*d = droppedSpans{}
	}
	(*d)[spanRef{span.TraceID(), span.SpanID()}] = span.ParentSpanID()
}

// remove takes the spans out of the batch. A span below one of them hangs under
// the nearest ancestor that stays, as far as this batch knows.
func (d droppedSpans) remove(td ptrace.Traces) {
	if len(d) == 0 {
		return
	}
	td.ResourceSpans().RemoveIf(func(rs ptrace.ResourceSpans) bool {
		rs.ScopeSpans().RemoveIf(func(ss ptrace.ScopeSpans) bool {
			ss.Spans().RemoveIf(func(span ptrace.Span) bool {
				if _, gone := d[spanRef{span.TraceID(), span.SpanID()}]; gone {
					return true
				}
				d.lift(span)
				return false
			})
			return ss.Spans().Len() == 0
		})
		return rs.ScopeSpans().Len() == 0
	})
}

// lift climbs from dropped parent to dropped parent, as often as there are some.
func (d droppedSpans) lift(span ptrace.Span) {
	parent := span.ParentSpanID()
	for range d {
		up, gone := d[spanRef{span.TraceID(), parent}]
		if !gone {
			break
		}
		parent = up
	}
	if parent != span.ParentSpanID() {
		span.SetParentSpanID(parent)
	}
}

// removeRecords takes the records at these places, in order, out of the list.
func removeRecords(records plog.LogRecordSlice, gone []int) {
	if len(gone) == 0 {
		return
	}
	i := -1
	records.RemoveIf(func(plog.LogRecord) bool {
		if i++; len(gone) == 0 || gone[0] != i {
			return false
		}
		gone = gone[1:]
		return true
	})
}
