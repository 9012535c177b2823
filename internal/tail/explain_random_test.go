package tail_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/internal/tail"
)

// outcome is what became of a run.
type outcome struct {
	Keep                  bool
	Class, Rule, Evidence string
	State                 string
	Folded, Truncated     int
}

// drawRun is one run of one trace: its spans, some of them in two versions, a stream, and
// its records.
func drawRun(s *script, r *rand.Rand, n int) (ptrace.Traces, plog.Logs) {
	trace := fmt.Sprintf("R%d", n)
	td, ld := ptrace.NewTraces(), plog.NewLogs()
	pick := func(parts ...string) []string {
		if p := parts[r.IntN(len(parts))]; p != "" {
			return []string{p}
		}
		return nil
	}
	add := func(name string, parts ...[]string) {
		all := []string{fmt.Sprintf("tenant=t%d", n%2)}
		for _, p := range parts {
			all = append(all, p...)
		}
		spanOf(s, trace+"/"+name, all).ResourceSpans().MoveAndAppendTo(td.ResourceSpans())
	}
	state := pick("", "", "", "state=ot=th:8", "state=ot=th:8;rv:fffffffffffff0", "state=ot=th:zz,x=y", "state=x=y", "state=ot=rv:12345678901234", "state=,,=,ot=th:0;p:8")
	add("1", pick("", "", "task=k1", "root=k2"), []string{"gen_ai.operation.name=invoke_agent"}, []string{fmt.Sprintf("took=%ds", 1+30/(1+r.IntN(30)*30))}, state)
	for i := range r.IntN(5) {
		name := fmt.Sprint(i + 2)
		add(name, []string{"<1"}, state, pick("", "", "", "mark=rare", "mark=never", "size=500"), pick("", "", "", "", "error", "app.verifier.verdict=fail", "app.permission.decision=deny"))
		if r.IntN(3) == 0 { // another version, that takes the mark back
			add(name, []string{"<1", "took=2s"}, state, pick("", "mark=plain"))
		}
	}
	if r.IntN(4) == 0 {
		one := manyOf(s, "8", trace+"/token", append([]string{"<1", fmt.Sprintf("tenant=t%d", n%2)}, state...))
		one.ResourceSpans().MoveAndAppendTo(td.ResourceSpans())
	}
	if r.IntN(6) == 0 {
		parts := append([]string{fmt.Sprintf("tenant=t%d", n%2)}, pick("app.permission.decision=allow", "app.permission.decision=deny")...)
		recordOf(s, fmt.Sprintf("%s/token.%d", trace, 1+r.IntN(8)), "app.tool.decided", parts).ResourceLogs().MoveAndAppendTo(ld.ResourceLogs())
	}
	return td, ld
}

// collected decides on one run after the other as a collector does.
func collected(t *testing.T, set tail.Settings, runs []ptrace.Traces, told []plog.Logs) []outcome {
	s := newScript(t, set, time.Unix(1_800_000_000, 0))
	var out []outcome
	for i := range runs {
		var o outcome
		take := func(size int64, pieces []tail.Piece) {
			tail.Step(s.state, tail.Reserve{Bytes: size}, s.now)
			tail.Step(s.state, tail.Arrive{Pieces: pieces, Reserved: size}, s.now)
		}
		size, split := s.split(runs[i])
		take(size, split(true))
		pieces, err := tail.SplitRecords(told[i])
		if err != nil {
			t.Fatal(err)
		}
		tail.Place(pieces, s.alloc)
		take(tail.Weight(pieces), pieces)
		s.now = s.now.Add(set.DecisionWait)
		for todo := tail.Step(s.state, tail.Tick{}, s.now); len(todo) > 0; {
			e := todo[0]
			todo = todo[1:]
			switch e := e.(type) {
			case tail.Judge:
				todo = append(todo, tail.Step(s.state, s.hands.Judge(e.Job, s.now), s.now)...)
			case tail.Decided:
				d := e.Decision
				o = outcome{Keep: d.Keep, Class: d.Class, Rule: d.Rule}
				if !d.Evidence.IsZero() {
					o.Evidence = d.Evidence.String()
				}
			case tail.Send:
				td, done := s.hands.Traces(e.Parcel)
				span := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
				if v, ok := span.Attributes().Get("app.sampling.decision"); ok && (v.Str() == "keep") != o.Keep {
					t.Errorf("a dry run says %s", v.Str())
				}
				o.State, o.Folded, o.Truncated = span.TraceState().AsRaw(), done.Folded, done.Truncated
				todo = append(todo, tail.Step(s.state, tail.Delivered(e), s.now)...)
			}
		}
		out = append(out, o)
	}
	return out
}

// TestExplainAndDryRunSayWhatACollectorDoes compares them, decision by decision and to the
// trace state, where their inputs are the same: runs that come one after the other, and no
// quota that is used up.
func TestExplainAndDryRunSayWhatACollectorDoes(t *testing.T) {
	const policy = `ratio 0.4
unprotected error
at_least verifier_fail 2
rule rare 0.5 mark=rare
rule never 0 mark=never
slow 0.9 8
quota 1e9 1e12
fold 3
run_bytes 1200`
	seen := map[string]int{}
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 12))
		s := newScript(t, settings(t, policy), time.Unix(1_800_000_000, 0))
		const n = 120
		var runs []ptrace.Traces
		var told []plog.Logs
		all, records := ptrace.NewTraces(), plog.NewLogs()
		for i := range n {
			td, ld := drawRun(s, r, i)
			runs, told = append(runs, td), append(told, ld)
			part, some := ptrace.NewTraces(), plog.NewLogs()
			td.CopyTo(part)
			ld.CopyTo(some)
			part.ResourceSpans().MoveAndAppendTo(all.ResourceSpans())
			some.ResourceLogs().MoveAndAppendTo(records.ResourceLogs())
			s.now = s.now.Add(time.Minute)
		}
		// Tasks would join runs of one tenant; a collector has decided the first before the next comes.
		for _, rs := range all.ResourceSpans().All() {
			apart(rs)
		}
		for i := range runs {
			for _, rs := range runs[i].ResourceSpans().All() {
				apart(rs)
			}
		}
		want := collected(t, settings(t, policy), runs, told)
		dry := collected(t, settings(t, policy+"\ndry_run yes"), runs, told)
		explained, err := tail.Explain(settings(t, policy).Policy, all, records)
		if err != nil {
			t.Fatal(err)
		}
		if len(explained) != n {
			t.Fatalf("%d runs are explained, want %d", len(explained), n)
		}
		for i, x := range explained {
			d := x.Decision
			got := outcome{d.Keep, d.Class, d.Rule, d.Evidence, d.State, x.Folded, x.Truncated}
			if got != want[i] {
				t.Fatalf("seed %d, run %d: explained as\n%+v, and was\n%+v", seed, i, got, want[i])
			}
			dry[i].State = want[i].State
			if dry[i] != want[i] {
				t.Fatalf("seed %d, run %d: dry\n%+v, and was\n%+v", seed, i, dry[i], want[i])
			}
			for _, rule := range x.Rules {
				if rule.Name == d.Rule && !rule.Matches {
					t.Fatalf("seed %d, run %d: rule %s decides and does not match", seed, i, d.Rule)
				}
			}
			seen[fmt.Sprintf("%v %s %s", d.Keep, d.Class, d.Rule)]++
		}
	}
	for _, must := range []string{"true  slow", "true  rare", "false  rare", "false  never", "true  baseline", "false  baseline", "true security_denial decision_deny", "true verifier_fail verdict_fail"} {
		if seen[must] == 0 {
			t.Errorf("no run is %q: %v", must, seen)
		}
	}
}

// apart gives a task of a run a name of its own.
func apart(rs ptrace.ResourceSpans) {
	for _, ss := range rs.ScopeSpans().All() {
		for _, span := range ss.Spans().All() {
			for _, key := range []string{"app.task.id", "app.task.root.id"} {
				if v, ok := span.Attributes().Get(key); ok {
					span.Attributes().PutStr(key, v.Str()+span.TraceID().String())
				}
			}
		}
	}
}
