package web

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/sqlite"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/stopwatch"
)

// spansEnvironment overrides how many spans the store of the benchmarks has.
const spansEnvironment = "REVIEW_BENCH_SPANS"

var benchStart = time.Date(2026, 11, 1, 9, 0, 0, 0, time.UTC).UnixNano()

// job is a run of an agent over several traces, each linked to the one before: model
// and tool calls in turn, some decided about, some failed, a third with effects.
func job(number, spans, traces int) (out []evidence.Span) {
	task := fmt.Sprintf("job-%06d", number)
	at := benchStart + int64(number)*4e9
	for t := range traces {
		var trace evidence.TraceID
		binary.BigEndian.PutUint32(trace[:], uint32(number*0x9e3779b1))
		binary.BigEndian.PutUint32(trace[4:], uint32(number))
		trace[15] = byte(t + 1)
		root := evidence.Span{ID: evidence.StepID{Trace: trace, Span: evidence.SpanID{1}}, Name: "invoke_agent worker", Start: at, Service: "worker", Status: evidence.StatusUnset,
			Attrs: evidence.Attrs{"app.task.id": task, "app.task.attempt": int64(1 + t/4), "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "worker", "app.session.id": fmt.Sprintf("s-%d", number/6)}}
		if t > 0 {
			trace[15]--
			root.Links = []evidence.Link{{To: evidence.StepID{Trace: trace, Span: evidence.SpanID{1}}, Relation: "continues"}}
		}
		first := len(out)
		out = append(out, root)
		for i := 1; i < spans/traces; i++ {
			s := evidence.Span{ID: evidence.StepID{Trace: root.ID.Trace, Span: evidence.SpanID{2, byte(i >> 8), byte(i)}}, Parent: root.ID.Span, Start: at, End: at + 2e7, Service: "worker", Status: evidence.StatusUnset}
			switch i % 3 {
			case 0:
				s.Name, s.Attrs = "chat example", evidence.Attrs{"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": int64(i), "gen_ai.usage.output_tokens": int64(9)}
			case 1:
				s.Name, s.Attrs = "execute_tool bash", evidence.Attrs{"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "bash", "gen_ai.tool.call.id": fmt.Sprintf("%s-%d-%d", task, t, i), "app.permission.decision": "allow", "app.permission.decided_by": "policy"}
			default:
				s.Name, s.Attrs = "execute_tool write", evidence.Attrs{"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "write", "app.tool.effect_class": "write", "app.effect.target": "repo/file" + strconv.Itoa(i%50)}
			}
			if i%97 == 5 {
				s.Status, s.Attrs["error.type"] = evidence.StatusError, "timeout"
			}
			at += 3e7
			out = append(out, s)
		}
		out[first].End = at
	}
	return out
}

const longRun = 5000

// The page of a long run is small, whatever is in it.
func TestPageOfALongRunIsSmall(t *testing.T) {
	h := serving(t, evidence.Batch{Spans: job(1, longRun, 12)})
	for _, address := range []string{"/tasks/job-000001", "/tasks/job-000001/graph", "/tasks"} {
		w := get(t, h, address)
		require.Equal(t, 200, w.Code)
		require.Less(t, w.Body.Len(), 300_000, address)
		require.Greater(t, w.Body.Len(), 4_000, address)
	}
}

// BenchmarkPages asks what a reviewer asks of a store: the newest runs, one of them,
// and one of five thousand steps.
func BenchmarkPages(b *testing.B) {
	spans := 100_000
	if text := os.Getenv(spansEnvironment); text != "" {
		var err error
		if spans, err = strconv.Atoi(text); err != nil {
			b.Fatal(err)
		}
	}
	path := filepath.Join(b.TempDir(), "evidence.db")
	w, err := sqlite.Open(path, sqlite.Settings{})
	require.NoError(b, err)
	var batch evidence.Batch
	write := func(least int) {
		if len(batch.Spans) < least {
			return
		}
		_, err := w.Write(b.Context(), batch)
		require.NoError(b, err)
		batch.Spans = batch.Spans[:0]
	}
	jobs := max(spans/32, 60)
	for n := range jobs {
		batch.Spans = append(batch.Spans, job(n, 32, 1+n%3)...)
		if n == jobs/2 {
			batch.Spans = append(batch.Spans, job(9_000_000, longRun, 12)...)
		}
		write(4000)
	}
	write(1)
	require.NoError(b, w.Close())
	for name, address := range map[string]string{
		"newest 50 runs": "/tasks?limit=50", "a run of 32 steps": fmt.Sprintf("/tasks/job-%06d", jobs/3), "a run of 5000 steps": "/tasks/job-9000000",
		"runs with a tool call": fmt.Sprintf("/tasks?tool_call=job-%06d-0-4", jobs/4), "a session": "/sessions/s-3", "runs of an agent": "/tasks?agent=worker",
	} {
		b.Run(name, func(b *testing.B) {
			now := time.Unix(0, benchStart)
			h, err := New(Settings{Now: func() time.Time { now = now.Add(time.Hour); return now }, // nothing is remembered
				Open: func(context.Context) (evidence.Reader, error) { return sqlite.OpenReader(path) }})
			require.NoError(b, err)
			defer h.Close()
			before, n := cpuNanos(), 0
			for b.Loop() {
				n++
				if w := get(&testing.T{}, h, address); w.Code != 200 {
					b.Fatal(w.Code, w.Body)
				}
			}
			b.ReportMetric(float64(cpuNanos()-before)/1e6/float64(n), "cpu-ms/op")
		})
	}
}

// Nor does it grow with names that are long, or with many attempts that all have marks.
func TestPageOfAnyRunIsSmall(t *testing.T) {
	long := job(1, longRun, 12)
	for i := range long {
		long[i].Name = strings.Repeat("a long name ", 200)
		long[i].Attrs["error.type"] = long[i].Name
	}
	marked := stopwatch.Runs(0, longRun/stopwatch.Spans)
	for i := range marked.Spans {
		s := &marked.Spans[i]
		s.Attrs["app.task.id"], s.Attrs["app.task.attempt"], s.Tenant = "many", int64(i/stopwatch.Spans), ""
	}
	for address, b := range map[string]evidence.Batch{"/tasks/job-000001": {Spans: long}, "/tasks/many": marked} {
		w := get(t, serving(t, b), address)
		require.Equal(t, 200, w.Code)
		require.Less(t, w.Body.Len(), 300_000, address)
	}
}
