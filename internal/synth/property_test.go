package synth

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/plog"
)

// generate writes the records of one session as script lines. Call ids are
// left out when loose is true.
func generate(r *rand.Rand, turns int, loose bool) []string {
	var lines []string
	clock := int64(1000)
	add := func(format string, args ...any) {
		lines = append(lines, fmt.Sprintf("%d ", clock)+fmt.Sprintf(format, args...))
	}
	pick := func(words ...string) string { return words[r.IntN(len(words))] }
	for turn := range turns {
		tail := fmt.Sprintf(" app.session.id=s app.turn.id=t%d app.mapping.dialect=demo", turn)
		if r.IntN(4) > 0 {
			add("app.turn.started gen_ai.agent.name=coder%s", tail)
		}
		for act := range 1 + r.IntN(8) {
			clock += 1000 + r.Int64N(5000)
			call := fmt.Sprintf(" gen_ai.tool.call.id=c%d", act)
			if loose {
				call = ""
			}
			who := pick("", "", " app.agent.instance.id=a1", " app.agent.instance.id=a1 app.agent.parent.instance.id=a0 gen_ai.agent.name=Explore")
			switch r.IntN(7) {
			case 0:
				add("app.inference.completed took=%d app.request.id=r%d gen_ai.request.model=m%s%s", r.IntN(900), act, who, tail)
				if r.IntN(2) == 0 {
					clock++
					add("app.inference.completed app.request.id=r%d gen_ai.usage.input_tokens=%d%s%s", act, r.IntN(99), who, tail)
				}
			case 1:
				add("app.inference.failed app.request.id=r%d error.type=%s%s", act, pick("429", "529"), tail)
			case 2:
				add("app.agent.started gen_ai.agent.name=Explore app.agent.instance.id=a1 app.agent.parent.instance.id=a0%s", tail)
				clock += 10
				add("app.agent.ended took=5 gen_ai.agent.name=Explore app.agent.instance.id=a1%s", tail)
			case 3:
				add("app.control.changed app.control.id=k%d app.control.kind=cancel app.control.phase=requested%s", act, tail)
			case 4:
				add("app.effect.recorded app.effect.id=e%d app.effect.stage=%s%s%s", act, pick("dispatched", "acked"), call, tail)
			default:
				name := pick("Bash", "Edit")
				if r.IntN(3) > 0 {
					add("app.tool.decided gen_ai.tool.name=%s%s app.permission.decision=%s%s%s", name, call, pick("allow", "allow", "deny", "ask"), who, tail)
				}
				clock += 1000
				if r.IntN(4) > 0 {
					add("%s took=%d gen_ai.tool.name=%s%s%s%s", pick("app.tool.completed", "app.tool.failed"), r.IntN(900), name, call, who, tail)
				}
			}
		}
		clock += 1000
		if r.IntN(3) > 0 {
			add("app.turn.ended%s", tail)
		}
		clock += 100_000
	}
	return lines
}

// mix shuffles the lines, repeats some, and cuts them into batches.
func mix(r *rand.Rand, lines []string) []string {
	out := append([]string{}, lines...)
	for range len(lines) / 3 {
		out = append(out, lines[r.IntN(len(lines))])
	}
	r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	for i := len(out) - 1; i > 0; i-- {
		if r.IntN(3) == 0 {
			out = append(out[:i], append([]string{"---"}, out[i:]...)...)
		}
	}
	return out
}

func treeOf(t *testing.T, mode string, lines []string) string {
	got, _ := play(t, parse(t, "set mode="+mode+"\n"+strings.Join(lines, "\n")+"\nstop\n"))
	return got.tree()
}

// The united tree depends neither on order nor on repetition nor on how the
// records were cut into batches.
func TestOrderAndRepetitionDoNotMatter(t *testing.T) {
	cases := []struct {
		name, mode string
		turns      int
		loose      bool
	}{
		{"live, one turn", "live", 1, false},
		{"closed, one turn", "closed", 1, false},
		{"closed, several turns", "closed", 5, false},
		{"closed, without call ids", "closed", 3, true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for seed := range uint64(150) {
				r := rand.New(rand.NewPCG(seed, 1))
				lines := generate(r, c.turns, c.loose)
				want, mixed := treeOf(t, c.mode, lines), mix(r, lines)
				if got := treeOf(t, c.mode, mixed); got != want {
					t.Fatalf("seed %d: %s\nrecords:\n%s", seed, cmp.Diff(want, got), strings.Join(mixed, "\n"))
				}
			}
		})
	}
}

// Both modes tell the same story.
func TestModesAgree(t *testing.T) {
	for seed := range uint64(100) {
		lines := generate(rand.New(rand.NewPCG(seed, 2)), 3, false)
		if diff := cmp.Diff(treeOf(t, "closed", lines), treeOf(t, "live", lines)); diff != "" {
			t.Fatalf("seed %d: %s", seed, diff)
		}
	}
}

// Lost records change no id: what is left makes spans of the same ids, and the
// lost ones complete the tree when they come after all.
func TestLostRecordsChangeNoID(t *testing.T) {
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 3))
		lines := generate(r, 1, false)
		var left, lost []string
		for _, l := range lines {
			if r.IntN(3) == 0 {
				lost = append(lost, l)
			} else {
				left = append(left, l)
			}
		}
		all, _ := play(t, parse(t, strings.Join(lines, "\n")+"\nstop"))
		some, _ := play(t, parse(t, strings.Join(left, "\n")+"\nstop"))
		for id := range some.spans {
			if all.spans[id] == nil {
				t.Fatalf("seed %d: a span that the whole does not have", seed)
			}
		}
		late := strings.Join(left, "\n") + "\n---\n" + strings.Join(lost, "\n")
		if diff := cmp.Diff(treeOf(t, "live", lines), treeOf(t, "live", strings.Split(late, "\n"))); diff != "" {
			t.Fatalf("seed %d: %s", seed, diff)
		}
	}
}

// A second state that is given the same records, such as that of a restarted
// collector, makes the same spans.
func TestRestartMakesTheSameIDs(t *testing.T) {
	lines := generate(rand.New(rand.NewPCG(7, 7)), 4, true)
	if diff := cmp.Diff(treeOf(t, "closed", lines), treeOf(t, "closed", lines)); diff != "" {
		t.Fatal(diff)
	}
}

// The state stays inside its limits whatever comes, and forgets all at the end.
func TestStateIsBounded(t *testing.T) {
	for _, mode := range []Mode{Live, Closed} {
		set := defaults()
		set.Mode, set.MaxTurns, set.MaxBytes = mode, 20, 40_000
		s, now := NewState(set), epoch
		for seed := range uint64(60) {
			sc := parse(t, strings.Join(generate(rand.New(rand.NewPCG(seed, 4)), 3, seed%2 == 0), "\n"))
			for _, b := range sc.batches {
				rename(b.logs, fmt.Sprint("session", seed))
				Step(s, b.logs, now)
				if u := s.Usage(); u.Open+u.Settled > set.MaxTurns || u.Bytes > set.MaxBytes {
					t.Fatalf("%+v is over the limit", u)
				}
			}
			now = now.Add(time.Second)
		}
		Tick(s, now.Add(time.Minute))
		Tick(s, now.Add(2*time.Hour))
		if u := s.Usage(); u != (Usage{}) || len(s.sessions) > 0 || len(s.resources) > 0 || len(s.turns) > 0 {
			t.Fatalf("%+v is left, with %d sessions and %d resources", u, len(s.sessions), len(s.resources))
		}
	}
}

func rename(ld plog.Logs, session string) {
	records := ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords()
	for i := range records.Len() {
		records.At(i).Attributes().PutStr("app.session.id", session)
	}
}

// A turn that never ends sends all its spans and stays small.
func TestCrowdedTurn(t *testing.T) {
	for _, mode := range []string{"live", "closed"} {
		var lines []string
		for i := range 3 * maxActs {
			lines = append(lines, fmt.Sprintf("%d app.tool.completed gen_ai.tool.name=x gen_ai.tool.call.id=c%d app.session.id=s ctx=abc/0%d", i+1000, i, i%10),
				fmt.Sprintf("%d app.tool.decided gen_ai.tool.name=y gen_ai.tool.call.id=d%d app.permission.decision=allow app.session.id=s ctx=abc/01", i+1000, i))
			if i%10 == 0 {
				lines = append(lines, "---")
			}
		}
		sc := parse(t, "set mode="+mode+"\n"+strings.Join(lines, "\n"))
		s, got := NewState(sc.set), newCollected()
		sent := 0
		for _, b := range sc.batches {
			out := Step(s, b.logs, epoch)
			got.add(out.Traces)
			sent += out.Traces.SpanCount()
			for _, open := range s.turns {
				if len(open.acts) > maxActs+30 {
					t.Fatalf("%s: %d acts are held", mode, len(open.acts))
				}
				size := turnSize + len(open.root.facts) + 8*2
				for _, a := range open.acts {
					size += a.size() + indexSize
				}
				if len(open.acts) > fewActs && (open.bytes > size || open.bytes < size-64) {
					t.Fatalf("%s: %d bytes are counted of %d", mode, open.bytes, size)
				}
			}
		}
		out := Stop(s)
		got.add(out.Traces)
		if len(got.spans) != 6*maxActs+1 {
			t.Errorf("%s: %d spans", mode, len(got.spans))
		}
		if sent += out.Traces.SpanCount(); mode == "closed" && sent != len(got.spans) {
			t.Errorf("%d spans were sent, %d are different", sent, len(got.spans))
		}
	}
}

// An output that was not delivered is sent again, in full, whatever made it.
func TestRestoreSendsAgain(t *testing.T) {
	for _, mode := range []string{"live", "closed"} {
		for seed := range uint64(100) {
			r := rand.New(rand.NewPCG(seed, 5))
			lines := generate(r, 4, false)
			want := treeOf(t, mode, lines)
			sc := parse(t, "set turns=2 mode="+mode+"\n"+strings.Join(lines, "\n"))
			if got := playWithFailures(r, sc).tree(); got != want {
				t.Fatalf("%s, seed %d: %s", mode, seed, cmp.Diff(want, got))
			}
		}
	}
}

// playWithFailures gives one record a batch, loses half of the outputs and
// repeats the batch until one is delivered, as a receiver does.
func playWithFailures(r *rand.Rand, sc script) *collected {
	got, s, now := newCollected(), NewState(sc.set), epoch
	deliver := func(call func() Output) {
		for {
			out := call()
			if r.IntN(2) == 0 {
				got.add(out.Traces)
				return
			}
			Restore(out)
		}
	}
	for _, b := range sc.batches {
		records := b.logs.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords()
		for i := range records.Len() {
			one := plog.NewLogs()
			records.At(i).CopyTo(one.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty())
			deliver(func() Output { return Step(s, one, now) })
		}
	}
	deliver(func() Output { return Stop(s) })
	return got
}
