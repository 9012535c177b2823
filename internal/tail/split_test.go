package tail

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/tail/slab"
)

// FuzzSplit: whatever OTLP bytes a batch came from, its pieces hold its spans as
// they were, below the same resources and scopes, and can be judged.
func FuzzSplit(f *testing.F) {
	td := ptrace.NewTraces()
	for trace := range byte(3) {
		rs := td.ResourceSpans().AppendEmpty()
		rs.Resource().Attributes().PutStr("tenant.id", "x")
		ss := rs.ScopeSpans().AppendEmpty()
		for span := range byte(3) {
			s := ss.Spans().AppendEmpty()
			s.SetTraceID(pcommon.TraceID{trace})
			s.SetSpanID(pcommon.SpanID{span % 2})
			s.Attributes().PutStr("app.task.id", "t")
			s.Attributes().PutEmptySlice("app.mapping.inferred").AppendEmpty().SetInt(1)
			s.Links().AppendEmpty().SetTraceID(pcommon.TraceID{9})
		}
	}
	var m ptrace.ProtoMarshaler
	seed, err := m.MarshalTraces(td)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed)
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		var u ptrace.ProtoUnmarshaler
		td, err := u.UnmarshalTraces(data)
		if err != nil {
			t.Skip()
		}
		want := flat(t, td)
		b, err := Encode(td)
		if err != nil {
			t.Fatal(err)
		}
		arena := slab.New()
		defer arena.Close()
		pieces, err := b.Split(&Policy{}, placing(arena))
		if err != nil {
			t.Fatal(err)
		}
		hands := Hands{Policy: &Policy{}, Arena: arena}
		got := map[traceOf][]string{}
		for _, p := range pieces {
			if p.Block.Len() != len(p.Data) {
				t.Fatalf("a piece of %d bytes has room for %d", len(p.Data), p.Block.Len())
			}
			var u ptrace.ProtoUnmarshaler
			back, err := u.UnmarshalTraces(p.Data)
			if err != nil {
				t.Fatal(err)
			}
			for k, v := range flat(t, back) {
				got[k] = append(got[k], v...)
			}
			hands.Judge(&Job{tenant: p.Tenant, pieces: []held{{p.Block, 0, 0, int32(p.Spans), 0}}}, time.Time{})
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(traceOf{})); diff != "" {
			t.Fatalf("-batch +pieces\n%s", diff)
		}
	})
}

func placing(arena *slab.Arena) Alloc {
	return func(n int) (slab.Block, []byte) {
		b := arena.Alloc(n)
		return b, arena.Bytes(b)
	}
}

// flat is every span with what it stands below, by its trace.
func flat(t *testing.T, td ptrace.Traces) map[traceOf][]string {
	out := map[traceOf][]string{}
	var m ptrace.ProtoMarshaler
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				one := ptrace.NewTraces()
				r := one.ResourceSpans().AppendEmpty()
				rs.Resource().CopyTo(r.Resource())
				r.SetSchemaUrl(rs.SchemaUrl())
				s := r.ScopeSpans().AppendEmpty()
				ss.Scope().CopyTo(s.Scope())
				s.SetSchemaUrl(ss.SchemaUrl())
				span.CopyTo(s.Spans().AppendEmpty())
				data, err := m.MarshalTraces(one)
				if err != nil {
					t.Fatal(err)
				}
				id := traceOf{tenantOf(rs.Resource()), evidence.TraceID(span.TraceID())}
				out[id] = append(out[id], string(data))
			}
		}
	}
	return out
}
