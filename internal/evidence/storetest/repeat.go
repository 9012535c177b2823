package storetest

import (
	"testing"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

func again(t *testing.T, s *subject) {
	b := incident()
	rows := rowsOf(b)
	s.write(t, b, len(rows))
	want := s.content(t)
	same := func(what string) {
		t.Helper()
		t.Run(what, func(t *testing.T) { equal(t, s.content(t), want) })
	}

	s.write(t, b, 0)
	same("whole")
	s.write(t, batchOf(append(rows, rows...)), 0)
	same("twice in one batch")
	for cut := 1; cut < len(rows); cut += 3 {
		s.write(t, batchOf(rows[cut:]), 0)
		s.write(t, batchOf(rows[:cut]), 0)
	}
	same("in other pieces")
	s.close(t)
	s.open(t)
	s.write(t, b, 0)
	same("after opening again")
	s.clock.Add(int64(1e15))
	s.write(t, b, 0)
	same("much later")
}

// growing spans come as agentevents makes them: under one id, each time with
// more in them and a later end.
func growing(t *testing.T, s *subject) {
	early := span(1, 1, task("t"), attr("a", int64(1)), link(2, semconv.AppLinkRelationContinues))
	later := span(1, 1, task("t"), attr("b", "x"), attr("a", int64(2)), link(3, semconv.AppLinkRelationRetries))
	later.End, later.Status = later.End+5, evidence.StatusError
	whole := evidence.MergeSpan(early, later)

	s.write(t, evidence.Batch{Spans: []evidence.Span{early}}, 1)
	s.write(t, evidence.Batch{Spans: []evidence.Span{later}}, 1)
	equal(t, s.find(t, "", "t"), wanted("", []evidence.Span{whole}))
	s.write(t, evidence.Batch{Spans: []evidence.Span{later}}, 0)
	s.write(t, evidence.Batch{Spans: []evidence.Span{early}}, 0)
	s.write(t, evidence.Batch{Spans: []evidence.Span{early, later}}, 0)
	equal(t, s.find(t, "", "t"), wanted("", []evidence.Span{whole}))
	equal(t, s.find(t, "", traceID(3).String()), wanted("", []evidence.Span{whole}))

	one := s.another(t)
	one.write(t, evidence.Batch{Spans: []evidence.Span{early, later, early}}, 1)
	equal(t, one.find(t, "", "t"), wanted("", []evidence.Span{whole}))
}

func anyOrder(t *testing.T, s *subject) {
	rows := rowsOf(incident())
	s.write(t, batchOf(rows), len(rows))
	want := s.content(t)
	random := dice(1)
	for range 6 {
		shuffled := append([]any{}, rows...)
		shuffle(&random, shuffled)
		other := s.another(t)
		for len(shuffled) > 0 {
			n := 1 + random.below(len(shuffled))
			other.write(t, batchOf(shuffled[:n]), n)
			shuffled = shuffled[n:]
		}
		equal(t, other.content(t), want)
		other.write(t, batchOf(rows), 0)
	}
}
