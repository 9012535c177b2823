package storetest

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// everyValue has every kind of value and the awkward ones of each.
func everyValue() evidence.Attrs {
	return evidence.Attrs{
		"text": "plain", "text.empty": "", "text.long": strings.Repeat("x", 100_000),
		"text.invalid": "\xff\xfe\x00a\xc3", "text.nul": "a\x00b", "text.unicode": "żółć 漢字 🦊",
		"int": int64(1), "int.zero": int64(0), "int.min": int64(math.MinInt64), "int.max": int64(math.MaxInt64),
		"double": 1.5, "double.whole": 2.0, "double.negative.zero": math.Copysign(0, -1),
		"double.nan": math.NaN(), "double.nan.payload": math.Float64frombits(0x7ff8_0000_dead_beef),
		"double.inf": math.Inf(1), "double.-inf": math.Inf(-1), "double.max": math.MaxFloat64, "double.smallest": math.SmallestNonzeroFloat64,
		"yes": true, "no": false, "null": nil,
		"bytes": []byte{0, 1, 255}, "bytes.empty": []byte{},
		"list": []any{"a", int64(1), 1.0, true, nil, []byte{9}, []any{"nested"}, map[string]any{"k": int64(2)}}, "list.empty": []any{},
		"map":       map[string]any{"a": int64(1), "b": []any{int64(1), "2"}, "c": map[string]any{"d": map[string]any{}}},
		"map.empty": map[string]any{},
		"":          "the empty key", "key\xff\x00": "an odd key", strings.Repeat("k", 5000): "a long key",
	}
}

func roundTrip(t *testing.T, s *subject) {
	resource := evidence.Attrs{semconv.ServiceName: "coder", semconv.TenantID: "acme", "every": map[string]any(everyValue())}
	full := evidence.Span{
		Tenant: "acme", ID: evidence.StepID{Trace: traceID(1), Span: spanID(1)}, Parent: spanID(7),
		Name: "chat m", Kind: "client", Start: at(1), End: at(2), Status: evidence.StatusError, StatusMessage: "it \xff broke",
		TraceState: "a=b", Service: "coder", ServiceVersion: "1", Scope: "scope", ScopeVersion: "2",
		Attrs: everyValue(), Resource: resource,
		Links: []evidence.Link{
			{To: evidence.StepID{Trace: traceID(9), Span: spanID(9)}, Relation: "retries", TraceState: "c=d", Attrs: everyValue()},
			{To: evidence.StepID{Trace: traceID(8), Span: spanID(8)}, Relation: "made up"},
			{To: evidence.StepID{Trace: traceID(9), Span: spanID(3)}, Relation: "follows"},
		},
		Events: []evidence.SpanEvent{
			{Time: at(0), Name: "exception", Attrs: everyValue()}, {Time: 0, Name: ""}, {Time: math.MaxInt64, Name: "later"},
		},
	}
	for key, v := range map[string]any{semconv.AppTaskID: "t", semconv.GenAIOperationName: "chat", semconv.GenAIAgentName: "", semconv.GenAIToolName: "Bash"} {
		full.Attrs[key] = v
	}
	odd := span(2, 1, tenant("acme"), link(1, "related"))
	odd.Name, odd.Kind = "", "producer"
	for key, v := range map[string]any{semconv.GenAIOperationName: int64(4), semconv.GenAIAgentName: []any{"x"}, semconv.GenAIToolName: nil} {
		attr(key, v)(&odd)
	}
	bare := span(3, 1, tenant("acme"), link(1, "related"))
	bare.Status = evidence.StatusOK
	spans := []evidence.Span{full, odd, bare}

	var records []evidence.Record
	for i, body := range []any{nil, "text", "", int64(4), math.NaN(), true, []byte{0}, []any{}, map[string]any(everyValue())} {
		records = append(records, record(i, func(r *evidence.Record) {
			r.Tenant, r.Body, r.Attrs, r.Resource = "acme", body, everyValue(), resource
			r.Step = evidence.StepID{Trace: traceID(1), Span: spanID(i)}
			r.Severity, r.Service, r.ServiceVersion, r.Scope, r.ScopeVersion = "ERROR", "coder", "1", "scope", "2"
		}))
	}
	s.write(t, evidence.Batch{Spans: spans, Records: records}, len(spans)+len(records))
	equal(t, s.content(t), []evidence.Run{wanted("acme", spans, records...)})
	s.write(t, evidence.Batch{Spans: spans, Records: records}, 0)

	s.close(t)
	s.open(t)
	equal(t, s.content(t), []evidence.Run{wanted("acme", spans, records...)})
	s.write(t, evidence.Batch{Spans: spans, Records: records}, 0)
}

func timesOutOfRange(t *testing.T, s *subject) {
	td, ld := ptrace.NewTraces(), plog.NewLogs()
	ss := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty()
	sl := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty()
	times := []pcommon.Timestamp{0, 1, math.MaxInt64, math.MaxInt64 + 1, math.MaxUint64}
	for i, start := range times {
		for j, end := range times {
			sp := ss.Spans().AppendEmpty()
			sp.SetTraceID(pcommon.TraceID(traceID(1)))
			sp.SetSpanID(pcommon.SpanID(spanID(1 + i*len(times) + j)))
			sp.SetStartTimestamp(start)
			sp.SetEndTimestamp(end)
			e := sp.Events().AppendEmpty()
			e.SetTimestamp(end)
			r := sl.LogRecords().AppendEmpty()
			r.SetTraceID(sp.TraceID())
			r.SetTimestamp(start)
			r.SetObservedTimestamp(end)
		}
	}
	// Records that say the same after the cut are one.
	records := map[evidence.RecordID]evidence.Record{}
	for _, r := range evidence.FromLogs(ld) {
		records[r.ID] = r
	}
	spans := evidence.FromTraces(td)
	s.write(t, evidence.Batch{Spans: spans, Records: evidence.FromLogs(ld)}, len(spans)+len(records))
	run := s.find(t, "", traceID(1).String())
	equal(t, run.Spans, wanted("", spans).Spans)
	if len(run.Records) != len(records) {
		t.Errorf("found %d records, want %d", len(run.Records), len(records))
	}
	for _, r := range run.Records {
		equal(t, r, records[r.ID])
	}
}

func hugeRows(t *testing.T, s *subject) {
	wide, linked := span(1, 1), span(1, 2)
	for i := range 2000 {
		attr(fmt.Sprintf("made.up.key.%d", i), fmt.Sprintf("value %d", i))(&wide)
	}
	for i := range 10_000 {
		link(i%500, "related")(&linked)
		linked.Links[i].To.Span = spanID(i + 1)
	}
	s.write(t, evidence.Batch{Spans: []evidence.Span{wide, linked}}, 2)
	equal(t, s.find(t, "", traceID(1).String()), wanted("", []evidence.Span{wide, linked}))
	equal(t, s.find(t, "", traceID(499).String()), wanted("", []evidence.Span{wide, linked}))
	s.write(t, evidence.Batch{Spans: []evidence.Span{wide, linked}}, 0)
}
