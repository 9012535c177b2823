package mapping

import (
	"testing"

	"github.com/otelcol-agent/otelcol-agent/semconv"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// benchTranslate translates batches of one span; copying is outside the timer.
func benchTranslate(b *testing.B, goal string, attrs map[string]any) {
	x := translatorInto(b, goal)
	const batch = 512
	src := ptrace.NewSpanSlice()
	for range batch {
		s := src.AppendEmpty()
		s.SetKind(ptrace.SpanKindClient)
		_ = s.Attributes().FromRaw(attrs)
	}
	perItem(b, batch, func() func() {
		spans := ptrace.NewSpanSlice()
		src.CopyTo(spans)
		return func() {
			var y tally
			for _, s := range spans.All() {
				x.span(s, &y)
			}
		}
	})
}

func chatSpan(provider, word, written string) map[string]any {
	out := map[string]any{
		"gen_ai.operation.name": "chat", provider: word, "gen_ai.request.model": "gpt-4o",
		"gen_ai.response.model": "gpt-4o-2024-08-06", "gen_ai.response.id": "chatcmpl-1",
		"gen_ai.response.finish_reasons": []any{"stop"}, "gen_ai.usage.input_tokens": 120, "gen_ai.usage.output_tokens": 30,
		"gen_ai.request.max_tokens": 256, "gen_ai.request.temperature": 0.2, "server.address": "api.openai.com", "server.port": 443,
	}
	if written != "" {
		out[written] = 12
	}
	return out
}

func BenchmarkTranslateSpanAsItIs(b *testing.B) {
	benchTranslate(b, semconv.DefaultSnapshot, chatSpan("gen_ai.provider.name", "openai", "gen_ai.usage.cache_creation.input_tokens"))
}

func BenchmarkTranslateSpanFromOldest(b *testing.B) {
	attrs := chatSpan("gen_ai.system", "xai", "")
	attrs["gen_ai.request.top_k"] = 40.0
	benchTranslate(b, semconv.DefaultSnapshot, attrs)
}

func BenchmarkTranslateSpanToOldest(b *testing.B) {
	benchTranslate(b, "core-1.36.0", chatSpan("gen_ai.provider.name", "x_ai", "gen_ai.usage.cache_creation.input_tokens"))
}

func BenchmarkTranslateSpanToNewest(b *testing.B) {
	benchTranslate(b, "genai-2026-10-09", chatSpan("gen_ai.provider.name", "openai", "gen_ai.usage.cache_creation.input_tokens"))
}

func BenchmarkTranslateForeignSpan(b *testing.B) {
	benchTranslate(b, "genai-2026-10-09", map[string]any{
		"http.request.method": "GET", "http.response.status_code": 200, "url.full": "http://shop/", "server.address": "shop",
		"server.port": 80, "network.protocol.version": "1.1", "user_agent.original": "curl", "url.scheme": "http",
	})
}

// One token usage histogram of twelve data points is split in two.
func BenchmarkTranslateTokenUsage(b *testing.B) {
	x := translatorInto(b, "genai-2026-10-09")
	src := pmetric.NewMetricSlice()
	m := src.AppendEmpty()
	m.SetName("gen_ai.client.token.usage")
	h := m.SetEmptyHistogram()
	for i := range 12 {
		attrs := h.DataPoints().AppendEmpty().Attributes()
		attrs.PutStr("gen_ai.operation.name", "chat")
		attrs.PutStr("gen_ai.provider.name", "openai")
		attrs.PutStr("gen_ai.request.model", "gpt-4o")
		attrs.PutStr("gen_ai.token.type", []string{"input", "output"}[i%2])
	}
	perItem(b, 1, func() func() {
		list := pmetric.NewMetricSlice()
		src.CopyTo(list)
		return func() { x.stamped(list, "", nil) }
	})
}

func TestTranslatingWhatIsRightDoesNotAllocate(t *testing.T) {
	x := translatorInto(t, semconv.DefaultSnapshot)
	span := ptrace.NewSpan()
	span.SetKind(ptrace.SpanKindInternal)
	_ = span.Attributes().FromRaw(chatSpan("gen_ai.provider.name", "openai", "gen_ai.usage.cache_creation.input_tokens"))
	var y tally
	if n := testing.AllocsPerRun(100, func() { x.span(span, &y) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
