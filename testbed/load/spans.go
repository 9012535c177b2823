package load

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

// said is what agents write: prose, code, paths, JSON and ids.
var said = []string{
	"I'll look at the failing test first, then at the code that it covers. ",
	"Running `go test ./internal/store -run TestOpen -count=1` in /home/dev/src/app. ",
	`{"tool":"read_file","arguments":{"path":"internal/store/open.go","limit":200},"tool_call_id":"call_8fJ2k1"} `,
	"--- FAIL: TestOpen (0.02s)\n    open_test.go:41: schema 7 is newer than 6; run the migration tool first\n",
	"func Open(path string, s Settings) (*Writer, error) {\n\tdb, err := sql.Open(\"sqlite\", path)\n\tif err != nil {\n\t\treturn nil, err\n\t}\n",
	"commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904, trace 5b8efff798038103d269b633813fc60c. ",
	"The token budget is fine: max_tokens=4096, temperature 0.2. Next I ask whether the task may write to disk. ",
}

func prose(rng *rand.Rand, size int) string {
	var b strings.Builder
	for b.Len() < size {
		b.WriteString(said[rng.IntN(len(said))])
	}
	return b.String()[:size]
}

// names are values of the kind that attributes mostly have.
var names = []string{"claude-opus-4-20250514", "invoke_agent", "execute_tool", "call_8fJ2k1Lq", "internal/store/open.go", "eu-west-1", "production", "stop", "1.4.2"}

// AgentSpans makes one request of n agent spans in traces of ten, as OTLP in
// binary form. Equal seeds make equal requests.
func AgentSpans(n int, seed uint64) []byte {
	rng := rand.New(rand.NewPCG(seed, 1))
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", "coding-agent")
	rs.Resource().Attributes().PutStr("tenant.id", "t1")
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName("agent.instrumentation")
	for i := range n {
		s := ss.Spans().AppendEmpty()
		var trace pcommon.TraceID
		binary.BigEndian.PutUint64(trace[:8], seed+1)
		binary.BigEndian.PutUint64(trace[8:], uint64(i/10)+1)
		s.SetTraceID(trace)
		var id pcommon.SpanID
		binary.BigEndian.PutUint64(id[:], uint64(i)+1)
		s.SetSpanID(id)
		s.SetName("chat claude-opus-4")
		s.SetKind(ptrace.SpanKindClient)
		s.SetStartTimestamp(pcommon.Timestamp(1796040000000000000 + i))
		s.SetEndTimestamp(pcommon.Timestamp(1796040001000000000 + i))
		a := s.Attributes()
		a.PutStr("gen_ai.operation.name", "chat")
		a.PutStr("gen_ai.provider.name", "anthropic")
		a.PutStr("gen_ai.request.model", "claude-opus-4-20250514")
		a.PutStr("gen_ai.conversation.id", "5b0f2c1e-6a57-4e0e-9a53-3d5b2f0c7a11")
		a.PutStr("gen_ai.agent.name", "coder")
		a.PutInt("gen_ai.usage.input_tokens", int64(rng.IntN(4000)))
		a.PutInt("gen_ai.usage.output_tokens", int64(rng.IntN(900)))
		a.PutDouble("gen_ai.request.temperature", 0.2)
		a.PutStr("app.task.id", fmt.Sprintf("t-%d", i/10))
		a.PutStr("app.session.id", "0192f7a1-2b6c-7d11-9a53-3d5b2f0c7a11")
		for k := range 18 {
			a.PutStr(fmt.Sprintf("house.attribute.%02d", k), names[rng.IntN(len(names))])
		}
		a.PutStr("gen_ai.input.messages", prose(rng, 1360))
		a.PutStr("gen_ai.output.messages", prose(rng, 900))
	}
	b, err := ptraceotlp.NewExportRequestFromTraces(td).MarshalProto()
	if err != nil {
		panic(err) // never fails
	}
	return b
}

// TailSpans makes one request of n spans in traces of ten, each trace with a task
// of its own, none of which another first has. size is what a span takes: about 400
// bytes with 8 attributes, or 3500 with 30, two of them content. One trace of a
// hundred has a span in error.
func TailSpans(n, size int, first uint64) []byte {
	rng := rand.New(rand.NewPCG(first, 2))
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", "coding-agent")
	rs.Resource().Attributes().PutStr("tenant.id", "t1")
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName("agent.instrumentation")
	for i := range n {
		trace := first + uint64(i/10)
		s := ss.Spans().AppendEmpty()
		var id pcommon.TraceID
		binary.BigEndian.PutUint64(id[:8], rng.Uint64()|1)
		if i%10 > 0 {
			id = ss.Spans().At(i - 1).TraceID()
		}
		s.SetTraceID(id)
		var spanID pcommon.SpanID
		binary.BigEndian.PutUint64(spanID[:], uint64(i)+1)
		s.SetSpanID(spanID)
		s.SetName("chat claude-opus-4")
		s.SetKind(ptrace.SpanKindClient)
		s.SetStartTimestamp(pcommon.Timestamp(1796040000000000000 + i))
		s.SetEndTimestamp(pcommon.Timestamp(1796040001000000000 + i))
		if trace%100 == 7 && i%10 == 3 {
			s.Status().SetCode(ptrace.StatusCodeError)
		}
		a := s.Attributes()
		a.PutStr("gen_ai.operation.name", "chat")
		a.PutStr("gen_ai.provider.name", "anthropic")
		a.PutStr("gen_ai.request.model", "claude-opus-4-20250514")
		a.PutStr("gen_ai.agent.name", "coder")
		a.PutInt("gen_ai.usage.input_tokens", int64(rng.IntN(4000)))
		a.PutStr("app.task.id", fmt.Sprintf("task-%012d", trace))
		a.PutStr("gen_ai.conversation.id", "5b0f2c1e-6a57-4e0e-9a53-3d5b2f0c7a11")
		a.PutStr("app.tool.effect_class", "read")
		if size <= 400 {
			continue
		}
		for k := range 20 {
			a.PutStr(fmt.Sprintf("house.attribute.%02d", k), names[rng.IntN(len(names))])
		}
		a.PutStr("gen_ai.input.messages", prose(rng, 1360))
		a.PutStr("gen_ai.output.messages", prose(rng, 900))
	}
	b, err := ptraceotlp.NewExportRequestFromTraces(td).MarshalProto()
	if err != nil {
		panic(err) // never fails
	}
	return b
}
