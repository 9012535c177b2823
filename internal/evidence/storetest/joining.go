package storetest

import (
	"slices"
	"testing"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

func joins(t *testing.T, s *subject) {
	for name, c := range map[string]struct {
		a, b   evidence.Span
		joined bool
	}{
		"equal task":              {span(1, 1, task("t")), span(2, 1, task("t")), true},
		"task and parent":         {span(1, 1, task("t")), span(2, 1, task("u"), attr(semconv.AppTaskParentID, "t")), true},
		"task and root":           {span(1, 1, task("t")), span(2, 1, task("u"), attr(semconv.AppTaskRootID, "t")), true},
		"equal parent":            {span(1, 1, attr(semconv.AppTaskParentID, "t")), span(2, 1, attr(semconv.AppTaskParentID, "t")), true},
		"equal root":              {span(1, 1, attr(semconv.AppTaskRootID, "t")), span(2, 1, attr(semconv.AppTaskRootID, "t")), true},
		"link delegated_from":     {span(1, 1), span(2, 1, link(1, semconv.AppLinkRelationDelegatedFrom)), true},
		"link crosses_boundary":   {span(1, 1), span(2, 1, link(1, semconv.AppLinkRelationCrossesBoundary)), true},
		"link related":            {span(1, 1), span(2, 1, link(1, semconv.AppLinkRelationRelated)), true},
		"link of unknown meaning": {span(1, 1), span(2, 1, link(1, "made up")), true},
		"links in a circle":       {span(1, 1, link(2, "related")), span(2, 1, link(1, "related")), true},
		"link to itself":          {span(1, 1), span(2, 1, link(2, "related")), false},
		"link follows":            {span(1, 1), span(2, 1, link(1, semconv.AppLinkRelationFollows)), false},
		"equal session":           {span(1, 1, attr(semconv.AppSessionID, "s")), span(2, 1, attr(semconv.AppSessionID, "s")), false},
		"task id not a text":      {span(1, 1, attr(semconv.AppTaskID, int64(1))), span(2, 1, attr(semconv.AppTaskID, int64(1))), false},
		"empty task id":           {span(1, 1, task("")), span(2, 1, task("")), false},
		"link to no trace": {span(1, 1, func(s *evidence.Span) { s.Links = []evidence.Link{{Relation: "related"}} }),
			span(2, 1, func(s *evidence.Span) { s.Links = []evidence.Link{{Relation: "related"}} }), false},
	} {
		for how, batches := range map[string][][]evidence.Span{
			"together": {{c.a, c.b}}, "in turn": {{c.a}, {c.b}}, "the other way round": {{c.b}, {c.a}},
		} {
			t.Run(name+" "+how, func(t *testing.T) {
				// A tenant of its own is as good as a store of its own.
				owner := name + how
				for _, b := range batches {
					s.writeSpans(t, owned(owner, b)...)
				}
				both := owned(owner, []evidence.Span{c.a, c.b})
				want := []evidence.Run{wanted(owner, both[1:]), wanted(owner, both[:1])}
				if c.joined {
					want = []evidence.Run{wanted(owner, both)}
				}
				equal(t, s.recent(t, evidence.Query{Tenant: owner}), want)
			})
		}
	}
}

func owned(by string, spans []evidence.Span) []evidence.Span {
	out := slices.Clone(spans)
	for i := range out {
		out[i].Tenant = by
	}
	return out
}

// joinsInAnyOrder builds one run from many traces whose links and tasks arrive
// in every order, so that runs of all sizes are joined, and checks that each id
// finds all of it.
func joinsInAnyOrder(t *testing.T, s *subject) {
	const traces = 40
	var spans []evidence.Span
	for i := 1; i <= traces; i++ {
		sp := span(i, 1)
		switch i % 3 {
		case 0:
			link(i-1, semconv.AppLinkRelationContinues)(&sp)
		case 1:
			task("t" + string(rune('a'+i/3%26)))(&sp)
			link(max(1, i-5), semconv.AppLinkRelationRetries)(&sp)
		case 2:
			attr(semconv.AppTaskParentID, "t"+string(rune('a'+i/3%26)))(&sp)
		}
		spans = append(spans, sp)
	}
	random := dice(2)
	for owner, step := range map[string]int{"one": 1, "two": 9} { // of one, every id is asked for
		shuffled := owned(owner, spans)
		want := wanted(owner, shuffled)
		shuffle(&random, shuffled)
		for len(shuffled) > 0 {
			n := min(len(shuffled), 1+random.below(5))
			s.writeSpans(t, shuffled[:n]...)
			shuffled = shuffled[n:]
		}
		equal(t, s.recent(t, evidence.Query{Tenant: owner}), []evidence.Run{want})
		for i := 1; i <= traces; i += step {
			equal(t, s.find(t, owner, traceID(i).String()), want)
		}
		equal(t, s.find(t, owner, "ta"), want)
	}
}

func tenants(t *testing.T, s *subject) {
	a, b := span(1, 1, tenant("a"), task("t")), span(1, 1, tenant("b"), task("t"))
	linked := span(2, 1, tenant("a"), link(1, "related"))
	ra := record(1, func(r *evidence.Record) { r.Tenant, r.Attrs[semconv.AppTaskID] = "a", "t" })
	rb := record(1, func(r *evidence.Record) { r.Tenant, r.Attrs[semconv.AppTaskID] = "b", "t" })
	s.write(t, evidence.Batch{Spans: []evidence.Span{a, b, linked}, Records: []evidence.Record{ra, rb}}, 5)
	equal(t, s.find(t, "a", "t"), wanted("a", []evidence.Span{a, linked}, ra))
	equal(t, s.find(t, "b", "t"), wanted("b", []evidence.Span{b}, rb))
	equal(t, s.find(t, "b", traceID(1).String()), wanted("b", []evidence.Span{b}, rb))
	equal(t, s.recent(t, evidence.Query{Tenant: "b"}), []evidence.Run{wanted("b", []evidence.Span{b}, rb)})
	if n := len(s.recent(t, evidence.Query{})); n != 0 {
		t.Errorf("the tenant without a name has %d runs, want none", n)
	}
}

func recordsJoin(t *testing.T, s *subject) {
	byTrace := record(1, func(r *evidence.Record) { r.Step = evidence.StepID{Trace: traceID(1), Span: spanID(9)} })
	byTask := record(2, func(r *evidence.Record) { r.Attrs[semconv.AppTaskID] = "t" })
	byParent := record(3, func(r *evidence.Record) { r.Attrs[semconv.AppTaskParentID] = "t" })
	between := record(4, func(r *evidence.Record) {
		r.Step.Trace, r.Attrs[semconv.AppTaskID] = traceID(1), "t"
	})
	loose := record(5)
	s.write(t, evidence.Batch{Records: []evidence.Record{byTask, loose}}, 2)
	equal(t, s.find(t, "", "t"), wanted("", nil, byTask))
	sp := span(1, 1)
	s.write(t, evidence.Batch{Spans: []evidence.Span{sp}, Records: []evidence.Record{byTrace, byParent}}, 3)
	equal(t, s.find(t, "", traceID(1).String()), wanted("", []evidence.Span{sp}, byTrace))
	s.write(t, evidence.Batch{Records: []evidence.Record{between}}, 1)
	want := wanted("", []evidence.Span{sp}, byTrace, byTask, byParent, between)
	equal(t, s.find(t, "", traceID(1).String()), want)
	equal(t, s.content(t), []evidence.Run{want})
}
