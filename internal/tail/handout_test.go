package tail_test

import (
	"encoding/binary"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/internal/tail"
)

// load plays senders against workers who do a number of things for each time that a
// sender has the state.
type load struct {
	*script
	todo      []tail.Effect
	first     int // trace of the next batch
	decided   int
	kept      int // decided to be sent
	sent      int
	stowed    int
	notStowed int
	most      int // that waited to be sent or stowed at one time
	refused   bool
}

func newLoad(t *testing.T, edit func(*tail.Settings)) *load {
	set := tail.Settings{
		DecisionWait: 10 * time.Second, MaxWait: time.Minute, Remember: 1 << 16, RetryMin: time.Second, RetryMax: time.Minute,
		Policy: tail.Policy{Ratio: 0.1}, MemoryBytes: 1 << 20, DiskBytes: 1 << 30, Limbo: true, Parallel: 2, Handful: 8,
	}
	edit(&set)
	start := time.Unix(1_800_000_000, 0)
	l := &load{script: newScript(t, set, start)}
	l.open(t, logSettings(t, time.Minute))
	return l
}

func (l *load) count(effects []tail.Effect) (room, more bool) {
	for _, e := range effects {
		switch e := e.(type) {
		case tail.Judge, tail.Send, tail.Stow:
			l.todo = append(l.todo, e)
		case tail.Note, tail.Gone:
			l.logged(e)
		case tail.Decided:
			l.decided++
			if e.Decision.Keep {
				l.kept++
			}
		case tail.NotStowed:
			l.notStowed += e.Spans
		case tail.Full:
			l.refused = true
		case tail.Granted:
			room = true
		case tail.More:
			more = true
		}
	}
	l.most = max(l.most, l.kept-l.sent)
	return room, more
}

// work does up to n things of those that were handed out, and brings all back at once.
func (l *load) work(n int) {
	var answers []tail.Input
	var rest []tail.Effect
	for _, e := range l.todo {
		send, isSend := e.(tail.Send)
		switch {
		case len(answers) == n:
			rest = append(rest, e)
		case isSend:
			l.hands.Traces(send.Parcel)
			l.sent++
			answers = append(answers, tail.Delivered(send))
		default:
			if j, ok := e.(tail.Judge); ok {
				answers = append(answers, l.hands.Judge(j.Job, l.now))
			} else {
				j := e.(tail.Stow).Job
				if err := l.hands.Stow(j, l.now); err != nil {
					l.t.Fatal(err)
				}
				l.stowed++
				answers = append(answers, tail.Stowed{Job: j})
			}
		}
	}
	l.todo = rest
	l.count(tail.Step(l.state, tail.Back{Answers: answers}, l.now))
}

// send brings a batch of n runs of one span, and tells how often workers had their turn
// before there was room; at most for so long as a sender is patient.
func (l *load) send(n, each int, patience int, edit func(ptrace.Span)) (turns int, ok bool) {
	td := ptrace.NewTraces()
	spans := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
	for range n {
		l.first++
		var id pcommon.TraceID
		binary.BigEndian.PutUint64(id[8:], uint64(l.first))
		span := spans.AppendEmpty()
		span.SetTraceID(id)
		span.SetSpanID(pcommon.SpanID{1})
		edit(span)
	}
	size, split := l.split(td)
	for ; ; turns++ {
		room, more := l.count(tail.Step(l.state, tail.Reserve{Bytes: size, Last: turns >= patience}, l.now))
		if room {
			break
		}
		if turns > 2*patience {
			return turns, false
		}
		if !more {
			l.work(each)
		}
	}
	pieces := split(false)
	if !l.keep(pieces) {
		l.t.Fatal("the storage takes nothing")
	}
	l.count(tail.Step(l.state, tail.Arrive{Pieces: pieces, Reserved: size}, l.now))
	return turns, true
}

func ordinary(ptrace.Span) {}
func inError(s ptrace.Span) {
	s.Status().SetCode(ptrace.StatusCodeError)
}

// TestSendersBringNoMoreThanIsDone: the index alone is larger than memory, and for each
// time that a sender has the state there is time for a few things only. What is
// kept goes out, what is dropped goes to limbo, and what waits stays few.
func TestSendersBringNoMoreThanIsDone(t *testing.T) {
	l := newLoad(t, func(*tail.Settings) {})
	const batches, each = 40, 1000
	for range batches {
		if _, ok := l.send(each, 16, 10_000, ordinary); !ok {
			t.Fatal("a patient sender is refused")
		}
	}
	if l.notStowed > 0 {
		t.Errorf("%d dropped runs were not stowed, %d were", l.notStowed, l.stowed)
	}
	if l.most > 1024 {
		t.Errorf("%d kept runs waited at one time", l.most)
	}
	if l.sent < batches*each/20 || l.stowed < batches*each/2 || l.refused {
		t.Errorf("%d sent, %d stowed, refused %t", l.sent, l.stowed, l.refused)
	}
}

// TestPatienceEndsInRoom: a sender at the end of its patience gets the room of what
// waits to be stowed, and of what nothing protects, even if nothing comes back.
func TestPatienceEndsInRoom(t *testing.T) {
	for name, edit := range map[string]func(*tail.Settings){
		"index of dropped runs": func(set *tail.Settings) { set.Policy.Ratio = 0 },
		"index of kept runs":    func(set *tail.Settings) { set.Policy.Ratio = 1 },
		"disk":                  func(set *tail.Settings) { set.Policy.Ratio, set.MemoryBytes, set.DiskBytes = 0, 1<<28, 50_000 },
	} {
		t.Run(name, func(t *testing.T) {
			l := newLoad(t, edit)
			waited := 0
			for range 120 {
				turns, ok := l.send(100, 0, 3, ordinary)
				if !ok {
					t.Fatal("refused, though nothing protected waits")
				}
				waited = max(waited, turns)
			}
			if waited < 3 {
				t.Errorf("%d turns show no want", waited)
			}
		})
	}
}

// TestAFullDiskDecidesNoMoreThanItNeeds: what waits to be stowed is room to come.
func TestAFullDiskDecidesNoMoreThanItNeeds(t *testing.T) {
	l := newLoad(t, func(set *tail.Settings) { set.Policy.Ratio, set.MemoryBytes, set.DiskBytes = 0, 1<<28, 200_000 })
	const each = 100
	for l.decided == 0 {
		l.send(each, 16, 100, ordinary)
	}
	for range 5 {
		before := l.decided
		if _, ok := l.send(each, 16, 100, ordinary); !ok || l.notStowed > 0 {
			t.Fatalf("room %t, %d not stowed", ok, l.notStowed)
		}
		if n := l.decided - before; n > 2*each {
			t.Errorf("%d runs are decided early for %d", n, each)
		}
	}
}

// TestAllThatComeDueAtOnceAreStowed: as after a start, when every run waits from the same
// moment. Decisions wait for limbo, but a protected run does not for longer than it may,
// and where limbo never catches up nothing waits for ever.
func TestAllThatComeDueAtOnceAreStowed(t *testing.T) {
	for name, c := range map[string]struct {
		each  int // things done a tick
		never bool
	}{"in time": {16, false}, "never": {0, true}} {
		t.Run(name, func(t *testing.T) {
			l := newLoad(t, func(set *tail.Settings) { set.Policy.Ratio, set.MemoryBytes = 0, 1<<28 })
			for range 20 {
				if _, ok := l.send(500, 16, 1, ordinary); !ok {
					t.Fatal("refused")
				}
			}
			l.send(1, 16, 1, inError)
			for range 21_000 {
				l.now = l.now.Add(time.Millisecond)
				for more := true; more; {
					_, more = l.count(tail.Step(l.state, tail.Tick{}, l.now))
				}
				l.work(c.each)
			}
			if c.never {
				if l.decided < 10_000 || l.notStowed == 0 {
					t.Errorf("%d decided, %d not stowed while limbo does nothing", l.decided, l.notStowed)
				}
				return
			}
			if l.stowed != 10_000 || l.notStowed > 0 || l.sent != 1 {
				t.Errorf("%d stowed, %d not, %d sent", l.stowed, l.notStowed, l.sent)
			}
		})
	}
}

// TestLimboHasItsTurn: parcels wait in great number since they are as slow to go as runs
// are to be stowed, and all the same each has its turn.
func TestLimboHasItsTurn(t *testing.T) {
	l := newLoad(t, func(set *tail.Settings) { set.Policy.Ratio = 0.9 })
	for range 6 {
		l.send(1000, 16, 10_000, ordinary)
	}
	if l.stowed < l.sent/20 {
		t.Errorf("%d were stowed while %d were sent", l.stowed, l.sent)
	}
	if l.notStowed > 0 {
		t.Errorf("%d were not stowed", l.notStowed)
	}
}

// TestSmallWorkIsHandedOutByTheHandful: and large work is not, so that few large runs
// are decoded at one time.
func TestSmallWorkIsHandedOutByTheHandful(t *testing.T) {
	for name, c := range map[string]struct {
		ballast, want int
	}{"small": {10, 16}, "large": {1 << 20, 2}} {
		t.Run(name, func(t *testing.T) {
			l := newLoad(t, func(set *tail.Settings) { set.MemoryBytes = 1 << 28 })
			for range 20 {
				l.send(1, 0, 1, func(s ptrace.Span) {
					inError(s)
					s.Attributes().PutStr("ballast", string(make([]byte, c.ballast)))
				})
			}
			l.now = l.now.Add(time.Minute)
			l.count(tail.Step(l.state, tail.Tick{}, l.now))
			if len(l.todo) != c.want {
				t.Errorf("%d are handed out at once, want %d", len(l.todo), c.want)
			}
			for range 100 {
				l.work(16)
			}
			if l.sent != 20 || l.state.Busy() != 0 {
				t.Errorf("%d sent, %d still out", l.sent, l.state.Busy())
			}
		})
	}
}

// TestAbandonCountsWhatIsOut: what has not come back when the process ends is lost.
func TestAbandonCountsWhatIsOut(t *testing.T) {
	set := settings(t, "ratio 1")
	s := newScript(t, set, time.Unix(1_800_000_000, 0))
	size, split := s.split(spanOf(s, "A/1", []string{"error"}))
	tail.Step(s.state, tail.Reserve{Bytes: size}, s.now)
	tail.Step(s.state, tail.Arrive{Pieces: split(true), Reserved: size}, s.now)
	if out := tail.Step(s.state, tail.Drain{}, s.now); len(out) != 1 {
		t.Fatalf("%d effects, want a Judge", len(out))
	}
	out := tail.Step(s.state, tail.Abandon{}, s.now)
	if len(out) != 1 || out[0] != (tail.Dropped{Spans: 1, Reason: tail.ByShutdown}) {
		t.Errorf("%v, want one dropped span", out)
	}
}
