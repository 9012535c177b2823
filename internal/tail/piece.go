package tail

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// Piece is the spans of one trace in one batch, or the records of one trace or,
// without a trace, of one task.
type Piece struct {
	Tenant  string
	Keys    []Key  // its trace first, then the tasks and traces it names
	Data    []byte // OTLP protobuf of the spans with their resources, or of the records
	Spans   int    // 0 for records
	Records int    // 0 for spans
}

// Size is the number of bytes a batch takes as OTLP protobuf.
func Size(td ptrace.Traces) int64 {
	var m ptrace.ProtoMarshaler
	return int64(m.TracesSize(td))
}

// Split encodes a batch piece by piece, in order of first appearance. The spans
// are moved out of the batch.
func Split(td ptrace.Traces) ([]Piece, error) {
	var order []*builder
	byTrace := map[traceOf]*builder{}
	for ri, rs := range td.ResourceSpans().All() {
		tenant := tenantOf(rs.Resource())
		for si, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				id := traceOf{tenant, evidence.TraceID(span.TraceID())}
				b := byTrace[id]
				if b == nil {
					b = &builder{traceOf: id, td: ptrace.NewTraces(), resource: -1}
					byTrace[id] = b
					order = append(order, b)
				}
				b.add(ri, rs, si, ss, span)
			}
		}
	}
	pieces := make([]Piece, len(order))
	for i, b := range order {
		var err error
		if pieces[i], err = b.piece(); err != nil {
			return nil, err
		}
	}
	return pieces, nil
}

type traceOf struct {
	tenant string
	trace  evidence.TraceID
}

type builder struct {
	traceOf
	td              ptrace.Traces
	resource, scope int // of the batch, that rs and ss below were copied from
	rs              ptrace.ResourceSpans
	ss              ptrace.ScopeSpans
	tasks           []string
	linked          []evidence.TraceID
	spans           int
}

func (b *builder) add(ri int, rs ptrace.ResourceSpans, si int, ss ptrace.ScopeSpans, span ptrace.Span) {
	if b.resource != ri {
		b.resource, b.scope = ri, -1
		b.rs = b.td.ResourceSpans().AppendEmpty()
		rs.Resource().CopyTo(b.rs.Resource())
		b.rs.SetSchemaUrl(rs.SchemaUrl())
	}
	if b.scope != si {
		b.scope = si
		b.ss = b.rs.ScopeSpans().AppendEmpty()
		ss.Scope().CopyTo(b.ss.Scope())
		b.ss.SetSchemaUrl(ss.SchemaUrl())
	}
	b.note(span)
	b.spans++
	span.MoveTo(b.ss.Spans().AppendEmpty())
}

// note collects what joins the span's trace to others.
func (b *builder) note(span ptrace.Span) {
	for _, key := range taskKeys {
		if id := text(span.Attributes(), key); id != "" && !slices.Contains(b.tasks, id) {
			b.tasks = append(b.tasks, id)
		}
	}
	for _, l := range span.Links().All() {
		id := evidence.TraceID(l.TraceID())
		if id == b.trace || l.TraceID().IsEmpty() || slices.Contains(b.linked, id) {
			continue
		}
		if text(l.Attributes(), semconv.AppLinkRelation) != semconv.AppLinkRelationFollows {
			b.linked = append(b.linked, id)
		}
	}
}

func (b *builder) piece() (Piece, error) {
	keys := make([]Key, 0, 1+len(b.tasks)+len(b.linked))
	keys = append(keys, traceKey(b.tenant, b.trace))
	for _, id := range b.tasks {
		keys = append(keys, taskKey(b.tenant, id))
	}
	for _, id := range b.linked {
		keys = append(keys, traceKey(b.tenant, id))
	}
	var m ptrace.ProtoMarshaler
	data, err := m.MarshalTraces(b.td)
	return Piece{Tenant: b.tenant, Keys: keys, Data: data, Spans: b.spans}, err
}

// tenantOf takes a tenant that is not text by its text form: nothing may fall
// into the empty tenant because a number was sent.
func tenantOf(r pcommon.Resource) string {
	if v, ok := r.Attributes().Get(semconv.TenantID); ok {
		return v.AsString()
	}
	return ""
}

func text(a pcommon.Map, key string) string {
	if v, ok := a.Get(key); ok && v.Type() == pcommon.ValueTypeStr {
		return v.Str()
	}
	return ""
}
