package mapping

import (
	"slices"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Detection is monotone in evidence: a span with one attribute less is decided by
// evidence that is as strong or weaker, never by stronger one, and by equally
// strong one only for the same dialect. So no key takes a span away from a dialect
// unless it is stronger evidence for another one. The longer of two conjunctions is
// the stronger one; one of a dialect for what no other claims is the weakest. A key that a conjunction wants to be absent is let off: that is
// how a file says whose a span is that two could claim.
func TestDetectionIsMonotoneInEvidence(t *testing.T) {
	tables := embedded(t, Options{})
	det := &tables.detect[signalSpans]
	s := tables.scratch()
	s.tally = &tally{}
	decide := func(span ptrace.Span) (weakness int, dialect int16, by *guarded) {
		s.begin(span.Name(), "")
		s.span, s.isSpan = span, true
		s.scan(span.Attributes(), signalSpans)
		rank := 0
		for _, claims := range claimsOf(tables, det, s) {
			if len(claims) > 0 {
				break
			}
			rank++
		}
		if rank == 3 {
			for i := range det.conjunctions {
				g := &det.conjunctions[i]
				if !s.matches(g.when) {
					continue
				}
				strength := len(g.when)
				if g.last {
					strength = 0
				}
				return rank*100 - strength, det.pick(s, det.hoist(s), ""), g
			}
		}
		return rank * 100, det.pick(s, det.hoist(s), ""), nil
	}
	shuns := func(g *guarded, key string) bool {
		return g != nil && slices.ContainsFunc(g.when, func(c test) bool { return c.present < 0 && c.src.key == tables.ids[key] })
	}
	steps := map[int]int{}
	spansOfSamplesAndCases(t, func(name string, td ptrace.Traces) {
		for _, rs := range td.ResourceSpans().All() {
			s.setResource(rs.Resource().Attributes())
			for _, ss := range rs.ScopeSpans().All() {
				s.setScope(ss.Scope())
				for _, span := range ss.Spans().All() {
					rank, dialect, _ := decide(span)
					steps[(rank+99)/100]++
					for drop := range span.Attributes().Len() {
						less := ptrace.NewSpan()
						span.CopyTo(less)
						n, key := 0, ""
						less.Attributes().RemoveIf(func(k string, _ pcommon.Value) bool {
							if n++; n-1 == drop {
								key = k
							}
							return n-1 == drop
						})
						weaker, other, by := decide(less)
						if shuns(by, key) {
							continue
						}
						if weaker < rank || weaker == rank && other != dialect {
							t.Errorf("%s: span %q: with %s step %d says dialect %d, without it step %d says %d", name, span.Name(), key, rank, dialect, weaker, other)
						}
					}
				}
			}
		}
	})
	if len(steps) < 5 {
		t.Errorf("spans were decided by steps %v only", steps)
	}
}
