package evidence

import (
	"encoding/json"
	"fmt"
	"io"
	"testing"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// longRun is a run of n steps over eight traces that are linked to each other:
// turns with chats and tool calls, some of them with effects and decisions, and
// a failure at the bottom of the last trace.
func longRun(n int) Run {
	run := Run{}
	var root StepID
	for tr := range 8 {
		trace := traceOf(fmt.Sprint("trace-", tr))
		top := StepID{trace, spanOf("root")}
		s := Span{ID: top, Name: "invoke_agent coder", Kind: "internal", Start: caseStart, End: caseStart + 1e12, Status: StatusError, Service: "svc",
			Attrs: Attrs{semconv.GenAIOperationName: "invoke_agent", semconv.GenAIAgentName: fmt.Sprint("agent-", tr), semconv.AppTaskID: fmt.Sprint("t", tr)}}
		if tr == 0 {
			root = top
			s.Attrs[semconv.AppOutcome] = "completed"
		} else {
			s.Attrs[semconv.AppTaskParentID] = "t0"
			s.Links = []Link{{To: root, Relation: "delegated_from"}}
		}
		run.Spans = append(run.Spans, s)
		for i := range n/8 - 1 {
			id := spanOf(fmt.Sprint("s", i))
			start := caseStart + int64(i)*1e8
			s := Span{ID: StepID{trace, id}, Parent: top.Span, Start: start, End: start + 9e7, Kind: "internal", Status: StatusOK, Service: "svc",
				Attrs: Attrs{semconv.GenAIConversationID: "c", semconv.AppMappingSnapshot: "genai", semconv.AppMappingDialect: "x",
					semconv.AppHarnessName: "h", semconv.AppHarnessVersion: "1", semconv.AppSessionID: "s", semconv.AppTurnID: fmt.Sprint(i / 10)}}
			switch i % 4 {
			case 0, 1:
				s.Name = "chat m"
				s.Attrs[semconv.GenAIOperationName] = "chat"
				s.Attrs[semconv.GenAIUsageInputTokens] = int64(100)
				s.Attrs[semconv.GenAIUsageOutputTokens] = int64(10)
			case 2:
				s.Name = "execute_tool edit"
				call := fmt.Sprint("call-", tr, "-", i)
				s.Attrs[semconv.GenAIOperationName] = "execute_tool"
				s.Attrs[semconv.GenAIToolName] = "edit"
				s.Attrs[semconv.GenAIToolCallID] = call
				s.Attrs[semconv.AppToolEffectClass] = "write"
				s.Attrs[semconv.AppEffectTarget] = fmt.Sprint("src/", i%50)
				s.Attrs[semconv.AppPermissionDecision] = "allow"
				s.Attrs[semconv.AppPermissionDecidedBy] = "user"
			case 3:
				s.Name = "tools/call"
				s.Attrs[semconv.MCPMethodName] = "tools/call"
				s.Parent = spanOf(fmt.Sprint("s", i-1))
				if i > n/8-6 {
					s.Status, s.Attrs[semconv.ErrorType] = StatusError, "rejected"
				}
			}
			run.Spans = append(run.Spans, s)
		}
	}
	return run
}

func BenchmarkReport5000(b *testing.B) {
	run := longRun(5000)
	b.ReportAllocs()
	cpu := cpuNanos()
	for b.Loop() {
		NewReport(run, "")
	}
	b.ReportMetric(float64(cpuNanos()-cpu)/float64(b.N)/1e6, "cpu-ms/report")
}

func BenchmarkReportJSON5000(b *testing.B) {
	r := NewReport(longRun(5000), "")
	b.ReportAllocs()
	for b.Loop() {
		json.Marshal(r)
	}
}

func BenchmarkText5000(b *testing.B) {
	run := longRun(5000)
	r := NewReport(run, "")
	b.ReportAllocs()
	for b.Loop() {
		WriteText(io.Discard, run, r, TextOptions{})
	}
}

func BenchmarkClassify200(b *testing.B) {
	run := longRun(200)
	b.ReportAllocs()
	for b.Loop() {
		Classify(run)
	}
}

func BenchmarkFactsOf(b *testing.B) {
	run := longRun(80)
	b.ReportAllocs()
	for b.Loop() {
		for i := range run.Spans {
			FactsOf(&run.Spans[i])
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(run.Spans)), "ns/span")
}

func BenchmarkMergeSpan(b *testing.B) {
	run := longRun(80)
	b.ReportAllocs()
	for b.Loop() {
		MergeSpan(run.Spans[3], run.Spans[4])
	}
}

// BenchmarkHostile asks about runs that repeat one thing very often: a review
// must cost about the same for each of them.
func BenchmarkHostile(b *testing.B) {
	for name, state := range map[string]func(i int, s *Span, r *Record){
		"deep": func(i int, s *Span, _ *Record) { s.Parent = spanOf(fmt.Sprint(i - 1)) },
		"tries": func(_ int, _ *Span, r *Record) {
			r.Attrs["app.effect.id"], r.Attrs["app.effect.stage"] = "e", "dispatched"
		},
		"pauses": func(i int, _ *Span, r *Record) {
			r.Attrs["app.control.id"], r.Attrs["app.control.kind"], r.Attrs["app.control.phase"] = fmt.Sprint(i), "pause", "effective"
		},
		"denials": func(_ int, _ *Span, r *Record) { r.Attrs["app.permission.decision"] = "deny" },
		"verdicts": func(i int, _ *Span, r *Record) {
			r.Event, r.Attrs["app.verifier.verdict"] = semconv.EventGenAIEvaluationResult, []string{"pass", "fail"}[i%2]
		},
		"links": func(i int, s *Span, _ *Record) {
			for j := 1; j < 5 && i >= j; j++ {
				s.Links = append(s.Links, Link{To: StepID{traceOf("A"), spanOf(fmt.Sprint(i - j))}, Relation: "related"})
			}
		},
	} {
		b.Run(name, func(b *testing.B) {
			run := Run{}
			for i := range 5000 {
				s := Span{ID: StepID{traceOf("A"), spanOf(fmt.Sprint(i))}, Start: caseStart + int64(i), End: caseStart + int64(10000-i), Status: StatusError}
				if i > 0 {
					s.Parent = spanOf("0")
				}
				r := Record{ID: RecordID(digest16(fmt.Sprint(i))), Time: s.Start, Step: StepID{traceOf("A"), spanOf("0")}, Attrs: Attrs{}}
				state(i, &s, &r)
				run.Spans, run.Records = append(run.Spans, s), append(run.Records, r)
			}
			b.ReportAllocs()
			for b.Loop() {
				NewReport(run, "")
			}
		})
	}
}
