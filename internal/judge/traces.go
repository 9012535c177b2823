package judge

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// Scope names the maker of verdict spans.
const Scope = "github.com/otelcol-agent/otelcol-agent/connector/evaluation"

// Count is how many results a batch had of one sort.
type Count struct {
	Outcome    Outcome
	Verdict    string
	Comparable bool
}

// Traces judges every result of a batch by itself: one verdict span each, under
// the resource of its record. The batch is not changed.
func Traces(logs plog.Logs, now time.Time) (ptrace.Traces, map[Count]int64) {
	b := NewBatch()
	NewMemory(Limits{Targets: 1}).Read(logs, now, func(a Arrival) { b.Add(&a) })
	return b.Traces, b.Counts
}

// TenantOf returns the tenant of a resource. It takes a tenant that is not text by its text form: nothing may fall
// into the empty tenant because a number was sent.
func TenantOf(r pcommon.Resource) string { return tenantOf(r) }

func tenantOf(r pcommon.Resource) string {
	if v, ok := r.Attributes().Get(semconv.TenantID); ok {
		return v.AsString()
	}
	return ""
}

// Batch collects verdict spans, those of one resource together.
type Batch struct {
	Traces ptrace.Traces
	Counts map[Count]int64
	last   plog.ResourceLogs
	spans  ptrace.SpanSlice
	begun  bool
}

// NewBatch is empty.
func NewBatch() *Batch { return &Batch{Traces: ptrace.NewTraces(), Counts: map[Count]int64{}} }

// Add makes the span of a verdict.
func (b *Batch) Add(a *Arrival) ptrace.Span {
	if !b.begun || b.last != a.Resource {
		b.last, b.begun = a.Resource, true
		b.spans = open(b.Traces, a.Resource)
	}
	s := b.spans.AppendEmpty()
	a.Verdict.Fill(s, a.Record.Attributes())
	b.Counts[Count{a.Verdict.Outcome, a.Verdict.Verdict, a.Verdict.Comparable}]++
	return s
}

// Encode writes one result with its resource.
func (a *Arrival) Encode() ([]byte, error) {
	one := plog.NewLogs()
	rl := one.ResourceLogs().AppendEmpty()
	a.Resource.Resource().CopyTo(rl.Resource())
	rl.SetSchemaUrl(a.Resource.SchemaUrl())
	a.Record.CopyTo(rl.ScopeLogs().AppendEmpty().LogRecords().AppendEmpty())
	var m plog.ProtoMarshaler
	return m.MarshalLogs(one)
}

// Decode reads what Encode wrote.
func Decode(data []byte) (plog.Logs, error) {
	var u plog.ProtoUnmarshaler
	return u.UnmarshalLogs(data)
}

func open(out ptrace.Traces, rl plog.ResourceLogs) ptrace.SpanSlice {
	rs := out.ResourceSpans().AppendEmpty()
	rl.Resource().CopyTo(rs.Resource())
	rs.SetSchemaUrl(rl.SchemaUrl())
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName(Scope)
	return ss.Spans()
}
