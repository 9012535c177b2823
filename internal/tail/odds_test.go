package tail_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/sampling"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/tail"
	"github.com/otelcol-agent/otelcol-agent/internal/tail/slab"
)

// keep plays one batch through a state of its own and returns what goes out.
func keep(t *testing.T, set tail.Settings, td ptrace.Traces) (ptrace.Traces, tail.Finished) {
	t.Helper()
	out, all := ptrace.NewTraces(), tail.Finished{}
	now := time.Unix(1_800_000_000, 0)
	s := tail.NewState(set)
	defer s.Arena.Close()
	hands := tail.Hands{Policy: &s.Policy, Arena: s.Arena, DryRun: set.DryRun}
	batch, err := tail.Encode(td)
	if err != nil {
		t.Fatal(err)
	}
	pieces, err := batch.Split(&s.Policy, func(n int) (slab.Block, []byte) { b := s.Arena.Alloc(n); return b, s.Arena.Bytes(b) })
	if err != nil {
		t.Fatal(err)
	}
	tail.Step(s, tail.Arrive{Pieces: pieces}, now)
	for queue := tail.Step(s, tail.Drain{}, now); len(queue) > 0; {
		e := queue[0]
		queue = queue[1:]
		switch e := e.(type) {
		case tail.Judge:
			queue = append(queue, tail.Step(s, hands.Judge(e.Job, now), now)...)
		case tail.Send:
			td, done := hands.Traces(e.Parcel)
			all.Folded, all.Truncated, all.InvalidStates = all.Folded+done.Folded, all.Truncated+done.Truncated, all.InvalidStates+done.InvalidStates
			td.ResourceSpans().MoveAndAppendTo(out.ResourceSpans())
			queue = append(queue, tail.Step(s, tail.Delivered(e), now)...)
		case tail.More:
			queue = append(queue, tail.Step(s, tail.Drain{}, now)...)
		}
	}
	if !s.Idle() {
		t.Fatal("something is left")
	}
	return out, all
}

// oneSpan has a trace id whose last seven bytes are the randomness.
func oneSpan(seq uint64, randomness uint64, state string) ptrace.Traces {
	td := ptrace.NewTraces()
	span := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	var id pcommon.TraceID
	binary.BigEndian.PutUint64(id[:8], seq)
	binary.BigEndian.PutUint64(id[8:], randomness)
	span.SetTraceID(id)
	span.SetSpanID(pcommon.SpanID{1})
	span.TraceState().FromRaw(state)
	return td
}

func spansOf(td ptrace.Traces) (out []ptrace.Span) {
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				out = append(out, span)
			}
		}
	}
	return out
}

// TestTraceStateOfAKeptSpan: what is written beside what came, span by span. The
// trace ids are random in the sense of W3C, and lie above every threshold here.
func TestTraceStateOfAKeptSpan(t *testing.T) {
	const high = 0xfffffffffffff0
	set := func(lines string) tail.Settings { return settings(t, lines) }
	for name, c := range map[string]struct {
		set     tail.Settings
		alarm   bool
		came    string
		want    string // rv:* stands for any randomness that is not below the threshold
		invalid int
	}{
		"ordinary":                           {set: set("ratio 0.05"), came: "", want: "ot=rv:*;th:f333"},
		"all are kept":                       {set: set("ratio 1"), came: "", want: "ot=th:0"},
		"forced":                             {set: set(""), alarm: true, came: "", want: "ot=th:0"},
		"forced after upstream":              {set: set(""), alarm: true, came: "ot=th:c", want: "ot=th:c"},
		"upstream kept more":                 {set: set("ratio 0.05"), came: "ot=th:8", want: "ot=rv:*;th:f333"},
		"upstream kept less":                 {set: set("ratio 0.05"), came: "ot=th:fd7", want: "ot=th:fd7"},
		"upstream kept as much":              {set: set("ratio 0.25"), came: "ot=th:c", want: "ot=th:c"},
		"stated randomness decides":          {set: set("ratio 0.05"), came: "ot=rv:ffffffffffff00;th:8", want: "ot=rv:ffffffffffff00;th:f333"},
		"other members stay":                 {set: set("ratio 1"), came: "a=1,ot=x:y,b=2", want: "ot=th:0;x:y,a=1,b=2"},
		"threshold that does not parse":      {set: set(""), alarm: true, came: "ot=th:zz;x:y,a=1", want: "ot=th:0;x:y,a=1", invalid: 1},
		"threshold above its own randomness": {set: set(""), alarm: true, came: "ot=rv:10000000000000;th:c", want: "ot=rv:10000000000000;th:0", invalid: 1},
		"member that does not parse":         {set: set(""), alarm: true, came: "ot=??,a=1", want: "ot=th:0,a=1", invalid: 1},
		"dry run":                            {set: set("ratio 0.05\ndry_run on"), came: "ot=th:zz", want: "ot=th:zz"},
	} {
		t.Run(name, func(t *testing.T) {
			var span ptrace.Span
			var done tail.Finished
			for seq := uint64(0); ; seq++ {
				td := oneSpan(seq, high, c.came)
				if c.alarm {
					spansOf(td)[0].Status().SetCode(ptrace.StatusCodeError)
				}
				var out ptrace.Traces
				if out, done = keep(t, c.set, td); out.SpanCount() == 1 {
					span = spansOf(out)[0]
					break
				}
				if seq == 1000 {
					t.Fatal("nothing was kept")
				}
			}
			got := span.TraceState().AsRaw()
			w3c, err := sampling.NewW3CTraceState(got)
			if err != nil && c.invalid == 0 && !c.set.DryRun {
				t.Fatalf("%q does not parse: %v", got, err)
			}
			if strings.Contains(c.want, "*") {
				rnd, stated := w3c.OTelValue().RValueRandomness()
				th, _ := w3c.OTelValue().TValueThreshold()
				if !stated || !th.ShouldSample(rnd) {
					t.Errorf("%q: the randomness is not consistent with the threshold", got)
				}
				got = strings.Replace(got, "rv:"+rnd.RValue(), "rv:*", 1)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if done.InvalidStates != c.invalid {
				t.Errorf("%d invalid trace states were counted, want %d", done.InvalidStates, c.invalid)
			}
		})
	}
}

// TestTraceStateKeepsItsMembers: ot takes the place of the last of 32 members.
func TestTraceStateKeepsItsMembers(t *testing.T) {
	var members []string
	for i := range 32 {
		members = append(members, string('a'+rune(i%26))+strings.Repeat("z", i/26)+"=1")
	}
	td := oneSpan(1, 1, strings.Join(members, ","))
	spansOf(td)[0].Status().SetCode(ptrace.StatusCodeError)
	out, _ := keep(t, settings(t, ""), td)
	want := "ot=th:0," + strings.Join(members[:31], ",")
	if got := spansOf(out)[0].TraceState().AsRaw(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// sampler is one place where spans are thrown away.
type sampler func(t *testing.T, td ptrace.Traces) ptrace.Traces

// consistent is a sampler as OpenTelemetry describes it: it compares a threshold
// with the randomness of the trace.
func consistent(share float64) sampler {
	th, err := sampling.ProbabilityToThresholdWithPrecision(share, 4)
	if err != nil {
		panic(err)
	}
	return func(t *testing.T, td ptrace.Traces) ptrace.Traces {
		out := ptrace.NewTraces()
		td.CopyTo(out)
		out.ResourceSpans().RemoveIf(func(rs ptrace.ResourceSpans) bool {
			span := rs.ScopeSpans().At(0).Spans().At(0)
			w3c, err := sampling.NewW3CTraceState(span.TraceState().AsRaw())
			if err != nil {
				t.Fatal(err)
			}
			rnd, stated := w3c.OTelValue().RValueRandomness()
			if !stated {
				rnd = sampling.TraceIDToRandomness(span.TraceID())
			}
			if !th.ShouldSample(rnd) {
				return true
			}
			_ = w3c.OTelValue().UpdateTValueWithSampling(th) // unless it is above already
			var b strings.Builder
			if err := w3c.Serialize(&b); err != nil {
				t.Fatal(err)
			}
			span.TraceState().FromRaw(b.String())
			return false
		})
		return out
	}
}

// byRun is a tail policy.
func byRun(set tail.Settings) sampler {
	return func(t *testing.T, td ptrace.Traces) ptrace.Traces { out, _ := keep(t, set, td); return out }
}

// count is the sum of the adjusted counts of spans, by name.
func count(t *testing.T, td ptrace.Traces, into map[string]float64) {
	for _, span := range spansOf(td) {
		w3c, err := sampling.NewW3CTraceState(span.TraceState().AsRaw())
		if err != nil {
			t.Fatal(err)
		}
		n := w3c.OTelValue().AdjustedCount()
		if n == 0 {
			t.Fatalf("span without an adjusted count: %q", span.TraceState().AsRaw())
		}
		into[span.Name()] += n
	}
}

// TestCountsSurviveSampling: whatever stands before and behind a tail policy, the
// sum of the adjusted counts is the number of spans that were there. A run has two
// traces, of which one may have been sampled apart from the other; one run of a
// hundred is protected.
func TestCountsSurviveSampling(t *testing.T) {
	half, tenth := settings(t, "ratio 0.5"), settings(t, "ratio 0.1")
	for name, chain := range map[string][]sampler{
		"alone":                            {byRun(tenth)},
		"behind a consistent sampler":      {consistent(0.3), byRun(tenth)},
		"behind one that keeps less":       {consistent(0.05), byRun(tenth)},
		"before a consistent sampler":      {byRun(half), consistent(0.1)},
		"twice":                            {byRun(half), byRun(tenth)},
		"twice, the second keeps all":      {byRun(tenth), byRun(half)},
		"twice, behind one":                {consistent(0.6), byRun(half), byRun(tenth)},
		"twice, with one between and last": {byRun(half), consistent(0.3), byRun(settings(t, "ratio 0.2")), consistent(0.15)},
	} {
		t.Run(name, func(t *testing.T) {
			const runs = 16_000
			r := rand.New(rand.NewPCG(7, 7))
			truth, got := map[string]float64{}, map[string]float64{}
			td := ptrace.NewTraces()
			for i := range uint64(runs) {
				for trace, span := range []string{"first", "second"} {
					one := oneSpan(2*i+uint64(trace), r.Uint64(), "")
					s := spansOf(one)[0]
					s.SetName(span)
					s.Attributes().PutStr("app.task.id", strconv.FormatUint(i, 10))
					if i%100 == 0 {
						s.SetName("alarm")
						s.Status().SetCode(ptrace.StatusCodeError)
					}
					truth[s.Name()]++
					one.ResourceSpans().MoveAndAppendTo(td.ResourceSpans())
				}
			}
			for _, step := range chain {
				td = step(t, td)
			}
			count(t, td, got)
			for span, want := range truth {
				// Of n kept spans the sum is off by 1/sqrt(n); three times that is one case in 400.
				limit := 3 / math.Sqrt(want*0.05)
				if off := math.Abs(got[span]-want) / want; off > limit {
					t.Errorf("%s: counted %.0f, there were %.0f (off by %.1f %%, limit %.1f %%)", span, got[span], want, 100*off, 100*limit)
				}
			}
		})
	}
}

// TestMillionRuns: at a share of 5 % the counts are right within 1 %, and forced
// runs stand for themselves.
func TestMillionRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("one step after another: nothing that could race")
	}
	const runs, forced = 1_000_000, 100
	policy := tail.Policy{Ratio: 0.05}
	td := ptrace.NewTraces()
	var sum float64
	for i := range uint64(runs) {
		var id evidence.StepID
		binary.BigEndian.PutUint64(id.Trace[8:], i+1)
		id.Span[0] = 1
		span := evidence.Span{ID: id}
		if i < forced {
			span.Status = evidence.StatusError
		}
		d := tail.Decide(&policy, tail.Run{Rows: evidence.Run{Spans: []evidence.Span{span}}, Traces: td})
		if i < forced && (!d.Keep || d.Odds.Keep != 1<<56) {
			t.Fatal("a forced run does not stand for itself alone")
		}
		if d.Keep {
			sum += float64(1<<56) / float64(d.Odds.Keep)
		}
	}
	if off := math.Abs(sum-runs) / runs; off > 0.01 {
		t.Errorf("counted %.0f of %d runs", sum, runs)
	}
}
