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
	"github.com/otelcol-agent/otelcol-agent/semconv"
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
	resource := evidence.Attrs{semconv.ServiceName: "coder", semconv.ServiceVersion: "2.1.0", semconv.TenantID: "acme", "os.type": "linux"}
	begin := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC).UnixNano()
	for run := first; run < first+runs; run++ {
		for n := range Spans {
			trace, at := n/40, n%40
			start := begin + int64(run)*1e9 + int64(n)*2e6
			s := evidence.Span{
				Tenant: "acme", ID: stepOf(run, trace, at), Name: "chat m-1", Kind: "client", Start: start, End: start + 1_500_000,
				Status: evidence.StatusUnset, Service: "coder", ServiceVersion: "2.1.0", Scope: "agent", Resource: resource,
				Attrs: evidence.Attrs{
					semconv.AppTaskID: Task(run), semconv.GenAIOperationName: "chat", semconv.GenAIAgentName: "coder", semconv.GenAIRequestModel: "m-1",
					semconv.GenAIConversationID: fmt.Sprint("conversation-", run), semconv.AppHarnessName: "harness", semconv.AppHarnessVersion: "2.1.0",
					semconv.AppSessionID: fmt.Sprint("session-", run), semconv.AppTurnID: fmt.Sprint("turn-", trace),
					semconv.GenAIUsageInputTokens: int64(900 + at), semconv.GenAIUsageOutputTokens: int64(20 + at),
				},
			}
			switch {
			case at == 0:
				s.Name, s.Kind, s.End = "invoke_agent coder", "internal", start+80e6
				s.Attrs[semconv.GenAIOperationName] = "invoke_agent"
				if trace == 4 {
					s.Attrs[semconv.AppOutcome] = "completed"
				}
				if trace > 0 {
					s.Links = []evidence.Link{{To: stepOf(run, trace-1, 0), Relation: "continues"}}
				}
			case at%4 == 3:
				s.Name, s.Kind, s.Parent = "execute_tool edit", "internal", stepOf(run, trace, 0).Span
				for k, v := range map[string]string{
					semconv.GenAIOperationName: "execute_tool", semconv.GenAIToolName: "edit", semconv.GenAIToolCallID: fmt.Sprintf("call-%d-%d-%d", run, trace, at),
					semconv.AppToolEffectClass: "write", semconv.AppEffectTarget: fmt.Sprintf("src/%d.go", at), semconv.AppPermissionDecision: "allow", semconv.AppPermissionDecidedBy: "policy",
				} {
					s.Attrs[k] = v
				}
				if at == 7 {
					s.Status, s.Attrs[semconv.ErrorType] = evidence.StatusError, "not_found"
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
		before := b.Elapsed()
		out, err := cmd.CombinedOutput()
		clock = append(clock, b.Elapsed()-before)
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
