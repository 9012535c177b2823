// Package stopwatch measures how long a reviewer waits for an answer: it makes
// stores full of ordinary runs and runs the program on them.
//
// It checks nothing of an answer but that it is about the run that was asked for.
package stopwatch

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// Spans is how many spans a run of Runs has.
const Spans = 200

// Task names the n-th run of Runs.
func Task(n int) string { return fmt.Sprintf("task-%08d", n) }

// Runs makes ordinary runs from the first-th on: each is a task of five
// linked traces of forty spans, chats and tool calls with decisions and effects,
// and a call that fails and is called again.
func Runs(first, runs int) evidence.Batch {
	var b evidence.Batch
	resource := evidence.Attrs{"service.name": "coder", "service.version": "2.1.0", "tenant.id": "acme", "os.type": "linux"}
	begin := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC).UnixNano()
	for run := first; run < first+runs; run++ {
		for n := range Spans {
			trace, at := n/40, n%40
			start := begin + int64(run)*1e9 + int64(n)*2e6
			s := evidence.Span{
				Tenant: "acme", ID: stepOf(run, trace, at), Name: "chat m-1", Kind: "client", Start: start, End: start + 1_500_000,
				Status: evidence.StatusUnset, Service: "coder", ServiceVersion: "2.1.0", Scope: "agent", Resource: resource,
				Attrs: evidence.Attrs{
					"app.task.id": Task(run), "gen_ai.operation.name": "chat", "gen_ai.agent.name": "coder", "gen_ai.request.model": "m-1",
					"gen_ai.conversation.id": fmt.Sprint("conversation-", run), "app.harness.name": "harness", "app.harness.version": "2.1.0",
					"app.session.id": fmt.Sprint("session-", run), "app.turn.id": fmt.Sprint("turn-", trace),
					"gen_ai.usage.input_tokens": int64(900 + at), "gen_ai.usage.output_tokens": int64(20 + at),
				},
			}
			switch {
			case at == 0:
				s.Name, s.Kind, s.End = "invoke_agent coder", "internal", start+80e6
				s.Attrs["gen_ai.operation.name"] = "invoke_agent"
				if trace == 4 {
					s.Attrs["app.outcome"] = "completed"
				}
				if trace > 0 {
					s.Links = []evidence.Link{{To: stepOf(run, trace-1, 0), Relation: "continues"}}
				}
			case at%4 == 3:
				s.Name, s.Kind, s.Parent = "execute_tool edit", "internal", stepOf(run, trace, 0).Span
				for k, v := range map[string]string{
					"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "edit", "gen_ai.tool.call.id": fmt.Sprintf("call-%d-%d-%d", run, trace, at),
					"app.tool.effect_class": "write", "app.effect.target": fmt.Sprintf("src/%d.go", at), "app.permission.decision": "allow", "app.permission.decided_by": "policy",
				} {
					s.Attrs[k] = v
				}
				if at == 7 {
					s.Status, s.Attrs["error.type"] = evidence.StatusError, "not_found"
				}
			default:
				s.Parent = stepOf(run, trace, 0).Span
			}
			b.Spans = append(b.Spans, s)
		}
	}
	return b
}

func stepOf(run, trace, at int) (id evidence.StepID) {
	n := uint64(run*5 + trace + 1)
	binary.BigEndian.PutUint64(id.Trace[:], n*0x9e3779b97f4a7c15)
	binary.BigEndian.PutUint64(id.Trace[8:], n)
	binary.BigEndian.PutUint64(id.Span[:], (n*40+uint64(at))*0xbf58476d1ce4e5b9)
	return id
}

// Review runs the program as a reviewer does, for one run of a store
// that has the first so many of Runs, and reports the whole life of the
// process: by the clock and as processor time.
func Review(b *testing.B, program, store string, runs int) {
	var clock, used []time.Duration
	for i := 0; b.Loop(); i++ {
		id := Task((i*7919 + runs/2) % runs)
		cmd := exec.Command(program, "task", id, "--tenant", "acme", "--store", store)
		before := time.Now()
		out, err := cmd.CombinedOutput()
		clock = append(clock, time.Since(before))
		if err != nil || !bytes.Contains(out, []byte(id)) {
			b.Fatalf("%v: %.400s", err, out)
		}
		used = append(used, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
	}
	slices.Sort(clock)
	slices.Sort(used)
	b.ReportMetric(clock[0].Seconds()*1e3, "least-ms")
	b.ReportMetric(clock[len(clock)/2].Seconds()*1e3, "median-ms")
	b.ReportMetric(used[0].Seconds()*1e3, "least-cpu-ms")
}
