package tail

import (
	"math/bits"
	"strings"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/sampling"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// places is the number of places that a run can have: the 2^56 randomness values
// of OpenTelemetry's consistent sampling.
const places uint64 = sampling.MaxAdjustedCount

// digits of a threshold that a share is rounded to, more where it is near 0 or 1.
const digits = 3

// Odds is how a run stood against its share. A run with a place not above Keep
// is kept, so of the runs that arrive Keep of 2^56 are. What was kept upstream with
// the probability p is therefore in the output with p times that, and its trace
// state says so:
//
//	th = 1 - p x Keep/2^56
//	rv = 1 - p x Place/2^56
//
// rv is not below th exactly for runs that are kept, and evenly spread between th
// and 1 over them. A sampler behind this one that compares it with a threshold of
// its own goes on where this one stopped.
type Odds struct {
	Place uint64 // 1 to 2^56, counted from the top
	Keep  uint64 // 2^56 if the run had to be kept; of a kept run, 0 if it is not known any more
}

// certain is the standing of a run that had to be kept.
var certain = Odds{Place: places, Keep: places}

// Standing is what the draw of a run needs of the trace states of its spans. The
// standings of its parts add up to that of the run in any order.
type Standing struct {
	width  uint64 // of 2^56 places, what was kept upstream of the trace that most was kept of; 0 if no span was seen
	stated *claim // nil if no span states a randomness
}

// claim is the randomness that a trace states.
type claim struct {
	place uint64
	width uint64
	trace pcommon.TraceID
}

// note takes in a span.
func (s *Standing) note(span ptrace.Span, read reader) {
	if span.TraceState().AsRaw() == "" {
		s.width = places
		return
	}
	st := read.of(span)
	s.width = max(s.width, st.width)
	if st.rv != 0 {
		s.state(claim{ceilOf(st.rv, places, st.width), st.width, span.TraceID()})
	}
}

// state: a randomness that was stated for one of its traces is that of the run, as
// far as upstream sampling left it open: of the trace that most was kept of, then
// with the smallest id.
func (s *Standing) state(o claim) {
	if s.stated == nil || o.width > s.stated.width || o.width == s.stated.width && string(o.trace[:]) < string(s.stated.trace[:]) {
		s.stated = &o
	}
}

// Add takes in another part of the run.
func (s *Standing) Add(o *Standing) {
	s.width = max(s.width, o.width)
	if o.stated != nil {
		s.state(*o.stated)
	}
}

func standingOf(td ptrace.Traces) (s Standing) {
	read := reader{}
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				s.note(span, read)
			}
		}
	}
	return s
}

// stand gives a run its place: by a randomness that was stated, else by a hash of
// its identity, so that all traces of a run agree.
func (s *Standing) stand(tenant, identity string) standing {
	at := standing{width: s.width}
	if at.width == 0 {
		at.width = places
	}
	if s.stated != nil {
		at.place = s.stated.place
	} else {
		at.place = places - randomness(tenant, identity)
	}
	return at
}

type standing struct{ place, width uint64 }

// draw weighs a run against a share of what was there before anyone sampled, and
// that against the part of it that a quota leaves. What upstream kept less of than
// the share is not sampled again.
func (s standing) draw(share, quota float64) Odds {
	if share <= 0 || quota <= 0 {
		return Odds{Place: s.place}
	}
	wide := min(widthOf(share), s.width)
	if quota < 1 {
		wide = min(widthOf(float64(wide)/float64(places)*quota), wide)
	}
	if wide == s.width {
		return Odds{Place: s.place, Keep: places}
	}
	return Odds{Place: s.place, Keep: ceilOf(wide, places, s.width)}
}

// kept reports whether the draw went in favour of the run.
func (w Odds) kept() bool { return w.Place <= w.Keep }

// share of the runs that arrive.
func (w Odds) share() float64 { return float64(w.Keep) / float64(places) }

// widthOf is how many of 2^56 places a share from 0 to 1 has, at least one.
func widthOf(share float64) uint64 {
	th, err := sampling.ProbabilityToThresholdWithPrecision(min(share, 1), digits)
	if err != nil || th == sampling.NeverSampleThreshold {
		return 1
	}
	return places - th.Unsigned()
}

// weigh writes the weight of every span into its trace state, and takes out what
// is not valid there: a threshold that does not parse, or one that the span's own
// randomness is below. invalid counts the spans that had one. A span that was
// recovered has no weight: had its run fared better it would have stood for all like
// it, so those that did stand for it.
func weigh(td ptrace.Traces, w Odds) (invalid int) {
	read := reader{}
	written := map[*state]string{}
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				st := read.of(span)
				if st.invalid {
					invalid++
				}
				if v, ok := span.Attributes().Get(semconv.AppSamplingRecovered); ok && v.Bool() {
					span.TraceState().FromRaw(st.with(Odds{}))
					continue
				}
				text, ok := written[st]
				if !ok {
					text = st.with(w)
					written[st] = text
				}
				span.TraceState().FromRaw(text)
			}
		}
	}
	return invalid
}

// state is a trace state, read.
type state struct {
	ot      sampling.OpenTelemetryTraceState
	others  string // members beside ot
	width   uint64 // how many of 2^56 places were kept upstream
	rv      uint64 // place of the stated randomness from the top, 0 if none is stated
	invalid bool
}

// reader reads trace states; spans of one trace mostly have equal ones.
type reader map[readKey]*state

type readKey struct {
	raw   string
	trace pcommon.TraceID
}

func (r reader) of(span ptrace.Span) *state {
	k := readKey{raw: span.TraceState().AsRaw()}
	if k.raw != "" {
		k.trace = span.TraceID()
	}
	st := r[k]
	if st == nil {
		st = readState(k.raw, k.trace)
		r[k] = st
	}
	return st
}

func readState(raw string, trace pcommon.TraceID) *state {
	st := &state{width: places}
	var own string
	own, st.others = cutOwn(raw)
	var err error
	if st.ot, err = sampling.NewOpenTelemetryTraceState(own); own != "" && err != nil {
		st.invalid = true
		if st.ot, err = sampling.NewOpenTelemetryTraceState(withoutThreshold(own)); err != nil {
			st.ot = sampling.OpenTelemetryTraceState{}
		}
	}
	random, stated := st.ot.RValueRandomness()
	if stated {
		st.rv = places - random.Unsigned()
	} else {
		random = sampling.TraceIDToRandomness(trace)
	}
	if th, ok := st.ot.TValueThreshold(); ok {
		if th.ShouldSample(random) {
			st.width = places - th.Unsigned()
		} else {
			st.invalid = true
			st.ot.ClearTValue()
		}
	}
	return st
}

// with is the trace state with a weight.
func (st *state) with(w Odds) string {
	ot := st.ot
	switch wide := max(mulDown(st.width, w.Keep), 1); {
	case w.Keep == 0:
		ot.ClearTValue()
	default:
		if th, err := sampling.UnsignedToThreshold(places - wide); err == nil {
			_ = ot.UpdateTValueWithSampling(th) // never below what it was
		}
		if wide < st.width {
			if rnd, err := sampling.UnsignedToRandomness(places - max(mulDown(st.width, w.Place), 1)); err == nil {
				ot.SetRValue(rnd)
			}
		}
	}
	var b strings.Builder
	if ot.HasAnyValue() {
		b.WriteString("ot=")
		_ = ot.Serialize(&b) // a strings.Builder takes everything
	}
	others := st.others
	if b.Len() > 0 && others != "" {
		if strings.Count(others, ",") >= maxMembers-1 {
			others = others[:strings.LastIndexByte(others, ',')]
		}
		b.WriteByte(',')
	}
	b.WriteString(others)
	return b.String()
}

// maxMembers is how many members W3C lets a trace state have.
const maxMembers = 32

// cutOwn takes the ot member out of a trace state.
func cutOwn(raw string) (own, others string) {
	if raw == "" {
		return "", ""
	}
	var rest []string
	for member := range strings.SplitSeq(raw, ",") {
		member = strings.TrimSpace(member)
		if value, ok := strings.CutPrefix(member, "ot="); ok {
			own = value
		} else if member != "" {
			rest = append(rest, member)
		}
	}
	return own, strings.Join(rest, ",")
}

func withoutThreshold(own string) string {
	var parts []string
	for p := range strings.SplitSeq(own, ";") {
		if !strings.HasPrefix(p, "th:") {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, ";")
}

// mulDown is a x b/2^56, rounded down; neither is above 2^56.
func mulDown(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi<<8 | lo>>56
}

// ceilOf is a x b/c, rounded up; a is not above c.
func ceilOf(a, b, c uint64) uint64 {
	if a >= c {
		return b
	}
	hi, lo := bits.Mul64(a, b)
	q, r := bits.Div64(hi, lo, c)
	if r > 0 {
		q++
	}
	return q
}
