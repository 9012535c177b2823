package storetest

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// pages reads everything that a query lists, a page of so many runs after the other.
func (s *subject) pages(t *testing.T, q evidence.PageQuery, size int) (runs []evidence.Run) {
	t.Helper()
	q.Want = size % 7 // 0 for some, as callers do who cannot say
	for more := true; more; {
		more = false
		n := 0
		err := s.reader.Page(context.Background(), q, func(r evidence.Run, at evidence.Place) bool {
			runs, q.After, more = append(runs, r), at, true
			n++
			return n < size
		})
		if err != nil {
			t.Fatalf("page: %v", err)
		}
		if len(runs) > 10_000 {
			t.Fatal("pages do not end")
		}
	}
	return runs
}

// paged lists runs of several traces and tenants in pages of every size: all of
// them, each once, in the order of Recent.
func paged(t *testing.T, s *subject) {
	var spans []evidence.Span
	for i := 1; i <= 60; i++ {
		sp := span(i, 1, tenant([]string{"a", "b"}[i%2]))
		if i%5 == 0 { // runs whose traces stand far from each other
			task("t" + string(rune('a'+i%3)))(&sp)
		}
		if i%7 == 0 { // and equal times
			sp.End = spans[0].End
		}
		spans = append(spans, sp)
	}
	s.writeSpans(t, spans...)
	for name, q := range map[string]evidence.Query{
		"all": {AllTenants: true}, "a tenant": {Tenant: "a"}, "since": {Tenant: "b", Since: start}, "nobody": {Tenant: "c"},
	} {
		want := s.recent(t, q)
		sizes := []int{7, 1000}
		if name == "a tenant" {
			sizes = append(sizes, 1)
		}
		for _, size := range sizes {
			t.Run(name, func(t *testing.T) {
				got := s.pages(t, evidence.PageQuery{Query: q}, size)
				byTrace(got)
				sorted := slices.Clone(want)
				byTrace(sorted)
				equal(t, got, sorted)
			})
		}
	}
	ordered := s.pages(t, evidence.PageQuery{Query: evidence.Query{AllTenants: true}}, 4)
	for i := 1; i < len(ordered); i++ {
		if latest(ordered[i]) > latest(ordered[i-1]) {
			t.Errorf("run %d of the pages is younger than the one before", i)
		}
	}
	versioned(t, s)
	err := s.reader.Page(context.Background(), evidence.PageQuery{After: "nonsense"}, nil)
	if !errors.Is(err, evidence.ErrPlace) {
		t.Errorf("a place that no engine made gives %v, want ErrPlace", err)
	}
}

// versioned asks again for runs that the caller has: they come without rows, in their
// places, until something of them changes.
func versioned(t *testing.T, s *subject) {
	type known struct {
		at      evidence.Place
		version evidence.Version
	}
	next := 3
	for name, q := range map[string]evidence.PageQuery{
		"all":    {Query: evidence.Query{AllTenants: true}},
		"a term": {Query: evidence.Query{AllTenants: true}, Term: evidence.Term{Kind: evidence.TermSession, Text: "s-all"}, Want: 7},
	} {
		t.Run("runs that are known, "+name, func(t *testing.T) {
			for i := 1; i <= 3; i++ { // rows that a version must not miss, of runs that were listed before
				s.writeSpans(t, span(i, 2, tenant([]string{"a", "b"}[i%2]), attr(semconv.AppSessionID, "s-all")))
			}
			have, places := map[known]bool{}, map[string]bool{}
			look := func() (bare, whole int) {
				asked := map[string]evidence.Version{}
				if q.Want > 0 { // a caller who says which runs it may know
					q.Seen = func(tenant string, at evidence.Place) bool { return places[tenant+string(at)] }
				}
				q.Have = func(tenant string, at evidence.Place, version evidence.Version) bool {
					asked[tenant+string(at)] = version
					return have[known{evidence.Place(tenant) + at, version}]
				}
				err := s.reader.Page(context.Background(), q, func(r evidence.Run, at evidence.Place) bool {
					k := known{evidence.Place(r.Tenant) + at, asked[r.Tenant+string(at)]}
					if rows := len(r.Spans) + len(r.Records); (rows == 0) != have[k] {
						t.Errorf("a run comes with %d rows, known: %v", rows, have[k])
					}
					if have[k] {
						bare++
					} else {
						whole++
					}
					have[k], places[r.Tenant+string(at)] = true, true
					return true
				})
				if err != nil {
					t.Fatal(err)
				}
				return bare, whole
			}
			bare, whole := look()
			if bare != 0 || whole < 3 {
				t.Fatalf("%d runs are known before they were read, %d are read", bare, whole)
			}
			if bare, again := look(); bare != whole || again != 0 {
				t.Errorf("of %d runs %d come without rows, %d with rows; nothing has changed", whole, bare, again)
			}
			// An older span does not move its run, and makes it another one.
			next++
			s.writeSpans(t, span(1, next, tenant("b"), attr(semconv.AppSessionID, "s-all"), func(sp *evidence.Span) { sp.Start, sp.End = 1, 2 }))
			if bare, again := look(); bare != whole-1 || again != 1 {
				t.Errorf("after a span of one run %d come without rows, %d with", bare, again)
			}
		})
	}
	id := traceID(1).String()
	var first, second evidence.Version
	run, err := s.reader.Look(context.Background(), "b", id, func(v evidence.Version) bool { first = v; return false })
	if err != nil || len(run.Spans) == 0 {
		t.Fatalf("%d spans, %v", len(run.Spans), err)
	}
	if run, err = s.reader.Look(context.Background(), "b", id, func(v evidence.Version) bool { second = v; return true }); err != nil || len(run.Spans) != 0 || run.Tenant != "b" {
		t.Errorf("a known run comes with %d spans, %v", len(run.Spans), err)
	}
	if first == "" || first != second {
		t.Errorf("the version of a run that does not change is %q, then %q", first, second)
	}
	if _, err := s.reader.Look(context.Background(), "b", "no such", func(evidence.Version) bool { return true }); !errors.Is(err, evidence.ErrNotFound) {
		t.Errorf("a run that is not there gives %v", err)
	}
}

// byTrace sorts runs by what tells them apart: engines order equal times as they like.
func byTrace(runs []evidence.Run) {
	slices.SortFunc(runs, func(a, b evidence.Run) int {
		return slices.Compare(a.Spans[0].ID.Trace[:], b.Spans[0].ID.Trace[:])
	})
}

func latest(r evidence.Run) (last int64) {
	for _, sp := range r.Spans {
		last = max(last, sp.Start, sp.End)
	}
	return last
}

// counts asks how many runs state a text.
func (s *subject) counts(t *testing.T, q evidence.Query, text string, most int, want map[evidence.TermKind]int) {
	t.Helper()
	got, err := s.reader.Count(context.Background(), q, text, most)
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("%q is stated by %v, %v; want %v", text, got, err, want)
	}
}

// searched finds runs by everything that rows state, in spans and in records.
func searched(t *testing.T, s *subject) {
	one := span(1, 1, attr(semconv.AppSessionID, "s-1"), attr(semconv.GenAIToolCallID, "call-1"), attr(semconv.GenAIAgentName, "coder"))
	two := span(2, 1, attr(semconv.GenAIConversationID, "s-1"), attr(semconv.GenAIToolName, "bash"), attr(semconv.AppHarnessName, "coder"))
	three := span(3, 1, tenant("b"), attr(semconv.AppArtifactHash, "sha256:00"), attr(semconv.GenAIAgentName, "coder"))
	four := span(4, 1, attr(semconv.AppArtifactID, "image '1'\x00"), task("t"))
	late := record(7, func(r *evidence.Record) { r.Attrs[semconv.AppTaskID], r.Attrs[semconv.GenAIToolCallID] = "t", "call-9" })
	ofTrace := record(8, func(r *evidence.Record) { r.Step.Trace, r.Attrs[semconv.AppSessionID] = traceID(1), "s-7" })
	five := span(5, 1, attr(semconv.AppEffectID, "e-1"), attr(semconv.AppEffectIdempotencyKey, "key-1"), attr(semconv.AppPermissionDecisionID, "d-1"), attr(semconv.AppHarnessName, "bash"))
	six := span(6, 1, tenant("b"), func(sp *evidence.Span) {
		stated := func(name string, attrs evidence.Attrs) {
			sp.Events = append(sp.Events, evidence.SpanEvent{Time: sp.Start, Name: name, Attrs: attrs})
		}
		stated(semconv.EventAppEffectRecorded, evidence.Attrs{semconv.AppEffectID: "e-1", semconv.AppEffectIdempotencyKey: "key-2", semconv.AppEffectStage: semconv.AppEffectStageReceipt, semconv.AppEffectReceiptID: "r-1"})
		stated(semconv.EventAppToolDecided, evidence.Attrs{semconv.AppPermissionDecisionID: "d-2", semconv.AppPermissionDecision: "deny"})
	})
	receipt := record(9, func(r *evidence.Record) {
		r.Attrs[semconv.AppTaskID], r.Attrs[semconv.AppEffectReceiptID], r.Attrs[semconv.AppPermissionDecisionID] = "t", "r-2", "d-1"
	})
	s.write(t, evidence.Batch{Spans: []evidence.Span{one, two, three, four, five, six}, Records: []evidence.Record{late, ofTrace, receipt}}, -1)
	r1, r2, r3, r4 := wanted("", []evidence.Span{one}, ofTrace), wanted("", []evidence.Span{two}), wanted("b", []evidence.Span{three}), wanted("", []evidence.Span{four}, late, receipt)
	r5, r6 := wanted("", []evidence.Span{five}), wanted("b", []evidence.Span{six})
	for _, c := range []struct {
		kind evidence.TermKind
		text string
		want []evidence.Run
	}{
		{evidence.TermSession, "s-1", []evidence.Run{r1, r2}},
		{evidence.TermSession, "s-7", []evidence.Run{r1}},
		{evidence.TermToolCall, "call-1", []evidence.Run{r1}},
		{evidence.TermToolCall, "call-9", []evidence.Run{r4}},
		{evidence.TermAgent, "coder", []evidence.Run{r1, r2, r3}},
		{evidence.TermTool, "bash", []evidence.Run{r2}},
		{evidence.TermArtifact, "sha256:00", []evidence.Run{r3}},
		{evidence.TermArtifact, "image '1'\x00", []evidence.Run{r4}},
		{evidence.TermEffect, "e-1", []evidence.Run{r5, r6}},
		{evidence.TermEffect, "key-1", []evidence.Run{r5}},
		{evidence.TermEffect, "key-2", []evidence.Run{r6}},
		{evidence.TermReceipt, "r-1", []evidence.Run{r6}},
		{evidence.TermReceipt, "r-2", []evidence.Run{r4}},
		{evidence.TermDecision, "d-1", []evidence.Run{r4, r5}},
		{evidence.TermDecision, "d-2", []evidence.Run{r6}},
		{evidence.TermDecision, "e-1", nil},
		{evidence.TermTool, "coder", nil},
		{evidence.TermTool, "bas", nil},
	} {
		t.Run(string(c.kind)+" "+c.text, func(t *testing.T) {
			q := evidence.PageQuery{Query: evidence.Query{AllTenants: true}, Term: evidence.Term{Kind: c.kind, Text: c.text}}
			sizes := []int{100}
			if len(c.want) > 1 {
				sizes = append(sizes, 1)
			}
			for _, size := range sizes {
				got := s.pages(t, q, size)
				byTrace(got)
				equal(t, got, c.want)
			}
		})
	}
	all := evidence.Query{AllTenants: true}
	for text, want := range map[string]map[evidence.TermKind]int{
		"coder": {evidence.TermAgent: 3}, "s-1": {evidence.TermSession: 2}, "e-1": {evidence.TermEffect: 2},
		"d-2": {evidence.TermDecision: 1}, "r-1": {evidence.TermReceipt: 1}, "r-2": {evidence.TermReceipt: 1}, "call-9": {evidence.TermToolCall: 1},
		"image '1'\x00": {evidence.TermArtifact: 1}, "bash": {evidence.TermTool: 1, evidence.TermAgent: 1}, "nothing": {}, "": {},
	} {
		s.counts(t, all, text, 9, want)
	}
	s.counts(t, all, "coder", 2, map[evidence.TermKind]int{evidence.TermAgent: 2})
	s.counts(t, evidence.Query{}, "coder", 9, map[evidence.TermKind]int{evidence.TermAgent: 2})
	s.counts(t, evidence.Query{Tenant: "b"}, "e-1", 9, map[evidence.TermKind]int{evidence.TermEffect: 1})
	s.counts(t, evidence.Query{Tenant: "b"}, "s-1", 9, map[evidence.TermKind]int{})
	q := evidence.PageQuery{Query: evidence.Query{Tenant: ""}, Term: evidence.Term{Kind: evidence.TermAgent, Text: "coder"}}
	got := s.pages(t, q, 100)
	byTrace(got)
	equal(t, got, []evidence.Run{r1, r2})
}
