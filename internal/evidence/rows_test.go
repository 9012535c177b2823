package evidence

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

func fillAttributes(m pcommon.Map) {
	m.PutStr("text", "a\xff\x00b")
	m.PutInt("int", math.MinInt64)
	m.PutDouble("double", 2)
	m.PutBool("bool", false)
	m.PutEmptyBytes("bytes").FromRaw([]byte{0, 255})
	m.PutEmpty("null")
	list := m.PutEmptySlice("list")
	list.AppendEmpty().SetInt(1)
	list.AppendEmpty().SetStr("1")
	list.AppendEmpty().SetEmptyMap()
	m.PutEmptyMap("map").PutEmptySlice("nested").AppendEmpty().SetDouble(1)
}

func filledAttributes() Attrs {
	return Attrs{
		"text": "a\uFFFD\x00b", "int": int64(math.MinInt64), "double": 2.0, "bool": false, "bytes": []byte{0, 255}, "null": nil,
		"list": []any{int64(1), "1", map[string]any{}}, "map": map[string]any{"nested": []any{1.0}},
	}
}

func TestFromTraces(t *testing.T) {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("tenant.id", "acme")
	rs.Resource().Attributes().PutStr("service.name", "coder")
	rs.Resource().Attributes().PutStr("service.version", "1")
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName("scope")
	ss.Scope().SetVersion("2")
	s := ss.Spans().AppendEmpty()
	s.SetTraceID(pcommon.TraceID{1})
	s.SetSpanID(pcommon.SpanID{2})
	s.SetParentSpanID(pcommon.SpanID{3})
	s.SetName("chat")
	s.SetKind(ptrace.SpanKindClient)
	s.SetStartTimestamp(5)
	s.SetEndTimestamp(math.MaxUint64)
	s.Status().SetCode(ptrace.StatusCodeError)
	s.Status().SetMessage("broke")
	s.TraceState().FromRaw("a=b")
	fillAttributes(s.Attributes())
	for _, relation := range []string{"retries", "", "made up"} {
		l := s.Links().AppendEmpty()
		l.SetTraceID(pcommon.TraceID{9})
		l.SetSpanID(pcommon.SpanID{8})
		l.TraceState().FromRaw("c=d")
		if relation != "" {
			l.Attributes().PutStr("app.link.relation", relation)
		}
	}
	e := s.Events().AppendEmpty()
	e.SetName("exception")
	e.SetTimestamp(7)
	fillAttributes(e.Attributes())
	ss.Spans().AppendEmpty()

	to := StepID{Trace: TraceID{9}, Span: SpanID{8}}
	want := Span{
		Tenant: "acme", ID: StepID{Trace: TraceID{1}, Span: SpanID{2}}, Parent: SpanID{3}, Name: "chat", Kind: "client",
		Start: 5, End: math.MaxInt64, Status: StatusError, StatusMessage: "broke", TraceState: "a=b",
		Service: "coder", ServiceVersion: "1", Scope: "scope", ScopeVersion: "2",
		Attrs: filledAttributes(), Resource: Attrs{"tenant.id": "acme", "service.name": "coder", "service.version": "1"},
		Links: []Link{
			{To: to, Relation: "retries", TraceState: "c=d", Attrs: Attrs{"app.link.relation": "retries"}},
			{To: to, Relation: "related", TraceState: "c=d"},
			{To: to, Relation: "made up", TraceState: "c=d", Attrs: Attrs{"app.link.relation": "made up"}},
		},
		Events: []SpanEvent{{Time: 7, Name: "exception", Attrs: filledAttributes()}},
	}
	got := FromTraces(td)
	require.Len(t, got, 2)
	require.Equal(t, want, got[0])
	require.Equal(t, Span{
		Tenant: "acme", Status: StatusUnset, Service: "coder", ServiceVersion: "1", Scope: "scope", ScopeVersion: "2", Resource: want.Resource,
	}, got[1])

	back, err := ToTraces(got)
	require.NoError(t, err)
	require.Equal(t, got, FromTraces(back), "there and back")
}

func TestKindsAndStatuses(t *testing.T) {
	for kind, want := range map[ptrace.SpanKind]string{
		ptrace.SpanKindUnspecified: "", ptrace.SpanKindInternal: "internal", ptrace.SpanKindServer: "server",
		ptrace.SpanKindClient: "client", ptrace.SpanKindProducer: "producer", ptrace.SpanKindConsumer: "consumer", 99: "",
	} {
		require.Equal(t, want, kindOf(kind))
	}
	for code, want := range map[ptrace.StatusCode]string{
		ptrace.StatusCodeUnset: StatusUnset, ptrace.StatusCodeOk: StatusOK, ptrace.StatusCodeError: StatusError, 99: StatusUnset,
	} {
		require.Equal(t, want, statusOf(code))
	}
}

// A tenant is part of every identity, so one that is not a text must not fall
// into the tenant without a name.
func TestTenantThatIsNotText(t *testing.T) {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutInt("tenant.id", 42)
	rs.ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	require.Equal(t, "42", FromTraces(td)[0].Tenant)
}

func TestFromLogs(t *testing.T) {
	ld := plog.NewLogs()
	rl := ld.ResourceLogs().AppendEmpty()
	rl.Resource().Attributes().PutStr("tenant.id", "acme")
	sl := rl.ScopeLogs().AppendEmpty()
	sl.Scope().SetName("scope")
	r := sl.LogRecords().AppendEmpty()
	r.SetTraceID(pcommon.TraceID{1})
	r.SetSpanID(pcommon.SpanID{2})
	r.SetTimestamp(3)
	r.SetObservedTimestamp(4)
	r.SetEventName("app.tool.decided")
	r.SetSeverityText("WARN")
	r.SetSeverityNumber(plog.SeverityNumberError)
	fillAttributes(r.Body().SetEmptyMap())
	fillAttributes(r.Attributes())
	old := sl.LogRecords().AppendEmpty()
	old.SetObservedTimestamp(6)
	old.SetSeverityNumber(plog.SeverityNumberError)
	old.Attributes().PutStr("event.name", "an.older.way")

	got := FromLogs(ld)
	require.Len(t, got, 2)
	want := Record{
		Tenant: "acme", ID: got[0].ID, Step: StepID{Trace: TraceID{1}, Span: SpanID{2}}, Time: 3, Observed: 4,
		Event: "app.tool.decided", Severity: "WARN", Scope: "scope", Body: map[string]any(filledAttributes()),
		Attrs: filledAttributes(), Resource: Attrs{"tenant.id": "acme"},
	}
	require.Equal(t, want, got[0])
	require.Equal(t, RecordIDOf(&want), got[0].ID)
	require.Equal(t, int64(6), got[1].Time, "a record without a time happened when it was seen")
	require.Equal(t, "an.older.way", got[1].Event)
	require.Equal(t, "Error", got[1].Severity)
	require.Nil(t, got[1].Body)
}

func TestRecordIDSaysEverything(t *testing.T) {
	base := func() Record {
		return Record{
			Tenant: "a", Time: 1, Observed: 2, Event: "e", Severity: "s", Step: StepID{Trace: TraceID{1}, Span: SpanID{2}},
			Scope: "x", ScopeVersion: "1", Body: "b", Attrs: Attrs{"k": "v"}, Resource: Attrs{"r": "v"},
		}
	}
	plain := base()
	seen := map[RecordID]string{RecordIDOf(&plain): "nothing"}
	for name, change := range map[string]func(*Record){
		"tenant": func(r *Record) { r.Tenant = "b" }, "time": func(r *Record) { r.Time = 2 }, "observed": func(r *Record) { r.Observed = 1 },
		"event": func(r *Record) { r.Event = "" }, "severity": func(r *Record) { r.Severity = "" },
		"trace": func(r *Record) { r.Step.Trace = TraceID{2} }, "span": func(r *Record) { r.Step.Span = SpanID{} },
		"scope": func(r *Record) { r.Scope = "x1" }, "scope version": func(r *Record) { r.ScopeVersion = "" },
		"scope and version run together": func(r *Record) { r.Scope, r.ScopeVersion = "x1", "" },
		"body":                           func(r *Record) { r.Body = []byte("b") }, "no body": func(r *Record) { r.Body = nil },
		"body list": func(r *Record) { r.Body = []any{"b"} }, "body map": func(r *Record) { r.Body = map[string]any{"b": nil} },
		"attribute": func(r *Record) { r.Attrs["k"] = int64(1) }, "double": func(r *Record) { r.Attrs["k"] = 1.0 },
		"true": func(r *Record) { r.Attrs["k"] = true }, "false": func(r *Record) { r.Attrs["k"] = false },
		"another attribute": func(r *Record) { r.Attrs["l"] = "v" }, "resource": func(r *Record) { r.Resource = Attrs{"k": "v"} },
		"attribute moved": func(r *Record) { r.Attrs, r.Resource = Attrs{}, Attrs{"k": "v", "r": "v"} },
	} {
		r := base()
		change(&r)
		id := RecordIDOf(&r)
		require.Empty(t, seen[id], "%s changes nothing", name)
		seen[id] = name
	}
	// A line of a file is one record however often it is read, and another line another.
	line := func(at, observed int64) RecordID {
		r := base()
		r.Observed = observed
		r.Attrs[semconv.LogFileRecordOffset] = at
		return RecordIDOf(&r)
	}
	require.Equal(t, line(0, 2), line(0, 3))
	require.NotEqual(t, line(0, 2), line(1, 2))
	for range 20 { // whatever the order of a map
		r := base()
		for i := range 20 {
			r.Attrs[fmt.Sprint(i)] = int64(i)
		}
		other := base()
		for i := 19; i >= 0; i-- {
			other.Attrs[fmt.Sprint(i)] = int64(i)
		}
		require.Equal(t, RecordIDOf(&r), RecordIDOf(&other))
	}
}

func TestCountUnknown(t *testing.T) {
	require.Equal(t, 2, CountUnknown([]Record{{Event: "app.tool.decided"}, {Event: "vendor.event"}, {}, {Event: "gen_ai.evaluation.result"}}))
}

func BenchmarkFromTraces(b *testing.B) {
	td := ptrace.NewTraces()
	ss := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty()
	const spans = 512
	for range spans {
		s := ss.Spans().AppendEmpty()
		for i := range 20 {
			s.Attributes().PutStr(fmt.Sprintf("gen_ai.attribute.%d", i), "value")
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		FromTraces(td)
	}
	b.ReportMetric(float64(b.N*spans)/b.Elapsed().Seconds(), "spans/s")
}

func BenchmarkFromLogs(b *testing.B) {
	ld := plog.NewLogs()
	sl := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty()
	const records = 512
	for range records {
		r := sl.LogRecords().AppendEmpty()
		for i := range 20 {
			r.Attributes().PutStr(fmt.Sprintf("gen_ai.attribute.%d", i), "value")
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		FromLogs(ld)
	}
	b.ReportMetric(float64(b.N*records)/b.Elapsed().Seconds(), "records/s")
}
