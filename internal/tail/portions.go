package tail

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

// PortionBytes is about the most that the next component gets at once: receivers
// refuse for good what is larger than they take, and 4 MiB is what most take unasked.
const PortionBytes = 3 << 20

// Size is the spans of a parcel as OTLP protobuf.
func (p *Parcel) Size() int64 { return sizeOfAll(p.pieces) }

// Portions moves the spans of a run into batches of at most about limit bytes. Equal
// runs have equal portions. A span that is larger is one of its own.
func Portions(td ptrace.Traces, limit int) []ptrace.Traces {
	var m ptrace.ProtoMarshaler
	if m.TracesSize(td) <= limit {
		return []ptrace.Traces{td}
	}
	var out []ptrace.Traces
	left := 0
	for _, rs := range td.ResourceSpans().All() {
		around := m.ResourceSpansSize(rs)
		for _, ss := range rs.ScopeSpans().All() {
			around -= m.ScopeSpansSize(ss)
		}
		for _, ss := range rs.ScopeSpans().All() {
			open := ss.Spans()
			var into ptrace.SpanSlice
			begun := false
			for i := range open.Len() {
				n := m.SpanSize(open.At(i)) + lengthBytes
				if len(out) == 0 || n > left && left < limit {
					out = append(out, ptrace.NewTraces())
					left, begun = limit, false
				}
				if !begun {
					to := out[len(out)-1].ResourceSpans().AppendEmpty()
					rs.Resource().CopyTo(to.Resource())
					to.SetSchemaUrl(rs.SchemaUrl())
					in := to.ScopeSpans().AppendEmpty()
					ss.Scope().CopyTo(in.Scope())
					in.SetSchemaUrl(ss.SchemaUrl())
					into, begun = in.Spans(), true
					left -= around + m.ScopeSpansSize(in)
				}
				open.At(i).MoveTo(into.AppendEmpty())
				left -= n
			}
		}
	}
	return slices.Clip(out)
}

// lengthBytes is what it costs at most to say how long a part is.
const lengthBytes = 6
