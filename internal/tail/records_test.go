package tail

import (
	"bytes"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// logsOf is a batch of n records of one resource, edited one by one.
func logsOf(n int, edit func(i int, r plog.LogRecord)) plog.Logs {
	ld := plog.NewLogs()
	rl := ld.ResourceLogs().AppendEmpty()
	rl.Resource().Attributes().PutStr("service.name", "coder")
	rl.Resource().Attributes().PutStr("tenant.id", "acme")
	into := rl.ScopeLogs().AppendEmpty().LogRecords()
	for i := range n {
		r := into.AppendEmpty()
		r.SetTimestamp(1_800_000_000_000_000_000)
		r.Body().SetStr("a body of some words that nobody decides by")
		edit(i, r)
	}
	return ld
}

// TestSplitRecordsTakesWhatAClassCanBeReadFrom: the rest is not held, and what is
// held has no body and no resource but the tenant.
func TestSplitRecordsTakesWhatAClassCanBeReadFrom(t *testing.T) {
	kinds := []struct {
		name string
		want bool
		edit func(plog.LogRecord)
	}{
		{"denial in a trace", true, func(r plog.LogRecord) {
			r.SetTraceID(pcommon.TraceID{1})
			r.Attributes().PutStr("app.permission.decision", "deny")
		}},
		{"denial of a task", true, func(r plog.LogRecord) {
			r.Attributes().PutStr("app.permission.decision", "deny")
			r.Attributes().PutStr("app.task.id", "t")
		}},
		{"denial below a root task", true, func(r plog.LogRecord) {
			r.Attributes().PutStr("app.permission.decision", "deny")
			r.Attributes().PutStr("app.task.root.id", "t")
		}},
		{"denial of nothing", false, func(r plog.LogRecord) { r.Attributes().PutStr("app.permission.decision", "deny") }},
		{"task id that is a number", false, func(r plog.LogRecord) {
			r.Attributes().PutStr("app.permission.decision", "deny")
			r.Attributes().PutInt("app.task.id", 7)
		}},
		{"a line of a program's log", false, func(r plog.LogRecord) {
			r.SetTraceID(pcommon.TraceID{1})
			r.Attributes().PutStr("thread.name", "main")
		}},
		{"a domain event of any kind", true, func(r plog.LogRecord) {
			r.SetTraceID(pcommon.TraceID{1})
			r.SetEventName("app.handoff.recorded")
		}},
		{"a domain event named by attribute", true, func(r plog.LogRecord) {
			r.SetTraceID(pcommon.TraceID{1})
			r.Attributes().PutStr("event.name", "app.handoff.recorded")
		}},
		{"evaluation result", true, func(r plog.LogRecord) { r.SetTraceID(pcommon.TraceID{1}); r.SetEventName("gen_ai.evaluation.result") }},
		{"guardrail", true, func(r plog.LogRecord) {
			r.SetTraceID(pcommon.TraceID{1})
			r.Attributes().PutStr("app.guardrail.outcome", "block")
		}},
		{"effect class", true, func(r plog.LogRecord) {
			r.SetTraceID(pcommon.TraceID{1})
			r.Attributes().PutStr("app.tool.effect_class", "destructive")
		}},
		{"delegation", true, func(r plog.LogRecord) {
			r.SetTraceID(pcommon.TraceID{1})
			r.Attributes().PutStr("app.authority.delegation.id", "d")
		}},
	}
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			ld := logsOf(1, func(_ int, r plog.LogRecord) { k.edit(r) })
			before := plog.NewLogs()
			ld.CopyTo(before)
			pieces, err := SplitRecords(ld)
			if err != nil {
				t.Fatal(err)
			}
			if (len(pieces) == 1) != k.want {
				t.Fatalf("%d pieces", len(pieces))
			}
			var m plog.ProtoMarshaler
			want, _ := m.MarshalLogs(before)
			got, _ := m.MarshalLogs(ld)
			if !bytes.Equal(want, got) {
				t.Error("the batch was changed")
			}
			for _, p := range pieces {
				if p.Tenant != "acme" || p.Spans != 0 || p.Records != 1 || len(p.Keys) == 0 {
					t.Errorf("piece is %+v", p)
				}
				if bytes.Contains(p.Data, []byte("some words")) || bytes.Contains(p.Data, []byte("coder")) {
					t.Error("body or resource is held")
				}
			}
		})
	}
}

// FuzzSplitRecords: whatever OTLP bytes a batch came from, its pieces decode again
// to facts that equal those of the batch, and can be decided.
func FuzzSplitRecords(f *testing.F) {
	var m plog.ProtoMarshaler
	seed, err := m.MarshalLogs(logsOf(4, func(i int, r plog.LogRecord) {
		r.SetTraceID(pcommon.TraceID{byte(i % 2)})
		r.SetSpanID(pcommon.SpanID{byte(i)})
		r.SetEventName("app.tool.decided")
		r.Attributes().PutStr("app.permission.decision", "deny")
		r.Attributes().PutStr("app.task.id", "t")
	}))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed)
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		var u plog.ProtoUnmarshaler
		ld, err := u.UnmarshalLogs(data)
		if err != nil {
			t.Skip()
		}
		all := ld.LogRecordCount()
		pieces, err := SplitRecords(ld)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, p := range pieces {
			n += p.Records
			back := loadRecords(p.Data)
			if len(back) != p.Records {
				t.Fatalf("piece of %d records came back with %d", p.Records, len(back))
			}
			for i := range back {
				if back[i].Tenant != p.Tenant || !testifies(back[i:i+1]) {
					t.Fatal("a record lost its tenant or what it tells")
				}
			}
			Decide(&Policy{}, Run{Rows: evidence.Run{Tenant: p.Tenant, Records: back}})
		}
		if n > all {
			t.Fatalf("pieces have %d records, the batch had %d", n, all)
		}
	})
}

// BenchmarkSplitRecords is what a record costs that tells of a run, and one that
// does not, on its way through.
func BenchmarkSplitRecords(b *testing.B) {
	for name, decision := range map[string]string{"telling": "allow", "other": ""} {
		b.Run(name, func(b *testing.B) {
			const records = 500
			ld := logsOf(records, func(i int, r plog.LogRecord) {
				r.SetTraceID(pcommon.TraceID{byte(i / 5), byte(i / 5 >> 8), 1})
				r.SetSpanID(pcommon.SpanID{1})
				for _, k := range []string{"gen_ai.tool.name", "gen_ai.tool.call.id", "app.session.id", "app.turn.id", "app.harness.name", "app.harness.version", "x.a", "x.b"} {
					r.Attributes().PutStr(k, "some value of it")
				}
				if decision != "" {
					r.SetEventName("app.tool.decided")
					r.Attributes().PutStr("app.permission.decision", decision)
				}
			})
			b.ReportAllocs()
			b.ResetTimer()
			for n := 0; n < b.N; n += records {
				if _, err := SplitRecords(ld); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
