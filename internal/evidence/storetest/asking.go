package storetest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

func find(t *testing.T, s *subject) {
	a, b := span(1, 1, task("alpha")), span(2, 1)
	// A task named like the beginning of a trace id, and one like a whole one.
	c, d := span(3, 1, task(traceID(2).String()[:12])), span(4, 1, task(traceID(1).String()))
	odd := span(5, 1, task("odd \xff\x00 id"))
	s.writeSpans(t, a, b, c, d, odd)
	whole := traceID(1).String()
	for id, want := range map[string]evidence.Span{
		"alpha":                             a,
		"trace:" + whole:                    a,
		"trace:" + strings.ToUpper(whole):   a,
		"trace:" + whole[:13]:               a,
		strings.ToUpper(whole)[:14]:         a,
		whole:                               d,
		traceID(2).String():                 b,
		traceID(2).String()[:11]:            b,
		traceID(2).String()[:12]:            c,
		"trace:" + traceID(2).String()[:12]: b,
		"odd \xff\x00 id":                   odd,
	} {
		t.Run(id, func(t *testing.T) { equal(t, s.find(t, "", id), wanted("", []evidence.Span{want})) })
	}
	t.Run("a prefix of several traces of one run", func(t *testing.T) {
		s := s.another(t)
		e, f := span(16, 1, task("t")), span(17, 1, task("t"))
		s.writeSpans(t, e, f)
		equal(t, s.find(t, "", traceID(16).String()[:9]), wanted("", []evidence.Span{e, f}))
	})
}

func notFound(t *testing.T, s *subject) {
	s.writeSpans(t, span(16, 1, tenant("a"), task("t"), link(40, "follows")), span(17, 1, tenant("a")), span(18, 1, tenant("b"), task("t")))
	for name, c := range map[string]struct {
		tenant, id string
		missing    bool
		says       []string
	}{
		"no such id":              {"a", "u", true, []string{`"u"`, `"a"`}},
		"another tenant's":        {"", "t", true, []string{`"a"`, `"b"`}},
		"another's trace":         {"b", traceID(17).String(), true, []string{`"a"`}},
		"five digits":             {"a", traceID(17).String()[:5], true, nil},
		"not hex":                 {"a", "trace:zzzzzzzz", true, nil},
		"an ambiguous prefix":     {"a", traceID(16).String()[:9], false, []string{"2"}},
		"a trace only linked to":  {"a", traceID(40).String(), true, nil},
		"nothing":                 {"a", "", true, nil},
		"only the word for trace": {"a", "trace:", true, nil},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := s.reader.Find(context.Background(), c.tenant, c.id)
			if err == nil || errors.Is(err, evidence.ErrNotFound) != c.missing {
				t.Fatalf("found with %v, want an error that is ErrNotFound: %v", err, c.missing)
			}
			for _, word := range c.says {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("%q does not say %s", err, word)
				}
			}
		})
	}
}

func recent(t *testing.T, s *subject) {
	if got := s.content(t); len(got) != 0 {
		t.Fatalf("a new store has %d runs, want none", len(got))
	}
	one, two, three := span(1, 1, tenant("a")), span(2, 1, tenant("b")), span(3, 1, tenant("a"))
	s.writeSpans(t, two, three, one)
	runOf := func(sp evidence.Span) evidence.Run { return wanted(sp.Tenant, []evidence.Span{sp}) }
	equal(t, s.content(t), []evidence.Run{runOf(three), runOf(two), runOf(one)})
	equal(t, s.recent(t, evidence.Query{Tenant: "a"}), []evidence.Run{runOf(three), runOf(one)})
	equal(t, s.recent(t, evidence.Query{AllTenants: true, Since: time.Unix(0, two.End)}), []evidence.Run{runOf(three), runOf(two)})
	equal(t, s.recent(t, evidence.Query{Tenant: "a", Since: time.Unix(0, one.End+1)}), []evidence.Run{runOf(three)})

	// A record moves its run to the front.
	late := record(500, func(r *evidence.Record) { r.Tenant, r.Step.Trace = "a", traceID(1) })
	s.write(t, evidence.Batch{Records: []evidence.Record{late}}, 1)
	moved := wanted("a", []evidence.Span{one}, late)
	equal(t, s.content(t), []evidence.Run{moved, runOf(three), runOf(two)})

	var got []evidence.Run
	err := s.reader.Recent(context.Background(), evidence.Query{AllTenants: true}, func(r evidence.Run) bool {
		got = append(got, r)
		return len(got) < 2
	})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, got, []evidence.Run{moved, runOf(three)})
}
