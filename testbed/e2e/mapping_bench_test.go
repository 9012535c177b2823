package e2e

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/testbed/collector"
)

const (
	benchBatch   = 512 // spans a request
	benchBatches = 200
	benchRounds  = 3 // of which the cheapest counts: other work on the machine only adds
)

// byHand is what a user of contrib's transform processor writes for one kind of
// span of one dialect: no messages, no value maps, no second form of any field.
const byHand = `processors::transform/byhand: {error_mode: ignore, trace_statements: [{context: span, statements: [
  'set(attributes["gen_ai.operation.name"], "chat") where attributes["openinference.span.kind"] == "LLM"',
  'set(attributes["gen_ai.operation.name"], "execute_tool") where attributes["openinference.span.kind"] == "TOOL"',
  'set(attributes["gen_ai.operation.name"], "invoke_agent") where attributes["openinference.span.kind"] == "AGENT"',
  'set(attributes["gen_ai.provider.name"], attributes["llm.provider"]) where attributes["llm.provider"] != nil',
  'set(attributes["gen_ai.response.model"], attributes["llm.model_name"]) where attributes["llm.model_name"] != nil',
  'set(attributes["gen_ai.usage.input_tokens"], attributes["llm.token_count.prompt"]) where attributes["llm.token_count.prompt"] != nil',
  'set(attributes["gen_ai.usage.output_tokens"], attributes["llm.token_count.completion"]) where attributes["llm.token_count.completion"] != nil',
  'set(attributes["gen_ai.usage.cache_read.input_tokens"], attributes["llm.token_count.prompt_details.cache_read"]) where attributes["llm.token_count.prompt_details.cache_read"] != nil',
  'set(attributes["gen_ai.conversation.id"], attributes["session.id"]) where attributes["openinference.span.kind"] != nil and attributes["session.id"] != nil',
  'set(cache["set"], ParseJSON(attributes["llm.invocation_parameters"])) where attributes["llm.invocation_parameters"] != nil',
  'set(attributes["gen_ai.request.model"], cache["set"]["model"]) where cache["set"] != nil',
  'set(attributes["gen_ai.request.temperature"], cache["set"]["temperature"]) where cache["set"] != nil',
  'set(attributes["gen_ai.request.max_tokens"], cache["set"]["max_tokens"]) where cache["set"] != nil',
  'set(name, Concat(["chat", attributes["gen_ai.request.model"]], " ")) where attributes["gen_ai.operation.name"] == "chat"']}]}`

// BenchmarkMapping runs the binary on one core, OTLP in and nothing out, and
// reports the processor time of the process as the operating system tells it. A
// collector that only receives is the base that the others are compared with.
func BenchmarkMapping(b *testing.B) {
	ways := []struct {
		name, processors string
		args             []string
	}{
		{"none", "[]", nil},
		{"genaimapper", "[genaimapper]", []string{"--config=yaml:processors::genaimapper::digests: []"}},
		{"genaimapper_digests", "[genaimapper]", nil},
		{"transform_14_statements", "[transform/byhand]", []string{"--config=yaml:" + byHand}},
	}
	batches := map[string][]byte{"native": nativeBatch(b), "openinference": openInferenceBatch(b)}
	for _, dialect := range []string{"native", "openinference"} {
		base := time.Duration(0)
		for _, way := range ways {
			b.Run(dialect+"/"+way.name, func(b *testing.B) {
				for range b.N {
					least := time.Duration(1<<63 - 1)
					for range benchRounds {
						least = min(least, processorTime(b, batches[dialect], append(way.args, "--config=yaml:service::pipelines::traces/receive::processors: "+way.processors)))
					}
					if way.name == "none" {
						base = least
					}
					b.ReportMetric(float64(least.Nanoseconds())/(benchBatch*benchBatches), "cpu-ns/span")
					b.ReportMetric(float64((least-base).Nanoseconds())/(benchBatch*benchBatches), "more-ns/span")
				}
			})
		}
	}
}

// processorTime of a collector's whole life in which it gets all batches.
func processorTime(b *testing.B, batch []byte, args []string) time.Duration {
	p, err := collector.Start(context.Background(), collector.Settings{
		Binary: binary, Home: b.TempDir(), Env: []string{"GOMAXPROCS=1"},
		Args: append([]string{"--config=yaml:service::pipelines::traces/store::exporters: [nop]"}, args...),
	})
	require.NoError(b, err)
	defer p.Kill()
	for range benchBatches {
		resp, err := http.Post(p.Endpoint+"/v1/traces", "application/x-protobuf", bytes.NewReader(batch))
		require.NoError(b, err)
		require.NoError(b, resp.Body.Close())
		require.Equal(b, http.StatusOK, resp.StatusCode)
	}
	require.NoError(b, p.Stop())
	return p.ProcessorTime()
}

func encoded(b *testing.B, scope, name string, attributes map[string]any) []byte {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", "shop")
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName(scope)
	for i := range benchBatch {
		s := ss.Spans().AppendEmpty()
		s.SetName(name)
		s.SetKind(ptrace.SpanKindClient)
		s.SetTraceID([16]byte{1, byte(i), byte(i >> 8)})
		s.SetSpanID([8]byte{1, byte(i), byte(i >> 8)})
		require.NoError(b, s.Attributes().FromRaw(attributes))
	}
	wire, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
	require.NoError(b, err)
	return wire
}

func nativeBatch(b *testing.B) []byte {
	return encoded(b, "opentelemetry.instrumentation.openai_v2", "chat gpt-4o", map[string]any{
		"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": "gpt-4o",
		"gen_ai.response.model": "gpt-4o-2024-08-06", "gen_ai.response.id": "chatcmpl-1",
		"gen_ai.response.finish_reasons": []any{"stop"}, "gen_ai.usage.input_tokens": 120, "gen_ai.usage.output_tokens": 30,
		"gen_ai.request.max_tokens": 256, "gen_ai.request.temperature": 0.2, "server.address": "api.openai.com", "server.port": 443,
	})
}

func openInferenceBatch(b *testing.B) []byte {
	return encoded(b, "openinference.instrumentation.langchain", "ChatAnthropic", map[string]any{
		"openinference.span.kind": "LLM", "session.id": "thread-77", "llm.provider": "anthropic", "llm.model_name": "claude-sonnet-4-5-20250929",
		"input.value": `{"messages":[[{"lc":1,"type":"constructor","kwargs":{"content":"Where is order 4711?","type":"human"}}]]}`, "input.mime_type": "application/json",
		"output.value": `{"generations":[["..."]]}`, "output.mime_type": "application/json",
		"llm.input_messages.1.message.role": "user", "llm.output_messages.0.message.role": "assistant",
		"llm.input_messages.1.message.content": strings.Repeat("The parcel left the house on Monday. ", 27),
		"llm.invocation_parameters":            `{"model": "claude-sonnet-4-5", "max_tokens": 1024, "temperature": 0.2, "top_k": 40, "stop": ["END"]}`,
		"llm.token_count.prompt":               2150, "llm.token_count.completion": 48, "llm.token_count.total": 2198, "llm.token_count.prompt_details.cache_read": 2000,
	})
}
