package tail_test

import (
	"encoding/binary"
	"strconv"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/internal/tail"
	"github.com/otelcol-agent/otelcol-agent/internal/tail/slab"
)

// agentBatch is traces of five spans with a dozen attributes each, as a mapped
// agent sends them.
func agentBatch(traces, first int) ptrace.Traces {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", "coder")
	rs.Resource().Attributes().PutStr("tenant.id", "acme")
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName("bench")
	for trace := range traces {
		var id pcommon.TraceID
		binary.BigEndian.PutUint64(id[8:], uint64(first+trace+1))
		for i := range 5 {
			s := ss.Spans().AppendEmpty()
			s.SetTraceID(id)
			s.SetSpanID(pcommon.SpanID{byte(i + 1)})
			s.SetName("execute_tool read_file")
			s.SetStartTimestamp(1_800_000_000_000_000_000)
			s.SetEndTimestamp(1_800_000_001_000_000_000)
			a := s.Attributes()
			a.PutStr("gen_ai.operation.name", "execute_tool")
			a.PutStr("gen_ai.tool.name", "read_file")
			a.PutStr("gen_ai.tool.call.id", "call-"+strconv.Itoa(i))
			a.PutStr("gen_ai.agent.name", "coder")
			a.PutStr("gen_ai.conversation.id", "c-"+strconv.Itoa(first+trace))
			a.PutStr("app.task.id", "task-"+strconv.Itoa(first+trace))
			a.PutStr("app.tool.effect_class", "read")
			a.PutStr("app.mapping.dialect", "genai")
			a.PutStr("app.mapping.snapshot", "genai-2026-08-15")
			a.PutInt("gen_ai.usage.input_tokens", 1200)
			a.PutInt("gen_ai.usage.output_tokens", 80)
			a.PutStr("app.session.id", "s-"+strconv.Itoa(first+trace))
		}
	}
	return td
}

// BenchmarkSpan is the whole way of a span: measured, split, encoded, joined,
// decided, and in one of twenty cases decoded and stamped for sending.
func BenchmarkSpan(b *testing.B) {
	const traces, spans = 100, 500
	now := time.Unix(1_800_000_000, 0)
	set := tail.Settings{
		DecisionWait: 10 * time.Second, MaxWait: 10 * time.Minute, MemoryBytes: 1 << 28, Remember: 1 << 20,
		RetryMin: time.Second, RetryMax: time.Minute, Policy: tail.Policy{Ratio: 0.05},
	}
	state := tail.NewState(set)
	hands := tail.Hands{Policy: &set.Policy, Arena: state.Arena}
	alloc := func(n int) (slab.Block, []byte) { bl := state.Arena.Alloc(n); return bl, state.Arena.Bytes(bl) }
	one, _ := tail.Encode(agentBatch(traces, 0))
	wire := one.Size() / spans
	batches := make([]ptrace.Traces, b.N/spans+1)
	for i := range batches {
		batches[i] = agentBatch(traces, i*traces)
	}
	var held, n int64
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < len(batches); i++ {
		td := batches[i]
		batch, err := tail.Encode(td)
		if err != nil {
			b.Fatal(err)
		}
		tail.Step(state, tail.Reserve{Bytes: batch.Size()}, now)
		pieces, err := batch.Split(&set.Policy, alloc)
		if err != nil {
			b.Fatal(err)
		}
		tail.Step(state, tail.Arrive{Pieces: pieces, Reserved: batch.Size()}, now)
		held, n = max(held, state.Bytes()), n+spans
		if i%20 == 19 || i == len(batches)-1 {
			now = now.Add(11 * time.Second)
			settle(state, &hands, now)
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "spans/s")
	b.ReportMetric(float64(wire), "wire-B/span")
	b.ReportMetric(float64(held)/float64(min(n, 20*spans))/float64(wire), "held/wire")
}

func settle(state *tail.State, hands *tail.Hands, now time.Time) {
	for effects := tail.Step(state, tail.Tick{}, now); len(effects) > 0; effects = effects[1:] {
		switch e := effects[0].(type) {
		case tail.Judge:
			effects = append(effects, tail.Step(state, hands.Judge(e.Job, now), now)...)
		case tail.Send:
			hands.Traces(e.Parcel)
			effects = append(effects, tail.Step(state, tail.Delivered(e), now)...)
		case tail.More:
			effects = append(effects, tail.Step(state, tail.Tick{}, now)...)
		}
	}
}

// BenchmarkSplit is the part of it that runs outside the lock.
func BenchmarkSplit(b *testing.B) {
	const traces, spans = 100, 500
	batches := make([]ptrace.Traces, b.N/spans+1)
	for i := range batches {
		batches[i] = agentBatch(traces, i*traces)
	}
	arena := slab.New()
	defer arena.Close()
	alloc := func(n int) (slab.Block, []byte) { bl := arena.Alloc(n); return bl, arena.Bytes(bl) }
	b.ReportAllocs()
	b.ResetTimer()
	for _, td := range batches {
		batch, err := tail.Encode(td)
		if err != nil {
			b.Fatal(err)
		}
		pieces, err := batch.Split(&tail.Policy{}, alloc)
		if err != nil {
			b.Fatal(err)
		}
		for i := range pieces {
			arena.Free(pieces[i].Block)
		}
	}
}
