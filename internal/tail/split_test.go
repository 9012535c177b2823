package tail

import (
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// FuzzSplit: whatever OTLP bytes a batch came from, its pieces hold all of its
// spans, decode again, and can be decided.
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
		want := td.SpanCount()
		pieces, err := Split(td)
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		for _, p := range pieces {
			got += p.Spans
			back, _, lost := load([]encoded{{p.Data, p.Spans, 0}})
			if lost != 0 || back.SpanCount() > p.Spans {
				t.Fatalf("piece of %d spans came back with %d, %d lost", p.Spans, back.SpanCount(), lost)
			}
			NewState(Settings{}).judge(&pending{tenant: p.Tenant}, back, nil, time.Time{})
		}
		if got != want {
			t.Fatalf("pieces have %d spans, the batch had %d", got, want)
		}
	})
}
