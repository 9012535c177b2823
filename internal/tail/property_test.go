package tail_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/tail"
)

// draw is one span, or one log record, of a drawn history.
type draw struct {
	tenant, name string
	parts        []string
	record       bool
}

func (d draw) trace() string { t, _, _ := strings.Cut(d.name, "/"); return t }

// history draws spans of a few tenants, traces, tasks and links. Some are alarms.
func history(r *rand.Rand, n int) []draw {
	alarms := []string{"error", "app.permission.decision=deny"}
	var out []draw
	for i := range n {
		d := draw{tenant: string('x' + rune(r.IntN(2))), name: fmt.Sprintf("T%d/%d", r.IntN(12), i)}
		if r.IntN(4) == 0 {
			d.parts = append(d.parts, fmt.Sprintf("task=k%d", r.IntN(4)))
		}
		if r.IntN(6) == 0 {
			d.parts = append(d.parts, fmt.Sprintf("parent=k%d", r.IntN(4)))
		}
		if r.IntN(6) == 0 {
			relation := []string{"", ":follows", ":continues"}[r.IntN(3)]
			d.parts = append(d.parts, fmt.Sprintf("->T%d/0%s", r.IntN(12), relation))
		}
		if r.IntN(8) == 0 {
			d.parts = append(d.parts, alarms[r.IntN(2)])
		}
		out = append(out, d)
		if r.IntN(5) == 0 {
			out = append(out, drawRecord(r))
		}
	}
	return out
}

// drawRecord draws a record that has the context of a trace, or names a task, or both.
func drawRecord(r *rand.Rand) draw {
	d := draw{tenant: string('x' + rune(r.IntN(2))), name: "-", record: true}
	d.parts = []string{"app.permission.decision=" + []string{"allow", "allow", "deny"}[r.IntN(3)]}
	named := r.IntN(3)
	if named > 0 {
		d.name = fmt.Sprintf("T%d", r.IntN(12))
	}
	if named < 2 {
		d.parts = append(d.parts, fmt.Sprintf("task=k%d", r.IntN(4)))
	}
	return d
}

func (d draw) alarm() bool {
	return slices.Contains(d.parts, "error") || slices.Contains(d.parts, "app.permission.decision=deny")
}

// keptByReference joins spans by comparing all with all until nothing changes,
// and keeps every group that has an alarm.
func keptByReference(spans []draw) map[string]bool {
	group := make([]int, len(spans))
	names := make([][]string, len(spans))
	for i, d := range spans {
		group[i] = i
		if d.name != "-" {
			names[i] = []string{d.tenant + " trace " + d.trace()}
		}
		for _, p := range d.parts {
			if k, v, ok := strings.Cut(p, "="); ok && (k == "task" || k == "parent") {
				names[i] = append(names[i], d.tenant+" task "+v)
			}
			if to, ok := strings.CutPrefix(p, "->"); ok && !strings.HasSuffix(p, ":follows") {
				t, _, _ := strings.Cut(to, "/")
				names[i] = append(names[i], d.tenant+" trace "+t)
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for i := range spans {
			for j := range spans {
				if group[i] != group[j] && meet(names[i], names[j]) {
					group[i] = min(group[i], group[j])
					group[j] = group[i]
					changed = true
				}
			}
		}
	}
	kept := map[string]bool{}
	for i := range spans {
		for j := range spans {
			if group[i] == group[j] && spans[j].alarm() && !spans[i].record {
				kept[spans[i].tenant+" "+spans[i].name] = true
			}
		}
	}
	return kept
}

func meet(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

// host plays batches and keeps account of every span.
type host struct {
	*script
	sent    map[string]int
	dropped map[tail.Reason]int
	classes map[string]string // sent span -> class stamped on it
	fail    func() string
	sees    func(tenant string, span ptrace.Span) // of every span that was taken
}

func newHost(t *testing.T, set tail.Settings, fail func() string) *host {
	start := time.Unix(1_800_000_000, 0).UTC()
	return &host{
		script: newScript(t, set, start),
		sent:   map[string]int{}, dropped: map[tail.Reason]int{}, classes: map[string]string{}, fail: fail,
	}
}

func (h *host) step(in tail.Input) []tail.Effect {
	effects := tail.Step(h.state, in, h.now)
	for queue := slices.Clone(effects); len(queue) > 0; {
		e := queue[0]
		queue = queue[1:]
		switch e := e.(type) {
		case tail.Dropped:
			h.dropped[e.Reason] += e.Spans
		case tail.Note, tail.Gone, tail.Stow:
			queue = append(queue, h.logged(e)...)
		case tail.Judge:
			queue = append(queue, tail.Step(h.state, h.hands.Judge(e.Job, h.now), h.now)...)
		case tail.Send:
			answer := h.fail()
			if answer == "" {
				td, _ := h.hands.Traces(e.Parcel)
				h.note(td)
				queue = append(queue, tail.Step(h.state, tail.Delivered(e), h.now)...)
			} else {
				queue = append(queue, tail.Step(h.state, tail.Failed{Parcel: e.Parcel, Permanent: answer == "reject", Spans: e.Parcel.Spans}, h.now)...)
			}
		}
	}
	return effects
}

func (h *host) note(td ptrace.Traces) {
	for _, rs := range td.ResourceSpans().All() {
		tenant, _ := rs.Resource().Attributes().Get("tenant.id")
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				name := tenant.Str() + " " + span.Name()
				h.sent[name]++
				if h.sees != nil {
					h.sees(tenant.Str(), span)
				}
				if v, ok := span.Attributes().Get("app.sampling.class"); ok {
					h.classes[name] = v.Str()
				}
			}
		}
	}
}

func (h *host) offer(td ptrace.Traces) bool {
	return h.take(h.split(td))
}

func (h *host) offerRecord(d draw) bool {
	pieces, err := tail.SplitRecords(recordOf(h.script, d.name, "app.tool.decided", append([]string{"tenant=" + d.tenant}, d.parts...)))
	if err != nil {
		h.t.Fatal(err)
	}
	return h.take(tail.Weight(pieces), func(inMemory bool) []tail.Piece { tail.Place(pieces, h.place(inMemory)); return pieces })
}

func (h *host) take(size int64, split func(inMemory bool) []tail.Piece) bool {
	for {
		effects := h.step(tail.Reserve{Bytes: size})
		switch last := effects[len(effects)-1].(type) {
		case tail.Granted:
			pieces := split(last.InMemory)
			kept := h.keep(pieces)
			if !kept {
				pieces = nil
			}
			h.step(tail.Arrive{Pieces: pieces, Reserved: size})
			return kept
		case tail.Full:
			return false
		}
	}
}

// offerAll offers records one by one and the spans as one batch; it returns what
// was accepted.
func (h *host) offerAll(all []draw) (accepted []draw) {
	var spans []draw
	for _, d := range all {
		if !d.record {
			spans = append(spans, d)
		} else if h.offerRecord(d) {
			accepted = append(accepted, d)
		}
	}
	if len(spans) > 0 && h.offer(h.batch(spans)) {
		accepted = append(accepted, spans...)
	}
	return accepted
}

func (h *host) until(at time.Time) {
	for h.now.Before(at) {
		h.now = h.now.Add(time.Second)
		for {
			effects := h.step(tail.Tick{})
			if len(effects) == 0 {
				break
			}
			if _, more := effects[len(effects)-1].(tail.More); !more {
				break
			}
		}
	}
}

func (h *host) batch(spans []draw) ptrace.Traces {
	td := ptrace.NewTraces()
	for _, d := range spans {
		one := spanOf(h.script, d.name, append([]string{"tenant=" + d.tenant}, d.parts...))
		one.ResourceSpans().MoveAndAppendTo(td.ResourceSpans())
	}
	return td
}

const rounds = 100

// TestDecisionDoesNotDependOnOrder compares with the naive reference: what comes
// before the decision, in any order and any batches, is kept or dropped alike,
// and under one class a run.
func TestDecisionDoesNotDependOnOrder(t *testing.T) {
	for seed := range uint64(rounds) {
		r := rand.New(rand.NewPCG(seed, 1))
		spans := history(r, 5+r.IntN(40))
		want := keptByReference(spans)
		var classes map[string]string
		var half string
		for range 3 {
			r.Shuffle(len(spans), func(i, j int) { spans[i], spans[j] = spans[j], spans[i] })
			h := newHost(t, settings(t, ""), func() string { return "" })
			for rest := spans; len(rest) > 0; {
				n := 1 + r.IntN(min(6, len(rest)))
				h.offerAll(rest[:n])
				rest = rest[n:]
			}
			h.until(h.now.Add(30 * time.Second))
			compareKept(t, seed, spans, want, h.sent)
			if got := keptOfHalf(t, spans); half == "" {
				half = got
			} else if got != half {
				t.Fatalf("seed %d: share of runs depends on order: %s and %s", seed, half, got)
			}
			if classes != nil && fmt.Sprint(classes) != fmt.Sprint(h.classes) {
				t.Fatalf("seed %d: classes depend on order: %v and %v", seed, classes, h.classes)
			}
			classes = h.classes
		}
	}
}

// keptOfHalf plays the spans one by one against a ratio of one half.
func keptOfHalf(t *testing.T, spans []draw) string {
	h := newHost(t, settings(t, "ratio 0.5\nunprotected error"), func() string { return "" })
	for _, d := range spans {
		h.offerAll([]draw{d})
	}
	h.until(h.now.Add(30 * time.Second))
	return fmt.Sprint(h.sent)
}

func compareKept(t *testing.T, seed uint64, spans []draw, want map[string]bool, sent map[string]int) {
	t.Helper()
	for _, d := range spans {
		if d.record {
			continue
		}
		name, n := d.tenant+" "+d.name, 0
		if want[name] {
			n = 1
		}
		if sent[name] != n {
			t.Fatalf("seed %d: span %s sent %d times, want %d", seed, name, sent[name], n)
		}
	}
}

// TestNoProtectedSpanIsLost plays histories against a small budget, a next
// component that fails at random and pauses longer than the decision wait: every
// accepted alarm goes out, and so does every span of a trace that an accepted
// record raised an alarm for before; no span goes out twice, and sent and dropped
// spans together are the accepted ones.
func TestNoProtectedSpanIsLost(t *testing.T) {
	for seed := range uint64(rounds) {
		r := rand.New(rand.NewPCG(seed, 2))
		set := settings(t, "ratio 0.3\nmemory_bytes 6000\nmax_wait 40s")
		down := false
		h := newHost(t, set, func() string {
			if down || r.IntN(5) == 0 {
				return "down"
			}
			return ""
		})
		accepted := map[string]bool{}
		alarms, denied := map[string]bool{}, map[string]bool{}
		for rest := history(r, 30+r.IntN(120)); len(rest) > 0; {
			n := 1 + r.IntN(min(5, len(rest)))
			down = r.IntN(3) == 0
			for _, d := range h.offerAll(rest[:n]) {
				trace := d.tenant + " " + d.trace()
				if d.record {
					denied[trace] = denied[trace] || d.alarm()
					continue
				}
				accepted[d.tenant+" "+d.name] = true
				alarms[d.tenant+" "+d.name] = d.alarm() || denied[trace]
			}
			rest = rest[n:]
			h.until(h.now.Add(time.Duration(r.IntN(20)) * time.Second))
		}
		down = false
		for range attempts {
			if h.state.Idle() {
				break
			}
			h.until(h.now.Add(time.Second))
		}
		check(t, seed, h, accepted, alarms)
	}
}

func check(t *testing.T, seed uint64, h *host, accepted, alarms map[string]bool) {
	t.Helper()
	total := 0
	for name, n := range h.sent {
		if n != 1 || !accepted[name] {
			t.Fatalf("seed %d: span %s sent %d times, accepted %v", seed, name, n, accepted[name])
		}
		total++
	}
	for name, alarm := range alarms {
		if alarm && h.sent[name] == 0 {
			t.Fatalf("seed %d: alarm %s is lost; dropped %v", seed, name, h.dropped)
		}
	}
	for _, n := range h.dropped {
		total += n
	}
	if total != len(accepted) {
		t.Fatalf("seed %d: sent and dropped are %d spans, accepted were %d", seed, total, len(accepted))
	}
	if used := h.state.Arena.Used(); used != 0 {
		t.Fatalf("seed %d: %d bytes of pieces were never freed", seed, used)
	}
	if h.state.Bytes() != 0 || h.state.Runs() != 0 || !h.state.Idle() {
		t.Fatalf("seed %d: %d bytes and %d runs left after all was decided", seed, h.state.Bytes(), h.state.Runs())
	}
}

// TestShareOfRuns: two collectors keep the same runs, and about the share asked
// for, also of trace ids that count upwards.
func TestShareOfRuns(t *testing.T) {
	const runs, share = 10_000, 0.05
	policy := tail.Policy{Ratio: share}
	kept := 0
	for i := range runs {
		var id evidence.StepID
		id.Trace[14], id.Trace[15], id.Span[7] = byte(i>>8), byte(i), 1
		run := tail.Run{Rows: evidence.Run{Spans: []evidence.Span{{ID: id}}}, Traces: ptrace.NewTraces()}
		a, b := tail.Decide(&policy, run), tail.Decide(&policy, run)
		if a != b {
			t.Fatal("two looks at one run differ")
		}
		if a.Keep {
			kept++
		}
	}
	if got := float64(kept) / runs; got < 0.044 || got > 0.056 {
		t.Errorf("kept %.4f of the runs, want %.2f", got, share)
	}
	for _, edge := range []float64{0, 1} {
		policy.Ratio = edge
		d := tail.Decide(&policy, tail.Run{Rows: evidence.Run{Spans: []evidence.Span{{ID: step("A/1")}}}, Traces: ptrace.NewTraces()})
		if d.Keep != (edge == 1) {
			t.Errorf("ratio %v: keep is %v", edge, d.Keep)
		}
	}
}
