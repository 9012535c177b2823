package mapping

import (
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// benchSpans maps batches of one span as a receiver decodes them: no key or value
// shares its bytes with another, and lists have the room that decoding leaves.
// Decoding is outside the timer.
func benchSpans(b *testing.B, span ptrace.Traces, options Options) {
	tables := embedded(b, options)
	const batch = 512
	src := ptrace.NewTraces()
	in := span.ResourceSpans().At(0)
	rs := src.ResourceSpans().AppendEmpty()
	in.Resource().CopyTo(rs.Resource())
	ss := rs.ScopeSpans().AppendEmpty()
	in.ScopeSpans().At(0).Scope().CopyTo(ss.Scope())
	for range batch {
		in.ScopeSpans().At(0).Spans().At(0).CopyTo(ss.Spans().AppendEmpty())
	}
	wire, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(src)
	if err != nil {
		b.Fatal(err)
	}
	perItem(b, batch, func() func() {
		td, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(wire)
		if err != nil {
			b.Fatal(err)
		}
		return func() { tables.MapTraces(td) }
	})
	b.ReportMetric(float64(len(wire)/batch), "wire-B")
}

// perItem times what prepare returns; one run handles a batch of items. Beside
// the wall clock it reports processor time, which a busy machine does not
// stretch. The garbage of each batch is collected outside the timer: prepare's
// would otherwise be paid for inside, and fresh memory is dear.
func perItem(b *testing.B, batch int, prepare func() func()) {
	b.ReportAllocs()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	b.ResetTimer()
	cpu, items := int64(0), 0
	for ; items < b.N; items += batch {
		b.StopTimer()
		run := prepare()
		runtime.GC()
		b.StartTimer()
		before := cpuNanos() // the timer itself costs more than some spans
		run()
		cpu += cpuNanos() - before
		b.StopTimer()
	}
	b.ReportMetric(float64(cpu)/float64(items), "cpu-ns/op")
}

func oneSpan(scope, name string, attrs map[string]any) ptrace.Traces {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", "shop")
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName(scope)
	s := ss.Spans().AppendEmpty()
	s.SetName(name)
	s.SetKind(ptrace.SpanKindClient)
	_ = s.Attributes().FromRaw(attrs)
	return td
}

func BenchmarkSpanGenAINative(b *testing.B) {
	benchSpans(b, oneSpan("opentelemetry.instrumentation.openai_v2", "chat gpt-4o", map[string]any{
		"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": "gpt-4o",
		"gen_ai.response.model": "gpt-4o-2024-08-06", "gen_ai.response.id": "chatcmpl-1",
		"gen_ai.response.finish_reasons": []any{"stop"}, "gen_ai.usage.input_tokens": 120, "gen_ai.usage.output_tokens": 30,
		"gen_ai.request.max_tokens": 256, "gen_ai.request.temperature": 0.2, "server.address": "api.openai.com", "server.port": 443,
	}), Options{})
}

func BenchmarkSpanOpenInferenceLLM(b *testing.B) { benchSpans(b, openInferenceLLM(b), Options{}) }

func BenchmarkSpanOpenInferenceLLMContent(b *testing.B) {
	benchSpans(b, openInferenceLLM(b), Options{Content: true})
}

func BenchmarkSpanOpenInferenceLLMDigests(b *testing.B) {
	benchSpans(b, openInferenceLLM(b), Options{Digests: DigestKinds(), DigestKey: []byte("the key of this benchmark")})
}

func BenchmarkSpanToolCall(b *testing.B) {
	benchSpans(b, toolCall(), Options{})
}

func BenchmarkSpanToolCallDigests(b *testing.B) {
	benchSpans(b, toolCall(), Options{Digests: []string{DigestEffects}, DigestKey: []byte("the key of this benchmark")})
}

func toolCall() ptrace.Traces {
	return oneSpan("openinference.instrumentation.langchain", "get_order", map[string]any{
		"openinference.span.kind": "TOOL", "tool.name": "get_order", "session.id": "t-1", "input.value": `{"order_id": 4711, "verbose": true}`,
		"output.value": `{"type":"tool","data":{"content":"{\"status\": \"shipped\"}","tool_call_id":"call_1","status":"success"}}`,
	})
}

func openInferenceLLM(b testing.TB) ptrace.Traces {
	td := readTraces(b, "testdata/samples/01_openinference_langgraph_anthropic_cached.json")
	llm := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans()
	i := 0
	llm.RemoveIf(func(s ptrace.Span) bool { i++; return s.Name() != "ChatAnthropic" })
	// Sixteen attributes of about two kilobytes, as a short chat has them.
	llm.At(0).Attributes().RemoveIf(func(k string, _ pcommon.Value) bool {
		switch k {
		case "llm.tools.0.tool.json_schema", "llm.finish_reason", "metadata", "llm.system", "llm.token_count.prompt_details.cache_write",
			"llm.output_messages.0.message.contents.0.message_content.type", "llm.output_messages.0.message.contents.0.message_content.text",
			"llm.output_messages.0.message.tool_calls.0.tool_call.id", "llm.output_messages.0.message.tool_calls.0.tool_call.function.name",
			"llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments", "llm.input_messages.0.message.role",
			"llm.input_messages.0.message.content":
			return true
		}
		return false
	})
	// The question comes with what was found for it, as in a retrieval.
	llm.At(0).Attributes().PutStr("llm.input_messages.1.message.content", "Where is order 4711? "+strings.Repeat("The parcel left the house on Monday. ", 25))
	return td
}

func BenchmarkSpanForeign(b *testing.B) {
	benchSpans(b, oneSpan("io.opentelemetry.http", "GET /", map[string]any{
		"http.request.method": "GET", "http.response.status_code": 200, "url.full": "http://shop/", "server.address": "shop",
		"server.port": 80, "network.protocol.version": "1.1", "user_agent.original": "curl", "url.scheme": "http",
	}), Options{})
}

func BenchmarkLogsClaudeCode(b *testing.B) {
	tables := embedded(b, Options{})
	text, err := os.ReadFile("testdata/samples/claude_code.json")
	if err != nil {
		b.Fatal(err)
	}
	src, err := (&plog.JSONUnmarshaler{}).UnmarshalLogs(text)
	if err != nil {
		b.Fatal(err)
	}
	big := plog.NewLogs()
	for range 50 {
		one := plog.NewLogs()
		src.CopyTo(one)
		one.ResourceLogs().MoveAndAppendTo(big.ResourceLogs())
	}
	perItem(b, big.LogRecordCount(), func() func() {
		ld := plog.NewLogs()
		big.CopyTo(ld)
		return func() { tables.MapLogs(ld) }
	})
}

func BenchmarkShellClass(b *testing.B) {
	tables := embedded(b, Options{})
	words := &tables.dialects[0].effects
	b.ReportAllocs()
	for b.Loop() {
		words.shellClass("cd src && git status --short | head -20")
	}
}
