package stopwatch

import (
	"encoding/binary"
	"fmt"
	"iter"
	"strconv"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// Long is the run of a fleet that has LongSpans spans.
const (
	Long      = 9_000_000
	LongSpans = 5000
)

// Job names the n-th run of a fleet.
func Job(n int) string { return fmt.Sprintf("job-%06d", n) }

// ToolCall names a tool call of a fleet's run.
func ToolCall(n int) string { return Job(n) + "-0-4" }

// Artifact names what a run of a fleet writes.
func Artifact(n int) string { return Job(n) + "-file" }

// Session names the session of a fleet's run; six runs share one.
func Session(n int) string { return fmt.Sprintf("s-%d", n/6) }

// Size is how many spans a run of a fleet has: most are of 32, some are longer
// and some shorter.
func Size(n int) int {
	switch {
	case n == Long:
		return LongSpans
	case n%20 == 19:
		return 200
	case n%5 == 2:
		return 10
	}
	return 32
}

// Traces is how many traces a run of a fleet has.
func Traces(n int) int {
	if n == Long {
		return 12
	}
	return 1 + n%3
}

var fleetStart = time.Date(2026, 11, 1, 9, 0, 0, 0, time.UTC)

// Start is when the n-th run of a fleet began. A run begins four seconds after
// the one before.
func Start(n int) time.Time { return fleetStart.Add(time.Duration(n) * 4 * time.Second) }

// Jobs is how many runs a fleet of so many spans has, without the long one.
func Jobs(spans int) int {
	const twenty = 200 + 4*10 + 15*32 // spans of twenty runs
	return max((spans-LongSpans)*20/twenty, 60)
}

// Fleet makes the runs of a fleet in batches: Jobs(spans) of them and, in between,
// the long one.
func Fleet(spans int) iter.Seq[evidence.Batch] {
	return func(yield func(evidence.Batch) bool) {
		var b evidence.Batch
		jobs := Jobs(spans)
		for n := range jobs {
			b.Spans = append(b.Spans, Run(n, Size(n), Traces(n))...)
			if n == jobs/2 {
				b.Spans = append(b.Spans, Run(Long, LongSpans, Traces(Long))...)
			}
			if len(b.Spans) >= 4000 || n == jobs-1 {
				if !yield(b) {
					return
				}
				b = evidence.Batch{}
			}
		}
	}
}

// Run is a run of an agent over several traces, each linked to the one before: model
// and tool calls in turn with decisions about them, some denied, some failed, a third
// with effects, and in every third run a verdict.
func Run(number, spans, traces int) (out []evidence.Span) {
	at := Start(number).UnixNano()
	if number == Long {
		at = Start(0).UnixNano()
	}
	for t := range traces {
		first := len(out)
		out = append(out, rootOf(number, t, at))
		for i := 1; i < spans/traces; i++ {
			out = append(out, stepIn(&out[first], number, t, i, at))
			at += 3e7
		}
		out[first].End = at
	}
	if number%3 == 0 {
		for k, v := range (evidence.Attrs{
			semconv.AppVerifierName: "tests", semconv.AppVerifierVersion: strconv.Itoa(1 + number%2), semconv.AppVerifierSubjectKind: semconv.AppVerifierSubjectKindTask,
			semconv.AppVerifierVerdict: []string{semconv.AppVerifierVerdictPass, semconv.AppVerifierVerdictFail}[number/3%2], semconv.GenAIEvaluationScoreValue: 0.5, semconv.AppEvaluationComparable: true,
		}) {
			out[0].Attrs[k] = v
		}
	}
	return out
}

func rootOf(number, t int, at int64) evidence.Span {
	var trace evidence.TraceID
	binary.BigEndian.PutUint32(trace[:], uint32(number)*0x9e3779b1)
	binary.BigEndian.PutUint32(trace[4:], uint32(number))
	trace[15] = byte(t + 1)
	s := evidence.Span{
		ID: evidence.StepID{Trace: trace, Span: evidence.SpanID{1}}, Name: "invoke_agent worker", Start: at, Service: "worker", Status: evidence.StatusUnset,
		Attrs: evidence.Attrs{
			semconv.AppTaskID: Job(number), semconv.AppTaskAttempt: int64(1 + t/4), semconv.GenAIOperationName: "invoke_agent", semconv.GenAIAgentName: "worker",
			semconv.AppSessionID: Session(number), semconv.AppOutcome: semconv.AppOutcomeCompleted,
		},
	}
	if t > 0 {
		trace[15]--
		s.Links = []evidence.Link{{To: evidence.StepID{Trace: trace, Span: evidence.SpanID{1}}, Relation: "continues"}}
	}
	return s
}

func stepIn(root *evidence.Span, number, t, i int, at int64) evidence.Span {
	s := evidence.Span{
		ID: evidence.StepID{Trace: root.ID.Trace, Span: evidence.SpanID{2, byte(i >> 8), byte(i)}}, Parent: root.ID.Span, Start: at, End: at + 2e7, Service: "worker", Status: evidence.StatusUnset,
	}
	switch i % 3 {
	case 0:
		s.Name, s.Attrs = "chat example", evidence.Attrs{semconv.GenAIOperationName: "chat", semconv.GenAIUsageInputTokens: int64(i), semconv.GenAIUsageOutputTokens: int64(9)}
	case 1:
		decision := semconv.AppPermissionDecisionAllow
		if number%10 == 3 && i == 7 {
			decision = semconv.AppPermissionDecisionDeny
		}
		s.Name, s.Attrs = "execute_tool bash", evidence.Attrs{
			semconv.GenAIOperationName: "execute_tool", semconv.GenAIToolName: "bash", semconv.GenAIToolCallID: fmt.Sprintf("%s-%d-%d", Job(number), t, i),
			semconv.AppPermissionDecision: decision, semconv.AppPermissionDecidedBy: "policy",
		}
	default:
		s.Name, s.Attrs = "execute_tool write", evidence.Attrs{
			semconv.GenAIOperationName: "execute_tool", semconv.GenAIToolName: "write", semconv.AppToolEffectClass: "write", semconv.AppEffectTarget: "repo/file" + strconv.Itoa(i%50),
		}
		if i == 2 {
			s.Attrs[semconv.AppArtifactID] = Artifact(number)
		}
	}
	if i%97 == 5 {
		s.Status, s.Attrs[semconv.ErrorType] = evidence.StatusError, "timeout"
	}
	return s
}
