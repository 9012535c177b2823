package mapping

import (
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// roleRecords are one call's messages as log records with the attributes given.
func roleRecords(events [][2]string, attributes map[string]any) plog.Logs {
	ld := plog.NewLogs()
	records := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords()
	for i, e := range events {
		r := records.AppendEmpty()
		r.SetEventName(e[0])
		r.SetTraceID([16]byte{1})
		r.SetSpanID([8]byte{1})
		r.Body().SetEmptyMap().PutStr("content", e[1])
		_ = r.Attributes().FromRaw(attributes)
		r.Attributes().PutInt("n", int64(i))
	}
	return ld
}

// A prompt has the same digests whether its messages came as events of the span
// or as log records.
func TestRecordsOfACallHaveTheDigestsOfItsSpan(t *testing.T) {
	events := [][2]string{{"gen_ai.system.message", "be brief"}, {"gen_ai.user.message", "hi"}, {"gen_ai.user.message", "there"}}
	span := oneSpan("s", "n", map[string]any{"gen_ai.operation.name": "chat"})
	for _, e := range events {
		event := span.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Events().AppendEmpty()
		event.SetName(e[0])
		event.Attributes().PutStr("content", e[1])
	}
	tables := digestTables(t, Options{JoinRecords: 8})
	tables.MapTraces(span)
	var want [2]string
	eachSpan(span, func(s ptrace.Span) {
		want = [2]string{attribute(s, "app.prompt.digest"), attribute(s, "app.context.hash")}
	})
	ld := roleRecords(events, map[string]any{"gen_ai.system": "openai"})
	tables.MapLogs(ld)
	for i, r := range ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().All() {
		prompt, has := r.Attributes().Get("app.prompt.digest")
		if has != (i == 0) {
			t.Fatalf("record %d: has a digest is %v", i, has)
		}
		if context, _ := r.Attributes().Get("app.context.hash"); has && (prompt.Str() != want[0] || context.Str() != want[1] || !strings.HasPrefix(want[1], "hmac:")) {
			t.Errorf("digests %s and %s, those of the span are %v", prompt.Str(), context.Str(), want)
		}
		if _, mapped := r.Attributes().Get("gen_ai.input.messages"); mapped || r.Body().Map().Len() != 1 {
			t.Errorf("record %d: content was moved", i)
		}
	}
}

// Messages that cannot be read together are left to each record.
func TestACallThatNobodySaysLeavesItsRecordsAlone(t *testing.T) {
	ld := roleRecords([][2]string{{"gen_ai.user.message", ""}, {"gen_ai.user.message", "hi"}}, map[string]any{"gen_ai.system": "openai"})
	records := ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords()
	deep := records.At(0).Body().SetEmptySlice()
	for range maxJSONDepth + 2 {
		deep = deep.AppendEmpty().SetEmptySlice()
	}
	embedded(t, Options{Content: true, JoinRecords: 8}).MapLogs(ld)
	if v, ok := records.At(1).Attributes().Get("gen_ai.input.messages"); !ok || !strings.Contains(v.Str(), `"hi"`) {
		t.Error("the message that could be read was not")
	}
	if _, ok := records.At(1).Attributes().Get("app.mapping.joined"); ok {
		t.Error("the record says that another one speaks for it")
	}
}
