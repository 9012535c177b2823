package synth

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/plog"
)

// turnRecords are the records of one ordinary turn, as a mapped coding agent
// gives them: prompt, request, decision, result, request, end.
func turnRecords(t testing.TB, session, turn string) plog.Logs {
	text := fmt.Sprintf(`
resource service.name=cli service.version=2.1.294 host.arch=arm64 os.type=darwin tenant.id=acme
default app.session.id=%s app.turn.id=%s app.mapping.dialect=demo app.mapping.snapshot=genai-2026-08-15 app.harness.name=cli app.harness.version=2.1 user.email=a event.sequence=4 terminal.type=iTerm
1000 app.turn.started gen_ai.agent.name=coder
3450 app.inference.completed took=2431 app.request.id=req_011EXAMPLE0001 gen_ai.provider.name=anthropic gen_ai.request.model=model-5 gen_ai.usage.input_tokens=18863 gen_ai.usage.output_tokens=187 gen_ai.usage.cache_read.input_tokens=18211 gen_ai.usage.cache_creation.input_tokens=640 app.usage.cost=0.0107 app.usage.cost_basis=estimate gen_ai.response.time_to_first_chunk=0.811
3900 app.tool.decided gen_ai.tool.name=Bash gen_ai.tool.call.id=toolu_01EXAMPLEBASH app.permission.decision=allow app.permission.decided_by=user app.permission.scope=once app.permission.raw=accept/user_temporary
9100 app.tool.failed took=5170 gen_ai.tool.name=Bash gen_ai.tool.call.id=toolu_01EXAMPLEBASH app.tool.effect_class=write error.type=ShellError
12450 app.inference.completed took=2431 app.request.id=req_011EXAMPLE0002 gen_ai.provider.name=anthropic gen_ai.request.model=model-5 gen_ai.usage.input_tokens=18863 gen_ai.usage.output_tokens=187 gen_ai.usage.cache_read.input_tokens=18211 gen_ai.usage.cache_creation.input_tokens=640 app.usage.cost=0.0107 app.usage.cost_basis=estimate
13000 app.turn.ended
`, session, turn)
	return parse(t, text).batches[0].logs
}

// decoded is a copy that owns its strings, as a decoder makes it.
func decoded(t testing.TB, raw []byte) plog.Logs {
	ld, err := (&plog.ProtoUnmarshaler{}).UnmarshalLogs(raw)
	if err != nil {
		t.Fatal(err)
	}
	return ld
}

// BenchmarkStep joins one turn of six records a call, each turn a new one.
func BenchmarkStep(b *testing.B) {
	for _, mode := range []Mode{Live, Closed} {
		b.Run(map[Mode]string{Live: "live", Closed: "closed"}[mode], func(b *testing.B) {
			batches := make([]plog.Logs, 2048)
			for i := range batches {
				batches[i] = turnRecords(b, fmt.Sprintf("5b0f2c1e-6a57-4e0e-9a53-%012d", i/4), fmt.Sprintf("0c9f4d6a-1f2b-4c3d-8e4f-%012d", i))
			}
			set := defaults()
			set.Mode = mode
			s, now := NewState(set), epoch
			records := 0
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				now = now.Add(time.Millisecond)
				batch := batches[i%len(batches)]
				Step(s, batch, now)
				records += batch.LogRecordCount()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(records), "ns/record")
		})
	}
}

// BenchmarkStepOneRecord joins one record a call, as when an agent sends each at once.
func BenchmarkStepOneRecord(b *testing.B) {
	whole := turnRecords(b, "s", "t").ResourceLogs().At(0)
	one := plog.NewLogs()
	rl := one.ResourceLogs().AppendEmpty()
	whole.Resource().CopyTo(rl.Resource())
	whole.ScopeLogs().At(0).LogRecords().At(1).CopyTo(rl.ScopeLogs().AppendEmpty().LogRecords().AppendEmpty())
	s := NewState(defaults())
	b.ReportAllocs()
	for range b.N {
		Step(s, one, epoch)
	}
}

// BenchmarkOpenTurn reports the heap that an open turn of six records takes.
func BenchmarkOpenTurn(b *testing.B) {
	const turns = 10_000
	raw := make([][]byte, turns)
	for i := range raw {
		raw[i], _ = (&plog.ProtoMarshaler{}).MarshalLogs(turnRecords(b, fmt.Sprintf("5b0f2c1e-6a57-4e0e-9a53-%012d", i/4), fmt.Sprintf("0c9f4d6a-1f2b-4c3d-8e4f-%012d", i)))
	}
	set := defaults()
	set.MaxTurns, set.MaxBytes = 2*turns, 1<<30
	for range b.N {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		s := NewState(set)
		for i := range raw {
			Step(s, decoded(b, raw[i]), epoch)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/turns, "heap-B/turn")
		b.ReportMetric(float64(s.Usage().Bytes)/turns, "estimated-B/turn")
		runtime.KeepAlive(s)
	}
}
