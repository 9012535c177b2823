package evidence_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/planted"
)

// What is stated beside the truth and is no fault (errors that a step coped with,
// answers, passes, an effect that was undone, a verifier that broke, the next turn)
// accuses no step at which nothing was planted.
func TestHarmlessStatementsAccuseNobody(t *testing.T) {
	rnd := rand.New(rand.NewPCG(13, 14))
	n := 0
	rec := func(run *evidence.Run, at evidence.StepID, tm int64, event string, a evidence.Attrs) {
		n++
		run.Records = append(run.Records, evidence.Record{Tenant: run.Tenant, ID: evidence.RecordID{0xfe, byte(n), byte(n >> 8), byte(n >> 16)}, Step: at, Time: tm, Event: event, Attrs: a})
	}
	span := func(run *evidence.Run, parent *evidence.Span, trace *evidence.TraceID, name, op, status string, a evidence.Attrs) *evidence.Span {
		n++
		s := evidence.Span{Tenant: run.Tenant, ID: evidence.StepID{Trace: parent.ID.Trace, Span: evidence.SpanID{0xfd, byte(n), byte(n >> 8), byte(n >> 16)}}, Parent: parent.ID.Span, Name: name, Start: parent.Start + 1, End: parent.End - 1, Status: status, Attrs: a}
		if trace != nil {
			s.ID.Trace, s.Parent = *trace, evidence.SpanID{}
		}
		if op != "" {
			s.Attrs["gen_ai.operation.name"] = op
		}
		run.Spans = append(run.Spans, s)
		return &run.Spans[len(run.Spans)-1]
	}
	newTrace := func() *evidence.TraceID { n++; return &evidence.TraceID{0xfc, byte(n), byte(n >> 8), byte(n >> 16)} }
	ok := func(run *evidence.Run) *evidence.Span {
		for range 1000 {
			s := &run.Spans[rnd.IntN(len(run.Spans))]
			if s.Status != evidence.StatusError && s.Attrs["gen_ai.operation.name"] == "invoke_agent" {
				return s
			}
		}
		// None went well: one beside them does.
		top := span(run, &run.Spans[0], newTrace(), "invoke_agent", "invoke_agent", evidence.StatusOK, evidence.Attrs{"app.task.id": run.Spans[0].Attrs["app.task.id"]})
		return top
	}
	tool := func(run *evidence.Run) *evidence.Span {
		for range 1000 {
			s := &run.Spans[rnd.IntN(len(run.Spans))]
			if s.Status != evidence.StatusError && s.Attrs["gen_ai.operation.name"] == "execute_tool" {
				return s
			}
		}
		return &run.Spans[0]
	}
	harmless := map[string]func(run *evidence.Run){
		"allow without call": func(run *evidence.Run) {
			s := ok(run)
			rec(run, s.ID, s.Start+5, "app.tool.decided", evidence.Attrs{"app.permission.decision": "allow", "app.permission.decided_by": "user"})
		},
		"pass verdicts": func(run *evidence.Run) {
			s := &run.Spans[rnd.IntN(len(run.Spans))]
			rec(run, s.ID, s.End+5, "gen_ai.evaluation.result", evidence.Attrs{"app.verifier.name": "x", "app.verifier.version": "1", "app.verifier.verdict": "pass"})
		},
		"intent again": func(run *evidence.Run) {
			s := tool(run)
			rec(run, s.ID, s.End+5, "app.effect.recorded", evidence.Attrs{"app.effect.stage": "intent", "app.effect.id": "late"})
		},
		"contained tool": func(run *evidence.Run) {
			p := ok(run)
			span(run, p, nil, "execute_tool bash", "execute_tool", "error", evidence.Attrs{"gen_ai.tool.name": "bash", "app.tool.effect_class": "read", "error.type": "exit_1"})
		},
		"contained write that its own side refused": func(run *evidence.Run) {
			p := ok(run)
			span(run, p, nil, "execute_tool bash", "execute_tool", "error", evidence.Attrs{"gen_ai.tool.name": "bash", "app.tool.effect_class": "write", "error.type": "exit_1"})
		},
		"failed client below": func(run *evidence.Run) {
			p := tool(run)
			s := span(run, p, nil, "tools/call", "", "error", evidence.Attrs{"mcp.method.name": "tools/call", "error.type": "-32000"})
			s.Kind = "client"
		},
		"next turn failed": func(run *evidence.Run) {
			p := ok(run)
			s := span(run, p, newTrace(), "invoke_agent x", "invoke_agent", "error", evidence.Attrs{"app.task.id": "another", "error.type": "exit_1"})
			s.Links = []evidence.Link{{To: p.ID, Relation: "follows"}}
		},
		"related trace failed": func(run *evidence.Run) {
			p := ok(run)
			s := span(run, p, newTrace(), "invoke_agent x", "invoke_agent", "error", evidence.Attrs{"app.task.id": "another", "error.type": "exit_1"})
			s.Links = []evidence.Link{{To: p.ID, Relation: "related"}}
		},
		"sub agent denied and blocked": func(run *evidence.Run) {
			p := ok(run)
			span(run, p, nil, "execute_tool rm", "execute_tool", "error", evidence.Attrs{"gen_ai.tool.name": "rm", "gen_ai.tool.call.id": fmt.Sprint("h", n), "error.type": "denied", "app.permission.decision": "deny", "app.permission.decided_by": "policy", "app.permission.enforced": "blocked"})
		},
		"modify then ask answered by id": func(run *evidence.Run) {
			s := tool(run)
			rec(run, s.ID, s.Start, "app.tool.decided", evidence.Attrs{"app.permission.decision": "ask", "app.permission.decided_by": "hook", "app.permission.decision.id": "qq"})
			rec(run, evidence.StepID{}, s.Start+1, "app.tool.decided", evidence.Attrs{"app.permission.decision": "allow", "app.permission.decided_by": "user", "app.permission.decision.id": "qq", "app.task.id": "t"})
		},
		"compensated": func(run *evidence.Run) {
			s := tool(run)
			for i, st := range []string{"dispatched", "receipt", "compensated"} {
				rec(run, s.ID, s.Start+int64(i), "app.effect.recorded", evidence.Attrs{"app.effect.stage": st, "app.effect.id": "cc"})
			}
		},
		"own authority restated": func(run *evidence.Run) {
			for i := range run.Spans {
				if r := run.Spans[i].Attrs.Str("app.authority.resource"); r != "" {
					run.Spans[i].Attrs = maps.Clone(run.Spans[i].Attrs)
					run.Spans[i].Attrs["app.authority.resource"] = r + "/"
				}
			}
		},
		"cancel of something else that worked": func(run *evidence.Run) {
			p := ok(run)
			for i, ph := range []string{"requested", "propagated", "acked", "effective"} {
				rec(run, p.ID, p.Start+int64(i), "app.control.changed", evidence.Attrs{"app.control.id": "zz", "app.control.kind": "cancel", "app.control.layer": "agent", "app.control.phase": ph})
			}
		},
		"verifier crashed": func(run *evidence.Run) {
			p := ok(run)
			s := span(run, p, newTrace(), "evaluate", "", "error", evidence.Attrs{"app.task.phase": "verify", "app.verifier.name": "v", "app.verifier.version": "1", "app.verifier.verdict": "unknown", "error.type": "timeout", "app.task.id": run.Spans[0].Attrs["app.task.id"]})
			s.Links = []evidence.Link{{To: p.ID, Relation: "evaluates"}}
		},
		"verify root crashed": func(run *evidence.Run) {
			p := ok(run)
			s := span(run, p, newTrace(), "verify", "invoke_agent", "error", evidence.Attrs{"app.task.phase": "verify", "error.type": "timeout", "app.task.id": "verify-task"})
			s.Links = []evidence.Link{{To: p.ID, Relation: "verifies"}}
		},
		"span events of noise": func(run *evidence.Run) {
			s := &run.Spans[rnd.IntN(len(run.Spans))]
			s.Events = append(slices.Clone(s.Events), evidence.SpanEvent{Time: s.End, Name: "exception", Attrs: evidence.Attrs{"exception.type": "TimeoutError"}})
		},
		"hook notified after": func(run *evidence.Run) {
			s := tool(run)
			rec(run, s.ID, s.End+1000, "app.extension.used", evidence.Attrs{"app.extension.kind": "hook", "app.extension.decision": "failed"})
		},
		"plugin failed": func(run *evidence.Run) {
			s := tool(run)
			rec(run, s.ID, s.Start, "app.extension.used", evidence.Attrs{"app.extension.kind": "plugin", "app.extension.decision": "failed"})
		},
		"skill failed": func(run *evidence.Run) {
			s := tool(run)
			rec(run, s.ID, s.Start, "app.extension.used", evidence.Attrs{"app.extension.kind": "skill", "app.extension.decision": "failed", "app.extension.guard": true})
		},
		"consumed artifact of a failing verdict elsewhere": func(run *evidence.Run) {
			s := tool(run)
			s.Attrs = maps.Clone(s.Attrs)
			s.Attrs["app.artifact.id"], s.Attrs["app.artifact.role"] = "in-1", "consumed"
			rec(run, evidence.StepID{}, s.End+100, "gen_ai.evaluation.result", evidence.Attrs{"app.verifier.name": "x", "app.verifier.version": "1", "app.verifier.verdict": "fail", "app.verifier.subject.kind": "artifact", "app.verifier.subject.id": "in-1", "app.task.id": run.Spans[0].Attrs["app.task.id"]})
		},
		"failed unstated effect of a tool that cannot be known": func(run *evidence.Run) {
			p := ok(run)
			span(run, p, nil, "execute_tool odd", "execute_tool", "error", evidence.Attrs{"gen_ai.tool.name": "odd", "app.tool.effect_class": "unknown", "error.type": "timeout"})
		},
		"restart of a delegation with the same authority": func(run *evidence.Run) {
			p := ok(run)
			a := evidence.Attrs{"app.authority.delegation.id": "dx", "app.authority.operations": []any{"read"}, "app.authority.resource": "r/a"}
			span(run, p, nil, "invoke_agent d", "invoke_agent", "ok", a)
			b := evidence.Attrs{"app.authority.delegation.id": "dy", "app.authority.delegation.parent.id": "dx", "app.authority.operations": []any{"read", "read"}, "app.authority.resource": "r/a/../a/b"}
			span(run, p, nil, "invoke_agent d", "invoke_agent", "ok", b)
		},
	}
	bad, asked := map[string]int{}, 0
	for seed := range uint64(few(t) * planted.Kinds()) {
		in := planted.New(seed)
		for name, add := range harmless {
			run := evidence.Run{Tenant: in.Run.Tenant, Spans: slices.Clone(in.Run.Spans), Records: slices.Clone(in.Run.Records)}
			add(&run)
			a := evidence.Attribute(run)
			asked++
			if a.Result == evidence.ResultStep && (in.Truth.Result != evidence.ResultStep || !isFault(&in, a)) {
				bad[name+", "+in.Name]++
			}
		}
	}
	for what, n := range bad {
		t.Errorf("%d times: %s", n, what)
	}
	t.Logf("%d runs with something harmless", asked)
}

// few is how many incidents of each kind get something harmless.
func few(t *testing.T) int {
	if testing.Short() {
		return 1
	}
	return 4
}
