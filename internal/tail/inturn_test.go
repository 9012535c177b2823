package tail_test

import (
	"slices"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/internal/tail"
)

// span brings one span of the first trace.
func (l *load) span(id byte, edit func(ptrace.Span)) {
	l.first = 0
	if _, ok := l.send(1, 0, 1, func(s ptrace.Span) { s.SetSpanID(pcommon.SpanID{id}); edit(s) }); !ok {
		l.t.Fatal("a span is refused")
	}
}

func (l *load) after(d time.Duration) {
	l.now = l.now.Add(d)
	l.count(tail.Step(l.state, tail.Tick{}, l.now))
}

// newestFirst has the workers take up what was handed out last, and returns what is sent.
func (l *load) newestFirst() (sent ptrace.Traces) {
	sent = ptrace.NewTraces()
	for len(l.todo) > 0 {
		last := len(l.todo) - 1
		if e, ok := l.todo[last].(tail.Send); ok {
			td, _ := l.hands.Traces(e.Parcel)
			td.ResourceSpans().MoveAndAppendTo(sent.ResourceSpans())
		}
		slices.Reverse(l.todo)
		l.work(1)
		slices.Reverse(l.todo)
	}
	return sent
}

func isWhole(t *testing.T, sent ptrace.Traces, spans int) {
	t.Helper()
	if n := sent.SpanCount(); n != spans {
		t.Errorf("%d spans were sent, want %d", n, spans)
	}
	for _, rs := range sent.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				if _, ok := s.Attributes().Get("app.sampling.incomplete"); ok {
					t.Error("the run is said to be incomplete")
				}
			}
		}
	}
}

// TestALateAlarmWaitsForWhatIsBeingStowed: looked for before it is there, the beginning of
// the run would not be found.
func TestALateAlarmWaitsForWhatIsBeingStowed(t *testing.T) {
	for _, early := range []bool{false, true} {
		l := newLoad(t, func(set *tail.Settings) { set.Policy.Ratio = 0 })
		l.span(1, ordinary)
		l.after(10 * time.Second)
		l.span(2, inError)
		if early { // there is no room for another batch
			l.count(tail.Step(l.state, tail.Reserve{Bytes: 1 << 40}, l.now))
		}
		l.after(10 * time.Second)
		isWhole(t, l.newestFirst(), 2)
	}
}

// TestARunIsJudgedOnceAtATime: two errors protect a run, whichever of them is being
// looked at when the other one comes.
func TestARunIsJudgedOnceAtATime(t *testing.T) {
	for _, how := range []string{"due", "early", "drained"} {
		l := newLoad(t, func(set *tail.Settings) {
			set.Policy.Ratio = 0
			set.Policy.AtLeast = map[string]int{"error": 2}
		})
		l.span(1, inError)
		l.after(10 * time.Second)
		l.span(2, func(s ptrace.Span) { inError(s); s.Attributes().PutStr("app.permission.decision", "deny") })
		switch how {
		case "early":
			l.count(tail.Step(l.state, tail.Reserve{Bytes: 1 << 40}, l.now))
		case "drained":
			l.count(tail.Step(l.state, tail.Drain{}, l.now))
		default:
			l.first = 1
			l.send(1, 0, 1, ordinary)
		}
		l.after(10 * time.Second)
		if n := len(l.todo); n != map[string]int{"due": 2, "early": 1, "drained": 1}[how] {
			t.Errorf("%s: %d things are out: no more of this run, and another one goes on", how, n)
		}
		sent := l.newestFirst()
		l.after(10 * time.Second)
		l.newestFirst().ResourceSpans().MoveAndAppendTo(sent.ResourceSpans())
		isWhole(t, sent, 2)
	}
}
