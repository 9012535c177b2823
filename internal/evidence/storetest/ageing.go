package storetest

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

func (s *subject) prune(t *testing.T, evidence, records int64) int64 {
	t.Helper()
	n, err := s.writer.Prune(context.Background(), time.Unix(0, evidence), time.Unix(0, records))
	if err != nil {
		t.Fatalf("prune: %v", err)
	}
	return n
}

func (s *subject) gone(t *testing.T, tenant, id string) {
	t.Helper()
	if _, err := s.reader.Find(context.Background(), tenant, id); !errors.Is(err, evidence.ErrNotFound) {
		t.Errorf("find %q: %v, want not found", id, err)
	}
}

func prune(t *testing.T, s *subject) {
	old, young := span(1, 1, task("old")), span(2, 1, task("young"))
	torn := span(3, 1, task("torn"), link(1, "follows"))
	torn.Start, torn.End = at(0), at(2)
	rest := span(3, 9, task("torn"), link(60, "related"))
	in := func(n int) func(*evidence.Record) { return func(r *evidence.Record) { r.Step.Trace = traceID(n) } }
	oldRecord, youngRecord, loose := record(12, in(2)), record(38, in(2)), record(3)
	b := evidence.Batch{Spans: []evidence.Span{old, young, torn, rest}, Records: []evidence.Record{oldRecord, youngRecord, loose}}
	s.write(t, b, 7)

	if n := s.prune(t, at(1), at(1)); n != 0 {
		t.Errorf("pruning before everything deleted %d rows, want none", n)
	}
	if n := s.prune(t, at(15), at(20)); n < 4 {
		t.Errorf("pruning deleted %d rows, want two spans and two records at least", n)
	}
	left := []evidence.Run{wanted("", []evidence.Span{rest}), wanted("", []evidence.Span{young}, youngRecord)}
	check := func() {
		t.Helper()
		equal(t, s.content(t), []evidence.Run{left[0], left[1]})
		s.gone(t, "", "old")
		s.gone(t, "", traceID(1).String())
		equal(t, s.find(t, "", "torn"), left[0])
	}
	check()
	if n := s.prune(t, at(15), at(20)); n != 0 {
		t.Errorf("pruning again deleted %d rows, want none", n)
	}
	// What was kept is known as before, and what was deleted may come again.
	s.write(t, evidence.Batch{Spans: []evidence.Span{young, rest}, Records: []evidence.Record{youngRecord}}, 0)
	check()
	s.write(t, evidence.Batch{Spans: []evidence.Span{old}}, 1)
	equal(t, s.find(t, "", "old"), wanted("", []evidence.Span{old}))

	s.prune(t, at(1000), at(1000))
	if got := s.content(t); len(got) != 0 {
		t.Errorf("%d runs are left after everything was too old", len(got))
	}
	s.gone(t, "", traceID(60).String())
	s.write(t, b, 7)
}

func pruneMany(t *testing.T, s *subject) {
	var b evidence.Batch
	for i := range 1500 {
		b.Spans = append(b.Spans, span(1+i/700, 1+i%700, task("t")))
		b.Records = append(b.Records, record(i))
	}
	young := span(100, 1)
	s.write(t, evidence.Batch{Spans: append(b.Spans, young), Records: b.Records}, 3001)
	if n := s.prune(t, young.End, at(1500)); n < 3000 {
		t.Errorf("pruning deleted %d rows, want 3000 at least", n)
	}
	equal(t, s.content(t), []evidence.Run{wanted("", []evidence.Span{young})})
}

func pruneWrongTimes(t *testing.T, s *subject) {
	now := time.Unix(0, s.clock.Load())
	never, far := span(1, 1, task("never")), span(2, 1, task("far"))
	never.Start, never.End = 0, 0
	far.End = math.MaxInt64
	records := []evidence.Record{
		record(1, func(r *evidence.Record) { r.Step.Trace, r.Time, r.Observed = traceID(1), 0, 0 }),
		record(2, func(r *evidence.Record) { r.Step.Trace, r.Time = traceID(2), math.MaxInt64 }),
	}
	sane := span(3, 1)
	sane.Start, sane.End = now.UnixNano()-1, now.UnixNano()+1
	s.write(t, evidence.Batch{Spans: []evidence.Span{never, far, sane}, Records: records}, 5)
	if n := s.prune(t, now.UnixNano(), now.UnixNano()); n != 0 {
		t.Errorf("pruning deleted %d rows that have just come, want none", n)
	}
	if got := s.recent(t, evidence.Query{AllTenants: true, Since: now.Add(time.Nanosecond)}); len(got) != 1 {
		t.Errorf("%d runs are newer than the clock, want only the one that says so believably", len(got))
	}
	later := now.Add(time.Hour).UnixNano()
	s.prune(t, later, later)
	if got := s.content(t); len(got) != 0 {
		t.Errorf("%d runs are left, want none", len(got))
	}
}
