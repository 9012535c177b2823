package tail_test

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/tail"
	"github.com/otelcol-agent/otelcol-agent/internal/tail/slab"
)

// A script plays spans against a State and writes down what it said.
//
//	TIME TRACE/SPAN [PART]...   one span, alone in its batch
//	TIME log CONTEXT EVENT [PART]...
//	                            one log record; CONTEXT is TRACE/SPAN, TRACE or -
//	TIME many N TRACE/SPAN [PART]...
//	                            N spans of one name in one batch, TRACE/SPAN.1 and so on
//	TIME down | reject | up     the next component refuses, rejects for ever, takes
//	TIME shutdown               drain, then abandon
//	TIME kill [DURATION]        end the process, and start another one on what is on the disk, with the clock so far on
//	TIME stall                  from now on it is not written what was decided and what is gone
//	TIME memory                 tell how much of the pieces is in memory
//
// Parts: <SPAN parent · ok, error · ->TRACE/SPAN[:relation] · tenant=T · took=DURATION
// · start=DURATION (of a record at=DURATION) · state=TRACESTATE · flags=N · name=NAME · event=NAME · k=v attribute, with task, parent, root for the task keys · size=BYTES of
// ballast. The clock ticks every second between lines and for as long as something is pending.
type script struct {
	t        *testing.T
	state    *tail.State
	hands    tail.Hands
	settings tail.Settings
	disk     *disk // nil without storage
	stalled  bool  // what is decided and gone is not written any more
	start    time.Time
	now      time.Time
	next     string // down, reject, up
	ids      map[pcommon.SpanID]string
	out      strings.Builder
}

const attempts = 100000

func play(t *testing.T, set tail.Settings, lines string) string {
	start := time.Unix(1_800_000_000, 0).UTC()
	s := newScript(t, set, start)
	if set.DiskBytes > 0 {
		s.open(t, logSettings(t, time.Minute))
	}
	for line := range strings.Lines(lines) {
		if line, _, _ = strings.Cut(line, "#"); strings.TrimSpace(line) != "" {
			s.line(strings.Fields(line))
		}
	}
	for range attempts {
		if s.state.Idle() {
			return s.out.String()
		}
		s.tickTo(s.now.Add(time.Second))
	}
	t.Fatal("the script does not come to rest")
	return ""
}

func newScript(t *testing.T, set tail.Settings, start time.Time) *script {
	s := &script{t: t, settings: set, state: tail.NewState(set), start: start, now: start, next: "up", ids: map[pcommon.SpanID]string{}}
	s.hands = tail.Hands{Policy: &s.state.Policy, Arena: s.state.Arena, DryRun: set.DryRun}
	t.Cleanup(s.state.Arena.Close)
	return s
}

// alloc gives a piece its place as the shell does.
func (s *script) alloc(n int) (slab.Block, []byte) {
	b := s.state.Arena.Alloc(n)
	return b, s.state.Arena.Bytes(b)
}

func (s *script) split(td ptrace.Traces) (int64, func(bool) []tail.Piece) {
	b, err := tail.Encode(td)
	if err != nil {
		s.t.Fatal(err)
	}
	return b.Size(), func(inMemory bool) []tail.Piece {
		pieces, err := b.Split(&s.state.Policy, s.place(inMemory))
		if err != nil {
			s.t.Fatal(err)
		}
		return pieces
	}
}

func (s *script) line(f []string) {
	d, err := time.ParseDuration(f[0])
	if err != nil {
		s.t.Fatal(err)
	}
	s.tickTo(s.start.Add(d))
	switch f[1] {
	case "down", "reject", "up":
		s.next = f[1]
	case "kill":
		s.say("killed")
		if len(f) > 2 { // the clock says so much more, or less, when the next process starts
			off, err := time.ParseDuration(f[2])
			if err != nil {
				s.t.Fatal(err)
			}
			s.now = s.now.Add(off)
		}
		s.kill()
	case "stall":
		s.stalled = true
	case "memory":
		s.say("%d bytes of pieces in memory", s.state.Arena.Used())
	case "many":
		s.batch(manyOf(s, f[2], f[3], f[4:]))
	case "log":
		s.logs(recordOf(s, f[2], f[3], f[4:]))
	case "shutdown":
		for s.do(tail.Drain{}) {
		}
		s.do(tail.Abandon{})
	default:
		s.batch(spanOf(s, f[1], f[2:]))
	}
}

func (s *script) tickTo(at time.Time) {
	for s.now.Before(at) {
		s.now = s.now.Add(time.Second)
		if s.now.After(at) {
			s.now = at
		}
		for s.do(tail.Tick{}) {
		}
		s.flush()
	}
}

func (s *script) batch(td ptrace.Traces) {
	size, split := s.split(td)
	s.take(size, split)
}

func (s *script) logs(ld plog.Logs) {
	pieces, err := tail.SplitRecords(ld)
	if err != nil {
		s.t.Fatal(err)
	}
	if len(pieces) == 0 {
		s.say("passed by")
		return
	}
	s.take(tail.Weight(pieces), func(inMemory bool) []tail.Piece { tail.Place(pieces, s.place(inMemory)); return pieces })
}

func (s *script) take(size int64, split func(inMemory bool) []tail.Piece) {
	for {
		effects := tail.Step(s.state, tail.Reserve{Bytes: size}, s.now)
		s.perform(effects)
		switch last := effects[len(effects)-1].(type) {
		case tail.Granted:
			pieces := split(last.InMemory)
			if !s.keep(pieces) {
				s.t.Fatal("the storage takes nothing")
			}
			s.perform(tail.Step(s.state, tail.Arrive{Pieces: pieces, Reserved: size}, s.now))
			return
		case tail.Full:
			return
		}
	}
}

func (s *script) do(in tail.Input) (more bool) {
	effects := tail.Step(s.state, in, s.now)
	s.perform(effects)
	if len(effects) > 0 {
		_, more = effects[len(effects)-1].(tail.More)
	}
	return more
}

func (s *script) perform(effects []tail.Effect) {
	for len(effects) > 0 {
		e := effects[0]
		effects = effects[1:]
		switch e := e.(type) {
		case tail.Judge:
			effects = append(tail.Step(s.state, s.hands.Judge(e.Job, s.now), s.now), effects...)
		case tail.Decided:
			s.say("%s", decided(s, e))
		case tail.Dropped:
			s.say("dropped %d %s%s", e.Spans, e.Reason, prefixed(" of ", e.Payer))
		case tail.Note, tail.Gone, tail.Stow:
			effects = append(s.logged(e), effects...)
		case tail.NotStowed:
			s.say("%d not stowed", e.Spans)
		case tail.Full:
			s.say("full")
		case tail.Send:
			td, done := s.hands.Traces(e.Parcel)
			s.say("%s %s%s", map[string]string{"up": "sent", "down": "refused", "reject": "rejected"}[s.next], names(s, td), finishedRun(done))
			var answer tail.Input = tail.Delivered(e)
			if s.next != "up" {
				answer = tail.Failed{Parcel: e.Parcel, Permanent: s.next == "reject", Spans: e.Parcel.Spans}
			}
			effects = append(effects, tail.Step(s.state, answer, s.now)...)
		}
	}
}

func (s *script) say(format string, args ...any) {
	fmt.Fprintf(&s.out, "%5s  %s\n", s.now.Sub(s.start), fmt.Sprintf(format, args...))
}

func decided(s *script, e tail.Decided) string {
	d := e.Decision
	parts := []string{map[bool]string{true: "keep", false: "drop"}[d.Keep]}
	if d.Class != "" {
		parts = append(parts, d.Class)
	}
	parts = append(parts, fmt.Sprintf("(%s)", d.Rule))
	if !d.Evidence.IsZero() {
		parts = append(parts, "by "+s.ids[pcommon.SpanID(d.Evidence.Span)])
	}
	if e.Trigger != tail.AtRest {
		parts = append(parts, "at "+string(e.Trigger))
	}
	if e.Overruled != "" {
		parts = append(parts, "over rule "+e.Overruled)
	}
	if e.Late {
		parts = append(parts, "late")
	}
	if e.Reversed {
		parts = append(parts, "reversed")
	}
	return strings.Join(parts, " ")
}

func names(s *script, td ptrace.Traces) string {
	var out []string
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				out = append(out, s.ids[span.SpanID()]+finished(span))
				if v, ok := span.Attributes().Get("app.sampling.decision"); ok {
					out = append(out, "would "+v.Str())
				}
				if v, ok := span.Attributes().Get("app.sampling.incomplete"); ok && v.Bool() {
					out = append(out, "incomplete")
				}
			}
		}
	}
	return strings.Join(out, " ")
}

func spanOf(s *script, name string, parts []string) ptrace.Traces {
	trace, _, ok := strings.Cut(name, "/")
	if !ok {
		s.t.Fatalf("%q is no trace/span", name)
	}
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	span := rs.ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	id := spanID(name)
	s.ids[id] = name
	span.SetTraceID(traceID(trace))
	span.SetSpanID(id)
	span.SetName(name)
	span.SetStartTimestamp(pcommon.NewTimestampFromTime(s.now))
	span.SetEndTimestamp(pcommon.NewTimestampFromTime(s.now.Add(time.Millisecond)))
	for _, p := range parts {
		part(s, rs, span, trace, p)
	}
	return td
}

func recordOf(s *script, context, event string, parts []string) plog.Logs {
	ld := plog.NewLogs()
	rl := ld.ResourceLogs().AppendEmpty()
	r := rl.ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
	if trace, _, hasSpan := strings.Cut(context, "/"); context != "-" {
		r.SetTraceID(traceID(trace))
		if hasSpan {
			r.SetSpanID(spanID(context))
			s.ids[r.SpanID()] = context
		}
	}
	r.SetTimestamp(pcommon.NewTimestampFromTime(s.now))
	r.SetEventName(event)
	r.Body().SetStr("what happened")
	for _, p := range parts {
		k, v, _ := strings.Cut(p, "=")
		if long, ok := short[k]; ok {
			k = long
		}
		switch k {
		case "tenant":
			rl.Resource().Attributes().PutStr("tenant.id", v)
		case "at":
			d, err := time.ParseDuration(v)
			if err != nil {
				s.t.Fatal(err)
			}
			r.SetTimestamp(pcommon.NewTimestampFromTime(s.start.Add(d)))
		case "size":
			n, err := strconv.Atoi(v)
			if err != nil {
				s.t.Fatal(err)
			}
			r.Attributes().PutStr("ballast", strings.Repeat("x", n))
		default:
			r.Attributes().PutStr(k, v)
		}
	}
	return ld
}

var short = map[string]string{"task": "app.task.id", "parent": "app.task.parent.id", "root": "app.task.root.id"}

func part(s *script, rs ptrace.ResourceSpans, span ptrace.Span, trace, p string) {
	k, v, isAttr := strings.Cut(p, "=")
	switch {
	case p == "error":
		span.Status().SetCode(ptrace.StatusCodeError)
	case p == "ok":
		span.Status().SetCode(ptrace.StatusCodeOk)
	case strings.HasPrefix(p, "<"):
		span.SetParentSpanID(spanID(trace + "/" + p[1:]))
	case strings.HasPrefix(p, "->"):
		to, relation, _ := strings.Cut(p[2:], ":")
		toTrace, _, _ := strings.Cut(to, "/")
		l := span.Links().AppendEmpty()
		l.SetTraceID(traceID(toTrace))
		l.SetSpanID(spanID(to))
		if relation != "" {
			l.Attributes().PutStr("app.link.relation", relation)
		}
	case k == "tenant":
		rs.Resource().Attributes().PutStr("tenant.id", v)
	case k == "size":
		n, err := strconv.Atoi(v)
		if err != nil {
			s.t.Fatal(err)
		}
		span.Attributes().PutStr("ballast", strings.Repeat("x", n))
	case k == "state":
		span.TraceState().FromRaw(v)
	case k == "flags":
		n, err := strconv.Atoi(v)
		if err != nil {
			s.t.Fatal(err)
		}
		span.SetFlags(uint32(n))
	case k == "name":
		span.SetName(v)
	case k == "event":
		span.Events().AppendEmpty().SetName(v)
	case k == "took", k == "start":
		d, err := time.ParseDuration(v)
		if err != nil {
			s.t.Fatal(err)
		}
		if k == "start" {
			span.SetStartTimestamp(pcommon.NewTimestampFromTime(s.start.Add(d)))
		} else {
			span.SetEndTimestamp(pcommon.NewTimestampFromTime(s.now.Add(d)))
		}
	case isAttr:
		if long, ok := short[k]; ok {
			k = long
		}
		span.Attributes().PutStr(k, v)
	default:
		s.t.Fatalf("%q is no part of a span", p)
	}
}

func traceID(name string) (id pcommon.TraceID) {
	h := sha256.Sum256([]byte("trace " + name))
	copy(id[:], h[:])
	return id
}

func spanID(name string) (id pcommon.SpanID) {
	h := sha256.Sum256([]byte("span " + name))
	copy(id[:], h[:])
	return id
}

func step(name string) evidence.StepID {
	trace, _, _ := strings.Cut(name, "/")
	return evidence.StepID{Trace: evidence.TraceID(traceID(trace)), Span: evidence.SpanID(spanID(name))}
}
