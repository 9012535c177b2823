package review

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

func TestSessionAddsUpItsTurns(t *testing.T) {
	turn := func(trace byte, from int64, in int64) evidence.Run {
		a := agent("", "coder", 1)
		delete(a, semconv.AppTaskID)
		a[semconv.GenAIUsageInputTokens] = in
		return evidence.Run{Spans: []evidence.Span{span(trace, 1, 0, from, from+5, a)}}
	}
	s := Session{ID: "s"}
	s.Add(turn(3, 100, 5))
	s.Add(turn(1, 0, 7))
	s.Add(turn(2, 50, 11))
	s.Finish()
	require.Equal(t, []int64{7, 18, 23}, []int64{s.Turns[0].Spent.Input, s.Turns[1].Spent.Input, s.Turns[2].Spent.Input})
	require.Equal(t, []int{1, 2, 3}, []int{s.Turns[0].N, s.Turns[1].N, s.Turns[2].N})
	require.Equal(t, "2026-11-01T09:00:00Z", s.Start)
	require.Equal(t, "2026-11-01T09:01:45Z", s.End)
}

func TestPolicyCountsBypassesFirst(t *testing.T) {
	decided := func(trace byte, verdict, rule, enforced string) evidence.Run {
		a := tool("bash")
		a[semconv.AppTaskID], a[semconv.AppPermissionDecision], a[semconv.AppPermissionDecidedBy] = "t", verdict, "policy"
		a[semconv.AppPermissionRuleID], a[semconv.AppPermissionEnforced] = rule, enforced
		return evidence.Run{Spans: []evidence.Span{span(trace, 1, 0, 0, 1, a)}}
	}
	var p Policy
	for _, run := range []evidence.Run{
		decided(1, "allow", "r1", ""), decided(2, "deny", "r1", semconv.AppPermissionEnforcedBlocked), decided(3, "deny", "r2", semconv.AppPermissionEnforcedExecuted), decided(4, "ask", "r1", ""), decided(5, "modify", "r1", ""),
	} {
		p.Add(evidence.Read(run))
	}
	p.Finish()
	require.Equal(t, []int{5, 1}, []int{p.Runs, p.Bypassed})
	require.Equal(t, Answers{Allowed: 2, Denied: 2, Asked: 1}, p.Answers)
	require.Equal(t, Answers{Allowed: 2, Denied: 1, Asked: 1}, p.Rules[1].Answers)
	require.Equal(t, "r2", p.Rules[0].Rule)
	require.Equal(t, 1, p.Rules[0].Bypassed)
	require.Equal(t, "r2", p.Latest[0].Rule)
	require.Len(t, p.Latest, 2)
}

func TestEvaluationsCompareVersions(t *testing.T) {
	var e Evaluations
	verdict := func(n byte, version, word string) {
		a := agent("t", "coder", 1)
		a[semconv.AppVerifierName], a[semconv.AppVerifierVersion], a[semconv.AppVerifierVerdict], a[semconv.AppVerifierSubjectKind], a[semconv.AppVerifierSubjectID] = "tests", version, word, "task", "t"
		e.Add(evidence.Read(evidence.Run{Spans: []evidence.Span{span(n, 1, 0, int64(n)*100, int64(n)*100+1, a)}}))
	}
	verdict(1, "2", "pass")
	verdict(2, "2", "pass")
	verdict(3, "10", "pass")
	verdict(4, "10", "fail")
	e.Finish()
	require.Len(t, e.Verifiers, 2)
	require.Equal(t, []string{"2", "10"}, []string{e.Verifiers[0].Version, e.Verifiers[1].Version}, "by use, not by spelling")
	require.Nil(t, e.Verifiers[0].Drift)
	require.InDelta(t, -0.5, *e.Verifiers[1].Drift, 1e-9)
}

func TestHealthTellsLossesByReason(t *testing.T) {
	h := NewHealth([]byte(`# HELP x y
otelcol_processor_tailpolicy_runs_dropped_total{reason="full",service_name="x"} 4
otelcol_receiver_refused_spans{receiver="otlp"} 0
otelcol_receiver_accepted_spans{receiver="otlp"} 12
otelcol_exporter_queue_size{exporter="a"} 5
otelcol_exporter_queue_capacity{exporter="a"} 10
otelcol_exporter_write_duration_bucket{le="1"} 3
otelcol_process_uptime_total 12.5
nonsense
broken{ 3
not_a_number{a="b"} x
otelcol_spans_dropped NaN
otelcol_exporter_queue_size{exporter="b"} +Inf
`))
	require.Equal(t, []Gauge{{"processor_tailpolicy_runs_dropped_total", "reason full", 4}}, h.Losses)
	require.Equal(t, []Gauge{{"receiver_accepted_spans", "receiver otlp", 12}}, h.Flow)
	require.Equal(t, []Queue{{"exporter a", 5, 10}}, h.Queues)
	require.InDelta(t, 0.5, h.Queues[0].Share(), 1e-9)
	require.Len(t, h.Process, 1)
}

func FuzzHealth(f *testing.F) {
	f.Add([]byte("a{b=\"c\"} 1\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		h := NewHealth(b)
		if len(h.Losses) > maxGauges || len(h.Flow) > maxGauges {
			t.Fatal("lists are not bounded")
		}
		if _, err := json.Marshal(h); err != nil {
			t.Fatal(err)
		}
	})
}

func TestKeysOfNoConventionAreCounted(t *testing.T) {
	var k Keys
	run := twoTries()
	run.Spans[0].Attrs["vendor.thing"], run.Spans[1].Attrs["vendor.thing"], run.Spans[1].Attrs["x"] = "a", "b", int64(1)
	k.Add(&run)
	require.Equal(t, []Unmapped{{"", "vendor.thing", 2}, {"", "x", 1}}, k.Unmapped())
}

func TestPlaces(t *testing.T) {
	for id, want := range map[string]string{
		"t-1": "/tasks/t-1", "a/b": "/tasks/a%2Fb", "..": "/tasks/~?id=..", ".": "/tasks/~?id=.", "/": "/tasks/~?id=%2F", "~": "/tasks/~",
		"trace:0102030405060708090a0b0c0d0e0f10": "/tasks/0102030405060708090a0b0c0d0e0f10", "trace:0102": "/tasks/trace:0102", "a b?c#d": "/tasks/a%20b%3Fc%23d", "%2e": "/tasks/%252e",
	} {
		require.Equal(t, want, TaskPlace("", id))
	}
	require.Equal(t, "/tasks/t?tenant=a%26b", TaskPlace("a&b", "t"))
	require.Empty(t, StepPlace("", "", ""))
	require.Equal(t, "1,234,567", Number(1234567))
	require.Equal(t, "-999", Number(-999))
	require.Equal(t, "$0.0042", Money(0.0042))
	require.Equal(t, "$12.50", Money(12.5))
}
