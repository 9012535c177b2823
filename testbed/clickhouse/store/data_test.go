package store

import (
	"context"
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

var clock = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)

func now() time.Time { return clock }

func stepID(trace, span int) (id evidence.StepID) {
	binary.BigEndian.PutUint64(id.Trace[:], uint64(trace+1)*0x9e3779b97f4a7c15)
	binary.BigEndian.PutUint64(id.Trace[8:], uint64(trace+1))
	binary.BigEndian.PutUint64(id.Span[:], uint64(trace*1000+span+1)*0xbf58476d1ce4e5b9)
	return id
}

// agentSpans makes traces of sixteen spans, two of them to a task, from the
// first-th on; every trace but the first of a task continues the one before.
func agentSpans(first, traces int) evidence.Batch {
	var b evidence.Batch
	resource := evidence.Attrs{"service.name": "coder", "service.version": "2.1.0", "tenant.id": "acme", "os.type": "linux"}
	for t := first; t < first+traces; t++ {
		for n := range 16 {
			start := clock.Add(-time.Hour).UnixNano() + int64(t*16+n)*1_000_000
			s := evidence.Span{
				Tenant: "acme", ID: stepID(t, n), Name: "execute_tool Bash", Kind: "internal", Start: start, End: start + 7_000_000,
				Status: evidence.StatusUnset, Service: "coder", ServiceVersion: "2.1.0", Scope: "agent", Resource: resource,
				Attrs: evidence.Attrs{
					"app.task.id": fmt.Sprintf("task-%d", t/2), "gen_ai.operation.name": "execute_tool", "gen_ai.agent.name": "coder",
					"gen_ai.tool.name": "Bash", "gen_ai.tool.call.id": fmt.Sprintf("call-%d-%d", t, n), "app.tool.effect_class": "write",
					"app.effect.stage": "acked", "app.permission.decision": "allow", "made.up": int64(n),
				},
			}
			if n > 0 {
				s.Parent = stepID(t, 0).Span
			} else if t%2 == 1 {
				s.Links = []evidence.Link{{To: stepID(t-1, 0), Relation: "continues"}}
			}
			b.Spans = append(b.Spans, s)
		}
		b.Records = append(b.Records, evidence.Record{
			Tenant: "acme", Step: stepID(t, 0), Time: clock.Add(-time.Minute).UnixNano() + int64(t), Event: "app.tool.decided",
			Attrs: evidence.Attrs{"app.permission.decision": "deny", "gen_ai.tool.call.id": fmt.Sprintf("call-%d-1", t)}, Resource: resource,
		})
	}
	return b
}

func write(t testing.TB, w evidence.Writer, b evidence.Batch) evidence.WriteResult {
	t.Helper()
	res, err := w.Write(context.Background(), b)
	if err != nil {
		t.Fatal(whole(err))
	}
	return res
}

func runs(t testing.TB, r evidence.Reader) (out []evidence.Run) {
	t.Helper()
	err := r.Recent(context.Background(), evidence.Query{AllTenants: true}, func(run evidence.Run) bool {
		out = append(out, run)
		return true
	})
	if err != nil {
		t.Fatal(whole(err))
	}
	return out
}

func count(t testing.TB, d *database, query string) uint64 {
	t.Helper()
	return column[uint64](t, d, query)[0]
}
