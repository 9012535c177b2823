package redact

import (
	"fmt"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// agentText is what agents write: prose, code, paths, JSON, ids, no secret.
const agentText = "I'll look at the failing test first. Running `go test ./internal/store -run TestOpen` in /home/dev/src/app.\n" +
	"{\"tool\":\"read_file\",\"arguments\":{\"path\":\"internal/store/open.go\",\"limit\":200},\"tool_call_id\":\"call_8fJ2k1\"}\n" +
	"--- FAIL: TestOpen (0.02s)\n    open_test.go:41: schema 7 is newer than 6; run the migration tool first\n" +
	"func Open(path string, s Settings) (*Writer, error) {\n\tdb, err := sql.Open(\"sqlite\", path+\"?_pragma=journal_mode(WAL)\")\n\tif err != nil {\n\t\treturn nil, fmt.Errorf(\"open %s: %w\", path, err)\n\t}\n" +
	"commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904 trace 5b8efff798038103d269b633813fc60c model claude-opus-4-20250514\n" +
	"The token budget is fine: max_tokens=4096, temperature 0.2. Next I ask the user whether the task may write to disk.\n"

func text(size int) string {
	return strings.Repeat(agentText, size/len(agentText)+1)[:size]
}

func benchText(b *testing.B, p *Policy, s string) {
	w := p.walk()
	w.enterTenant(pcommon.NewResource())
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	before := cpuTime(b)
	for b.Loop() {
		w.guardedText(s, SpanAttribute)
	}
	reportRate(b, before, len(s))
}

func BenchmarkCleanText(b *testing.B) {
	for _, size := range []int{32, 512, 4096, 128 << 10} {
		b.Run(fmt.Sprint(size), func(b *testing.B) { benchText(b, everything(b), text(size)) })
	}
}

func BenchmarkHitEveryKB(b *testing.B) {
	secret, _ := fill(" sk-proj-{b64url:80} ", 1)
	benchText(b, everything(b), strings.Repeat(text(1024-len(secret))+secret, 64))
}

func BenchmarkHostileLine(b *testing.B) {
	for name, unit := range hostileUnits {
		b.Run(name, func(b *testing.B) { benchText(b, everything(b), strings.Repeat(unit, 131<<10/len(unit))) })
	}
}

// agentSpan is about 3.5 KB: 30 attributes, two of them content, 26 under keys
// that nobody knows.
func agentSpan(td ptrace.Traces, unknown string) {
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", "agent")
	ss := rs.ScopeSpans().AppendEmpty()
	for i := range 100 {
		s := ss.Spans().AppendEmpty()
		s.SetName("chat claude-opus-4")
		for k := range 26 {
			s.Attributes().PutStr(fmt.Sprintf("gen_ai.some.attribute.%d", k), unknown)
		}
		s.Attributes().PutInt("gen_ai.usage.input_tokens", int64(i))
		s.Attributes().PutStr("gen_ai.input.messages", text(1200))
		s.Attributes().PutStr("gen_ai.output.messages", text(900))
		s.Attributes().PutStr("gen_ai.conversation.id", "5b0f2c1e-6a57-4e0e-9a53-3d5b2f0c7a11")
	}
}

func BenchmarkAgentSpans(b *testing.B) {
	for _, c := range []struct {
		name             string
		content, unknown Mode
		value            string
	}{
		{"keep", Keep, Keep, "a value of usual length"},
		{"digest", Digest, Keep, "a value of usual length"},
		{"drop", Drop, Keep, "a value of usual length"},
		{"names", Digest, Digest, "a-value/of.usual_length"}, // the default policy
		{"prose", Digest, Digest, "a value of usual length"}, // the same; every attribute is replaced
	} {
		b.Run(c.name, func(b *testing.B) {
			p := compile(b, Settings{Secrets: true, PII: PIIKinds(), Content: c.content, Unknown: c.unknown})
			src := ptrace.NewTraces()
			agentSpan(src, c.value)
			b.ReportAllocs()
			spans := 0
			for b.Loop() {
				b.StopTimer()
				td := ptrace.NewTraces()
				src.CopyTo(td)
				b.StartTimer()
				p.Traces(td)
				spans += td.SpanCount()
			}
			b.ReportMetric(float64(spans)/b.Elapsed().Seconds(), "spans/s")
		})
	}
}
