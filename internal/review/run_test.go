package review

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/planted"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

const second = int64(1e9)

// at is the beginning of the runs of tests.
const at = int64(1793523600) * second // 2026-11-01T09:00:00Z

func id(trace, span byte) evidence.StepID {
	return evidence.StepID{Trace: evidence.TraceID{trace}, Span: evidence.SpanID{span}}
}

func span(trace, n, parent byte, from, to int64, attrs evidence.Attrs, change ...func(*evidence.Span)) evidence.Span {
	s := evidence.Span{ID: id(trace, n), Name: fmt.Sprintf("step %d", n), Start: at + from*second, End: at + to*second, Attrs: attrs, Status: evidence.StatusUnset}
	if parent != 0 {
		s.Parent = evidence.SpanID{parent}
	}
	for _, c := range change {
		c(&s)
	}
	return s
}

func failed(s *evidence.Span) { s.Status = evidence.StatusError }

func linked(trace, n byte, relation string) func(*evidence.Span) {
	return func(s *evidence.Span) { s.Links = append(s.Links, evidence.Link{To: id(trace, n), Relation: relation}) }
}

func agent(task, name string, attempt int64) evidence.Attrs {
	return evidence.Attrs{semconv.AppTaskID: task, semconv.AppTaskAttempt: attempt, semconv.GenAIOperationName: semconv.GenAIOperationNameInvokeAgent, semconv.GenAIAgentName: name}
}

func tool(name string) evidence.Attrs {
	return evidence.Attrs{semconv.GenAIOperationName: semconv.GenAIOperationNameExecuteTool, semconv.GenAIToolName: name}
}

// twoTries is a task that was delegated and tried twice over two traces.
func twoTries() evidence.Run {
	return evidence.Run{Spans: []evidence.Span{
		span(1, 1, 0, 0, 10, agent("t", "coder", 1)),
		span(1, 2, 1, 1, 3, tool("bash")),
		span(1, 3, 1, 2, 4, tool("bash"), failed),
		span(2, 1, 0, 20, 30, agent("t", "coder", 2), linked(1, 1, semconv.AppLinkRelationRetries)),
		span(2, 2, 1, 21, 25, agent("t", "helper", 2)),
		span(2, 3, 2, 22, 24, tool("bash")),
	}}
}

func timeline(run evidence.Run) Timeline {
	r := evidence.Read(run)
	return NewTimeline(r, r.Steps())
}

// A mark that a record states stands at the time of the record, not at the beginning
// of its step.
func TestMarksStandAtTheirTime(t *testing.T) {
	run := evidence.Run{Spans: []evidence.Span{span(1, 1, 0, 0, 100, agent("t", "coder", 1))}, Records: []evidence.Record{{
		ID: evidence.RecordID{1}, Step: id(1, 1), Time: at + 50*second, Event: semconv.EventAppControlChanged,
		Attrs: evidence.Attrs{semconv.AppControlID: "c", semconv.AppControlKind: "cancel", semconv.AppControlLayer: "user", semconv.AppControlPhase: "requested"},
	}}}
	marks := timeline(run).Lanes[0].Glyphs
	require.Len(t, marks, 1)
	require.InDelta(t, 500, marks[0].X, 0.1)
	require.Equal(t, "control: cancel user requested, +50.0s, at step 1", marks[0].Title)
}

func TestEveryAttemptIsALane(t *testing.T) {
	tl := timeline(twoTries())
	require.Len(t, tl.Lanes, 2)
	require.Equal(t, "attempt 1 · coder · 3 steps · 1 trace", tl.Lanes[0].Sub)
	require.Equal(t, "attempt 2 · coder, helper · 3 steps · 1 trace", tl.Lanes[1].Sub)
	require.Equal(t, 1, tl.Lanes[0].Trouble)
	first := tl.Lanes[0].Bars
	require.Equal(t, []float64{0, 333.3333333333333}, []float64{first[0].X, first[0].W})
	require.Less(t, first[0].Y, first[1].Y, "a child is below its parent")
	require.Less(t, first[1].Y, first[2].Y, "what runs at the same time is not in one row")
	require.Less(t, tl.Lanes[0].Top+tl.Lanes[0].Height, tl.Lanes[1].Top+tl.Lanes[1].Height)
	require.Len(t, tl.Links, 1)
	require.True(t, tl.Links[0].Across)
	require.Contains(t, tl.Links[0].Title, "retries")
	require.Equal(t, 6, tl.Alone)
}

// Of a long run the steps that tell something are drawn alone, the rest as a crowd.
func TestALongRunIsDrawnShort(t *testing.T) {
	run := evidence.Run{Spans: []evidence.Span{span(1, 1, 0, 0, 5000, agent("t", "coder", 1))}}
	for i := range 5000 {
		s := evidence.Span{ID: evidence.StepID{Trace: evidence.TraceID{1}, Span: evidence.SpanID{9, byte(i >> 8), byte(i), 1}}, Parent: evidence.SpanID{1}, Name: "chat", Start: at + int64(i)*second, End: at + int64(i+1)*second, Attrs: evidence.Attrs{}}
		if i == 4321 {
			s.Status, s.Name = evidence.StatusError, "the failed one"
		}
		run.Spans = append(run.Spans, s)
	}
	tl := timeline(run)
	require.Equal(t, maxBars, tl.Alone)
	require.Equal(t, 5001, tl.Steps)
	names := map[string]bool{}
	for _, b := range tl.Lanes[0].Bars {
		names[b.Label] = true
	}
	require.True(t, names["the failed one"])
	require.NotEmpty(t, tl.Lanes[0].Crowd)
	require.Less(t, len(tl.Lanes[0].Crowd), 20_000)
	r := evidence.Read(run)
	rep := r.Report("")
	story := NewStory(r, &rep, r.Steps())
	require.False(t, story.Whole)
	require.Less(t, len(story.Traces[0].Rows), 2*shortStory)
	require.Equal(t, 5001, len(story.Traces[0].Rows)+story.Traces[0].Rest)
}

func TestLinksAreToldFromBothEnds(t *testing.T) {
	r := evidence.Read(twoTries())
	rep := r.Report("")
	story := NewStory(r, &rep, r.Steps())
	require.True(t, story.Whole)
	require.Equal(t, []Hop{{Out: false, Relation: "retries", Name: "step 1", Trace: "02000000", Place: StepPlace("", id(2, 1).Trace.String(), id(2, 1).Span.String())}}, story.Traces[0].Rows[0].Links)
	require.True(t, story.Traces[1].Rows[0].Links[0].Out)
}

func TestPageOfATaskDoesNotDependOnArrival(t *testing.T) {
	for seed := range uint64(planted.Kinds()) {
		run := planted.New(seed).Run
		want := fmt.Sprintf("%+v", NewTask(evidence.Read(run), "x"))
		back := evidence.Run{Tenant: run.Tenant}
		for i := range run.Spans {
			back.Spans = append(back.Spans, run.Spans[len(run.Spans)-1-i])
		}
		for i := range run.Records {
			back.Records = append(back.Records, run.Records[len(run.Records)-1-i])
		}
		got := fmt.Sprintf("%+v", NewTask(evidence.Read(back), "x"))
		require.Equal(t, withoutAddresses(want), withoutAddresses(got))
	}
}

// withoutAddresses drops what fmt writes of pointers.
func withoutAddresses(s string) string {
	var out []string
	for _, f := range strings.Fields(s) {
		if !strings.Contains(f, ":0x") {
			out = append(out, f)
		}
	}
	return strings.Join(out, " ")
}

func TestTokensOfAParentStandForThoseBelow(t *testing.T) {
	tokens := func(a evidence.Attrs, in, out int64, cost float64) evidence.Attrs {
		a[semconv.GenAIUsageInputTokens], a[semconv.GenAIUsageOutputTokens], a[semconv.AppUsageCost] = in, out, cost
		return a
	}
	run := evidence.Run{Spans: []evidence.Span{
		span(1, 1, 0, 0, 10, tokens(agent("t", "coder", 1), 300, 30, 0.3)),
		span(1, 2, 1, 1, 2, tokens(evidence.Attrs{}, 100, 10, 0.1)),
		span(1, 3, 1, 2, 3, tokens(evidence.Attrs{}, 200, 20, 0.25)),
		span(2, 1, 0, 4, 5, tokens(agent("t", "coder", 1), 7, 3, 0)),
	}}
	u := usageOf(evidence.Read(run))
	require.Equal(t, int64(307), u.Input)
	require.Equal(t, int64(33), u.Output)
	require.Equal(t, 3, u.Calls)
	require.InDelta(t, 0.35, u.Cost, 1e-9)
}

func TestEqualDigestsAreShown(t *testing.T) {
	run := twoTries()
	run.Spans[1].Attrs[semconv.AppEffectRequestDigest] = "hmac:0123456789ab"
	run.Spans[5].Attrs[semconv.AppEffectRequestDigest] = "hmac:0123456789ab"
	run.Spans[2].Attrs[semconv.AppEffectRequestDigest] = "hmac:ffffffffffff"
	s, ok := NewStep(evidence.Read(run), id(1, 2))
	require.True(t, ok)
	var same []Ref
	for _, g := range s.Groups {
		for _, a := range g.Attrs {
			same = append(same, a.Same...)
		}
	}
	require.Equal(t, []Ref{{"step 3 +22.0s", StepPlace("", id(2, 3).Trace.String(), id(2, 3).Span.String())}}, same)
	_, ok = NewStep(evidence.Read(run), id(7, 7))
	require.False(t, ok)
}

func TestATraceIsShownInParts(t *testing.T) {
	run := evidence.Run{}
	for i := range 450 {
		s := evidence.Span{ID: evidence.StepID{Trace: evidence.TraceID{1}, Span: evidence.SpanID{byte(i >> 8), byte(i), 1}}, Start: at + int64(i), End: at + int64(i) + 1}
		if i > 0 {
			s.Parent = evidence.SpanID{0, 0, 1}
		}
		run.Spans = append(run.Spans, s)
	}
	seen, from := map[string]bool{}, 0
	for range 10 {
		p, ok := NewTrace(evidence.Read(run), evidence.TraceID{1}, from, TraceRows)
		require.True(t, ok)
		for _, row := range p.Rows {
			require.False(t, seen[row.Place])
			seen[row.Place] = true
		}
		from += len(p.Rows)
		if p.Next == "" {
			break
		}
		require.Contains(t, p.Next, fmt.Sprintf("from=%d", from))
	}
	require.Len(t, seen, 450)
	_, ok := NewTrace(evidence.Read(run), evidence.TraceID{9}, 0, TraceRows)
	require.False(t, ok)
}
