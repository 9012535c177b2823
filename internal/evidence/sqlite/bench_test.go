package sqlite

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// agentSpans returns one batch of redacted agent telemetry: traces of sixteen
// spans, a tool call with decision and effect among every four, twenty
// attributes a span, two traces a task.
func agentSpans(batch, spans int) evidence.Batch {
	start := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC).UnixNano() + int64(batch)*1e9
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	r := rs.Resource().Attributes()
	r.PutStr("service.name", "coder")
	r.PutStr("service.version", "2.1.0")
	r.PutStr("tenant.id", "acme")
	r.PutStr("host.arch", "amd64")
	r.PutStr("os.type", "linux")
	r.PutStr("telemetry.sdk.name", "opentelemetry")
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName("agentevents")
	for i := range spans {
		n := batch*spans + i
		var trace [16]byte
		binary.BigEndian.PutUint64(trace[:], uint64(n/16+1)*0x9e3779b97f4a7c15)
		binary.BigEndian.PutUint64(trace[8:], uint64(n/16+1))
		var id, parent [8]byte
		binary.BigEndian.PutUint64(id[:], uint64(n+1)*0xbf58476d1ce4e5b9)
		s := ss.Spans().AppendEmpty()
		s.SetTraceID(trace)
		s.SetSpanID(id)
		if n%16 != 0 {
			binary.BigEndian.PutUint64(parent[:], uint64(n/16*16+1)*0xbf58476d1ce4e5b9)
			s.SetParentSpanID(parent)
		}
		s.SetKind(ptrace.SpanKindInternal)
		at := start + int64(i)*1e6
		s.SetStartTimestamp(pcommon.Timestamp(at))
		s.SetEndTimestamp(pcommon.Timestamp(at + 731_512_931))
		a := s.Attributes()
		a.PutStr("app.task.id", fmt.Sprintf("task-%08d", n/32))
		a.PutStr("gen_ai.agent.name", "coder")
		a.PutStr("gen_ai.conversation.id", fmt.Sprintf("6f1c2d3e-4b5a-4c7d-8e9f-%012d", n/32))
		a.PutStr("app.session.id", fmt.Sprintf("6f1c2d3e-4b5a-4c7d-8e9f-%012d", n/32))
		a.PutStr("app.turn.id", fmt.Sprintf("turn-%08d", n/16))
		a.PutStr("app.harness.name", "claude-code")
		a.PutStr("app.harness.version", "2.1.0")
		a.PutStr("app.mapping.dialect", "claude_code")
		a.PutStr("app.mapping.snapshot", "genai-2026-08-15")
		a.PutStr("app.redaction.policy", "9b1e0c7a55d14f0c")
		a.PutInt("app.redaction.count", 3)
		a.PutEmptySlice("app.mapping.inferred").AppendEmpty().SetStr("gen_ai.operation.name")
		if i%4 == 0 {
			s.SetName("execute_tool Bash")
			a.PutStr("gen_ai.operation.name", "execute_tool")
			a.PutStr("gen_ai.tool.name", "Bash")
			a.PutStr("gen_ai.tool.call.id", fmt.Sprintf("toolu_01%020d", n))
			a.PutStr("app.tool.effect_class", "write")
			a.PutStr("app.permission.decision", "allow")
			a.PutStr("app.permission.decided_by", "user")
			a.PutStr("app.effect.stage", "acked")
			a.PutStr("app.effect.request.digest", fmt.Sprintf("%032x", uint64(n)*0x94d049bb133111eb))
			continue
		}
		s.SetName("chat claude-sonnet-4")
		a.PutStr("gen_ai.operation.name", "chat")
		a.PutStr("gen_ai.provider.name", "anthropic")
		a.PutStr("gen_ai.request.model", "claude-sonnet-4")
		a.PutStr("gen_ai.response.id", fmt.Sprintf("msg_01%020d", n))
		a.PutInt("gen_ai.usage.input_tokens", int64(1000+n%5000))
		a.PutInt("gen_ai.usage.output_tokens", int64(n%2000))
		a.PutInt("gen_ai.usage.cache_read.input_tokens", int64(n%900))
		a.PutDouble("app.usage.cost", float64(n%1000)/977)
		a.PutEmptySlice("gen_ai.response.finish_reasons").AppendEmpty().SetStr("tool_use")
	}
	return evidence.Batch{Spans: evidence.FromTraces(td)}
}

// BenchmarkWrite stores batches with a sync to disk after each. The sync of the
// file system is part of it: BenchmarkSync says what that costs.
func BenchmarkWrite(b *testing.B) {
	for _, spans := range []int{64, 512, 4096} {
		b.Run(fmt.Sprint(spans), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "evidence.db")
			w, err := Open(path, Settings{Now: time.Now})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			n, used := 0, int64(0)
			for b.Loop() {
				b.StopTimer()
				batch := agentSpans(n, spans)
				before := cpuNanos()
				b.StartTimer()
				if _, err := w.Write(b.Context(), batch); err != nil {
					b.Fatal(err)
				}
				used += cpuNanos() - before
				n++
			}
			// What a busy machine does not stretch: spans by processor time.
			b.ReportMetric(float64(n*spans)/(float64(used)/1e9), "spans/cpu-s")
			b.ReportMetric(float64(n*spans)/b.Elapsed().Seconds(), "spans/s")
			if err := w.Close(); err != nil {
				b.Fatal(err)
			}
			info, err := os.Stat(path)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(info.Size())/float64(n*spans), "disk-B/span")
		})
	}
}

// BenchmarkResend stores a batch that is there already: what a lost
// acknowledgement costs.
func BenchmarkResend(b *testing.B) {
	const spans = 512
	w, err := Open(filepath.Join(b.TempDir(), "evidence.db"), Settings{Now: time.Now})
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	batch := agentSpans(0, spans)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := w.Write(b.Context(), batch); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*spans)/b.Elapsed().Seconds(), "spans/s")
}

// BenchmarkFind reads a run of five traces and 500 spans among a hundred
// thousand others.
func BenchmarkFind(b *testing.B) {
	path := filepath.Join(b.TempDir(), "evidence.db")
	w, err := Open(path, Settings{Now: time.Now})
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	for n := range 200 {
		batch := agentSpans(n, 512)
		if n == 100 {
			for i := range 500 {
				batch.Spans[i].ID.Trace = evidence.TraceID{byte(1 + i/100)}
				batch.Spans[i].Attrs["app.task.id"] = "the run"
			}
		}
		if _, err := w.Write(b.Context(), batch); err != nil {
			b.Fatal(err)
		}
	}
	r, err := OpenReader(path)
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	b.ReportAllocs()
	for b.Loop() {
		run, err := r.Find(b.Context(), "acme", "the run")
		if err != nil || len(run.Spans) != 500 {
			b.Fatalf("%d spans, %v", len(run.Spans), err)
		}
	}
}

// BenchmarkSync is the file system's share of a commit.
func BenchmarkSync(b *testing.B) {
	f, err := os.Create(filepath.Join(b.TempDir(), "sync"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	block := make([]byte, 256<<10)
	for b.Loop() {
		if _, err := f.Write(block); err != nil {
			b.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			b.Fatal(err)
		}
	}
}
