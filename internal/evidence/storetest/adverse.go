package storetest

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// types says of every kind of value that it comes back as that kind, in spans,
// links, events, resources and records, under keys that stores promote and under
// others. It says so apart from roundTrip, whose one comparison would also hold
// if both sides were wrong.
func types(t *testing.T, s *subject) {
	values := evidence.Attrs{
		"int": int64(7), "int.beyond.double": int64(1<<53 + 1), "int.min": int64(math.MinInt64), "double": 7.0, "text": "7", "yes": true,
		"ints": []any{int64(1), int64(2)}, "doubles": []any{1.0, 2.0}, "mixed": []any{int64(1), 1.0, "1", true}, "none": []any{},
		"map": map[string]any{"int": int64(1), "list": []any{int64(1)}}, "invalid": "a\xc3(\x00",
		semconv.GenAIUsageInputTokens: int64(1 << 40), semconv.GenAIResponseFinishReasons: []any{"stop", "length"},
		semconv.AppTaskAttempt: int64(3), semconv.GenAIRequestTemperature: 1.0,
	}
	sp := span(1, 1, func(s *evidence.Span) { s.Attrs, s.Resource = values, values })
	sp.Links = []evidence.Link{{To: evidence.StepID{Trace: traceID(2), Span: spanID(1)}, Relation: "related", Attrs: values}}
	sp.Events = []evidence.SpanEvent{{Time: at(1), Name: "e", Attrs: values}}
	rec := record(1, func(r *evidence.Record) {
		r.Step, r.Attrs, r.Body, r.Resource = sp.ID, values, map[string]any(values), values
	})
	s.write(t, evidence.Batch{Spans: []evidence.Span{sp}, Records: []evidence.Record{rec}}, 2)
	run := s.find(t, "", traceID(1).String())
	body, _ := run.Records[0].Body.(map[string]any)
	for where, got := range map[string]evidence.Attrs{
		"span": run.Spans[0].Attrs, "resource": run.Spans[0].Resource, "link": run.Spans[0].Links[0].Attrs, "event": run.Spans[0].Events[0].Attrs,
		"record": run.Records[0].Attrs, "body": body, "resource of a record": run.Records[0].Resource,
	} {
		for key, want := range values {
			if w, g := typed(want), typed(got[key]); w != g {
				t.Errorf("%s: %q came back as %s, want %s", where, key, g, w)
			}
		}
		if len(got) != len(values) {
			t.Errorf("%s has %d attributes, want %d", where, len(got), len(values))
		}
	}
}

// typed writes a value with the types of all its parts.
func typed(v any) string { return fmt.Sprintf("%#v", v) }

// hugeMaps are wide and deep.
func hugeMaps(t *testing.T, s *subject) {
	wide := map[string]any{}
	for i := range 10_000 {
		wide[fmt.Sprintf("key %d", i)] = []any{int64(i), fmt.Sprint(i)}
	}
	deep := any("the end")
	for i := range 100 {
		deep = map[string]any{fmt.Sprint(i): deep, "beside": int64(i)}
	}
	sp := span(1, 1, attr("wide", wide), attr("deep", deep), attr("long", []any{wide, deep}))
	rec := record(1, func(r *evidence.Record) { r.Step, r.Body = sp.ID, wide })
	s.write(t, evidence.Batch{Spans: []evidence.Span{sp}, Records: []evidence.Record{rec}}, 2)
	equal(t, s.find(t, "", traceID(1).String()), wanted("", []evidence.Span{sp}, rec))
	s.write(t, evidence.Batch{Spans: []evidence.Span{sp}, Records: []evidence.Record{rec}}, 0)
}

// cycles are rings of links with shortcuts, links of a span to itself and links
// there and back; all of it is one run, in whatever order it comes.
func cycles(t *testing.T, s *subject) {
	const ring = 30
	var spans []evidence.Span
	for i := 1; i <= ring; i++ {
		sp := span(i, 1, link(i%ring+1, semconv.AppLinkRelationContinues), link(i, semconv.AppLinkRelationRetries))
		if i%7 == 0 {
			link((i+ring/2)%ring+1, semconv.AppLinkRelationDelegatedFrom)(&sp)
		}
		spans = append(spans, sp)
	}
	random := dice(3)
	for _, owner := range []string{"one", "two", "three"} {
		all := owned(owner, spans)
		want := wanted(owner, all)
		shuffle(&random, all)
		for _, sp := range all {
			s.writeSpans(t, sp)
		}
		s.writeSpans(t, all...)
		equal(t, s.recent(t, evidence.Query{Tenant: owner}), []evidence.Run{want})
	}
}

// clocksDisagree is one task by three agents: one's clock is right, one is most
// of a day ahead, one is days behind. Nothing is lost or moved: times stay as
// stated, order and retention go by them, and nothing doubles.
func clocksDisagree(t *testing.T, s *subject) {
	shift := func(d time.Duration) func(*evidence.Span) {
		return func(s *evidence.Span) { s.Start, s.End = s.Start+int64(d), s.End+int64(d) }
	}
	right := span(1, 1, task("t"))
	ahead := span(2, 1, task("t"), link(1, semconv.AppLinkRelationDelegatedFrom), shift(20*time.Hour))
	behind := span(3, 1, task("t"), link(1, semconv.AppLinkRelationSubmittedBy), shift(-72*time.Hour))
	child := span(1, 2, func(s *evidence.Span) { s.Parent, s.Start = spanID(1), right.Start-int64(time.Minute) })
	backwards := span(1, 3, func(s *evidence.Span) { s.End = s.Start - int64(time.Hour) })
	rec := record(1, func(r *evidence.Record) { r.Step, r.Observed = ahead.ID, r.Time-int64(time.Hour) })
	spans := []evidence.Span{right, ahead, behind, child, backwards}
	s.write(t, evidence.Batch{Spans: spans, Records: []evidence.Record{rec}}, 6)
	equal(t, s.find(t, "", "t"), wanted("", spans, rec))
	// The store's own clock goes back, as after a reset: that changes nothing.
	s.clock.Add(-int64(2 * time.Hour))
	s.write(t, evidence.Batch{Spans: spans, Records: []evidence.Record{rec}}, 0)
	other := span(9, 1)
	s.writeSpans(t, other)
	equal(t, s.recent(t, evidence.Query{AllTenants: true}), []evidence.Run{wanted("", spans, rec), wanted("", []evidence.Span{other})})
	if n := s.prune(t, right.Start-int64(24*time.Hour), at(0)); n < 1 {
		t.Errorf("pruning deleted %d rows, want the one of the agent that is behind", n)
	}
	equal(t, s.find(t, "", "t"), wanted("", []evidence.Span{right, ahead, child, backwards}, rec))
}

// equalIDs are the same task, trace, span and record in several tenants.
func equalIDs(t *testing.T, s *subject) {
	owners := []string{"", "a", "b", "a ", "A", "ä"}
	var b evidence.Batch
	for _, owner := range owners {
		b.Spans = append(b.Spans, span(1, 1, tenant(owner), task("t"), attr("owner", owner), link(2, "related")), span(2, 1, tenant(owner)))
		b.Records = append(b.Records, record(1, func(r *evidence.Record) { r.Tenant, r.Attrs[semconv.AppTaskID] = owner, "t" }))
	}
	s.write(t, b, len(b.Spans)+len(b.Records))
	check := func() {
		t.Helper()
		for i, owner := range owners {
			want := wanted(owner, b.Spans[2*i:2*i+2], b.Records[i])
			for _, id := range []string{"t", traceID(1).String(), traceID(2).String()} {
				equal(t, s.find(t, owner, id), want)
			}
		}
		if n := len(s.content(t)); n != len(owners) {
			t.Errorf("%d runs, want %d", n, len(owners))
		}
	}
	check()
	// What grows in one stays as it is in the others.
	b.Spans[2].Attrs = evidence.Attrs{"owner": "a", semconv.AppTaskID: "t", "more": int64(1)}
	b.Spans[2].End++
	s.writeSpans(t, b.Spans[2])
	check()
}
