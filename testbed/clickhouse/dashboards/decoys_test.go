package dashboards

import (
	"math"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/testbed/clickhouse/instance"
)

// story writes spans, a second apart.
type story struct {
	td   ptrace.Traces
	next byte
}

func (s *story) step(trace byte, attrs map[string]any) ptrace.Span {
	if s.td == (ptrace.Traces{}) {
		s.td = ptrace.NewTraces()
	}
	s.next++
	span := s.td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	span.SetTraceID(pcommon.TraceID{15: trace})
	span.SetSpanID(pcommon.SpanID{7: s.next})
	start := from.Add(time.Duration(s.next) * time.Second)
	span.SetStartTimestamp(pcommon.NewTimestampFromTime(start))
	span.SetEndTimestamp(pcommon.NewTimestampFromTime(start.Add(500 * time.Millisecond)))
	if err := span.Attributes().FromRaw(attrs); err != nil {
		panic(err)
	}
	return span
}

// decoys is one run that looks worse than it is. Its second trace is joined to it
// late, by the last span.
func decoys() (first, late ptrace.Traces) {
	var s story
	tool := func(trace byte, task, call string, more map[string]any) {
		attrs := map[string]any{"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "sh", "gen_ai.tool.call.id": call}
		if task != "" {
			attrs["app.task.id"] = task
		}
		for k, v := range more {
			attrs[k] = v
		}
		s.step(trace, attrs)
	}
	decide := func(verdict, enforced string) map[string]any {
		return map[string]any{"app.permission.decision": verdict, "app.permission.decision.id": verdict + "-1", "app.permission.decided_by": "policy", "app.permission.enforced": enforced}
	}
	// An agent states the sum of what its calls state.
	s.step(1, map[string]any{"app.task.id": "a", "gen_ai.operation.name": "invoke_agent", "gen_ai.usage.input_tokens": 300, "gen_ai.usage.output_tokens": 30})
	s.step(1, map[string]any{"app.task.id": "a", "gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 100, "gen_ai.usage.output_tokens": 10, "app.usage.cost": 0.25})
	s.step(1, map[string]any{"app.task.id": "a", "gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 200, "gen_ai.usage.output_tokens": 20})
	// The total of a session is no cost of a call, and what is no number none at all.
	s.step(1, map[string]any{"app.task.id": "a", "gen_ai.operation.name": "chat", "app.usage.cost": 7.5, "app.usage.cost_basis": "total"})
	s.step(1, map[string]any{"app.task.id": "a", "gen_ai.operation.name": "chat", "app.usage.cost": math.NaN()})
	// A denial that was kept, and one that was taken back.
	tool(1, "a", "kept", decide("deny", "blocked"))
	tool(1, "a", "back", decide("abort", ""))
	tool(1, "a", "back", decide("allow", ""))
	// The same call id in another run is another call.
	tool(3, "other", "kept", nil)
	// Receipt in a child task; failure as the effect's side has it, and as the caller has it.
	effect := func(id, stage, by string) map[string]any {
		return map[string]any{"app.effect.id": id, "app.effect.stage": stage, "app.effect.reported_by": by, "app.task.root.id": "a"}
	}
	tool(1, "a", "e1", effect("settled", "dispatched", "caller"))
	tool(1, "b", "e2", effect("settled", "receipt", "effect"))
	tool(1, "a", "e3", effect("failed", "dispatched", "caller"))
	tool(1, "a", "e4", effect("failed", "failed", "effect"))
	tool(1, "a", "e5", effect("lost", "dispatched", "caller"))
	tool(1, "a", "e6", effect("lost", "failed", "caller"))
	// Another run may give its effect the same id.
	tool(3, "other", "e7", map[string]any{"app.effect.id": "lost", "app.effect.stage": "receipt"})
	tool(2, "", "x", map[string]any{"app.sampling.class": "error"})
	first, s.td = s.td, ptrace.Traces{}
	link := s.step(2, map[string]any{"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}).Links().AppendEmpty()
	link.SetTraceID(pcommon.TraceID{15: 1})
	link.SetSpanID(pcommon.SpanID{7: 1})
	return first, s.td
}

// What only looks wrong is not counted, and a run that was joined late is one.
func TestDecoys(t *testing.T) {
	t.Run("server", func(t *testing.T) { askDecoys(t, instance.Start(t), "") })
	t.Run("cluster", func(t *testing.T) { askDecoys(t, instance.StartInCluster(t, "main", nil), "main") })
}

func askDecoys(t *testing.T, server *instance.Instance, cluster string) {
	traces, _ := exporters(t, server, cluster)
	first, late := decoys()
	must(t, traces.ConsumeTraces(t.Context(), first))
	must(t, traces.ConsumeTraces(t.Context(), late))
	c := connect(t, server)
	want := map[string]string{
		"AI agents: fleet overview/Runs":                               "2|0",
		"AI agents: fleet overview/Denials":                            "2",
		"AI agents: fleet overview/Runs by keep class":                 "error|1\nnot stamped|1",
		"AI agents: fleet overview/Tokens and cost by agent and model": "|||2|300|30|0.25|1",
		"AI agents: evidence completeness/Effects by how they ended":   "receipt or verified|2\nfailed|1\nno receipt|1",
		"rule/otelcol-agent-unknown-effect":                            "1",
		"rule/otelcol-agent-bypass":                                    "0",
	}
	for _, q := range questions(t) {
		expected, ok := want[q.name]
		if !ok {
			continue
		}
		delete(want, q.name)
		sql, err := expand(q.sql, "", from, to)
		must(t, err)
		columns, rows, err := ask(t, c, sql)
		if err != nil || joined(rows) != expected {
			t.Errorf("%s: %v\n%s\nwant\n%s\n%v", q.name, columns, joined(rows), expected, err)
		}
	}
	if len(want) > 0 {
		t.Errorf("asked nowhere: %v", want)
	}
}
