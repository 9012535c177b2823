package storetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

func quarantine(t *testing.T, s *subject) {
	const secret = "hunter2"
	deep := any(secret)
	for range 300 {
		deep = []any{deep}
	}
	bad := []any{
		span(1, 5000, attr(secret, struct{ s string }{secret})),
		span(1, 5001, attr("deep", deep)),
		span(1, 5002, attr("long", strings.Repeat(secret, 20<<20/len(secret)))),
		span(1, 5003, attr(secret, secret), func(s *evidence.Span) { s.ID.Span = evidence.SpanID{} }),
		span(1, 5004, attr(secret, secret), func(s *evidence.Span) { s.ID.Trace = evidence.TraceID{} }),
		record(1, func(r *evidence.Record) { r.Body = deep }),
		record(2, func(r *evidence.Record) { r.Attrs[secret] = uint8(1) }),
	}
	var good []any
	for i := 1; i <= 1000; i++ {
		good = append(good, span(1, i))
	}
	good = append(good, record(3, func(r *evidence.Record) { r.Step.Trace = traceID(1) }))
	all := slices.Clone(good)
	for i, row := range bad {
		all = slices.Insert(all, i*100, row)
	}
	for _, stored := range []int{len(good), 0} {
		res, err := s.writer.Write(context.Background(), batchOf(all))
		if err != nil {
			t.Fatal(err)
		}
		if want := (evidence.WriteResult{Stored: stored, Quarantined: len(bad)}); res != want {
			t.Errorf("result %+v, want %+v", res, want)
		}
	}
	b := batchOf(good)
	equal(t, s.find(t, "", traceID(1).String()), wanted("", b.Spans, b.Records...))
	reasons := s.store.Quarantine(t)
	if len(reasons) != len(bad) {
		t.Errorf("%d rows in the quarantine, want each of %d once", len(reasons), len(bad))
	}
	for _, r := range reasons {
		if r == "" || strings.Contains(r, secret) {
			t.Errorf("reason %q is empty or quotes the row", r)
		}
	}
}

func concurrent(t *testing.T, s *subject) {
	const writers, batches = 6, 8
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range batches {
				// Every writer adds to one common run and to one of its own, and
				// repeats what another one writes.
				b := evidence.Batch{Spans: []evidence.Span{
					span(1, 1+w*batches+i, task("common")),
					span(10+w, 1+i),
					span(2, 1+i),
				}}
				if _, err := s.writer.Write(context.Background(), b); err != nil {
					t.Errorf("write: %v", err)
				}
				run, err := s.reader.Find(context.Background(), "", fmt.Sprintf("trace:%s", traceID(10+w)))
				if err != nil || len(run.Spans) != i+1 {
					t.Errorf("after write %d of writer %d: %d spans, %v", i, w, len(run.Spans), err)
				}
			}
		})
	}
	wg.Go(func() {
		for range 5 {
			s.prune(t, at(0), at(0))
		}
	})
	wg.Go(func() {
		for range 10 {
			err := s.reader.Recent(context.Background(), evidence.Query{AllTenants: true}, func(r evidence.Run) bool { return len(r.Spans) > 0 })
			if err != nil {
				t.Errorf("recent: %v", err)
			}
		}
	})
	wg.Wait()
	if n := len(s.find(t, "", "common").Spans); n != writers*batches {
		t.Errorf("the common run has %d spans, want %d", n, writers*batches)
	}
	if n := len(s.find(t, "", traceID(2).String()).Spans); n != batches {
		t.Errorf("the run written by all has %d spans, want %d", n, batches)
	}
}

func refuses(t *testing.T, s *subject) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.writer.Write(ended, incident()); err == nil {
		t.Error("a write with an ended context returned no error")
	}
	s.write(t, incident(), -1)
	if err := s.reader.Recent(ended, evidence.Query{AllTenants: true}, func(evidence.Run) bool { return true }); err == nil {
		t.Error("a listing with an ended context returned no error")
	}
	other := s.another(t)
	if err := other.writer.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := other.writer.Write(context.Background(), incident()); err == nil {
		t.Error("a closed writer took a batch")
	}
}
