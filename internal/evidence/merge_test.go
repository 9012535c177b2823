package evidence

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMergeSpan(t *testing.T) {
	id := StepID{traceOf("A"), spanOf("a")}
	link := Link{To: StepID{traceOf("B"), spanOf("b")}, Relation: "retries"}
	for _, c := range []struct {
		name       string
		a, b, want Span
	}{
		{"grows", Span{ID: id, Start: 5, End: 10}, Span{ID: id, Start: 3, End: 8}, Span{ID: id, Start: 3, End: 10}},
		{"an error is never taken back", Span{End: 1, Status: StatusError, StatusMessage: "no"}, Span{End: 2, Status: StatusOK}, Span{End: 2, Status: StatusError, StatusMessage: "no"}},
		{"ok beats unset", Span{End: 1, Status: StatusOK}, Span{End: 2, Status: StatusUnset}, Span{End: 2, Status: StatusOK}},
		{"links and events are united", Span{Links: []Link{link}, Events: []SpanEvent{{Time: 2, Name: "b"}}},
			Span{Links: []Link{link}, Events: []SpanEvent{{Time: 1, Name: "a"}, {Time: 2, Name: "b"}}},
			Span{Links: []Link{link}, Events: []SpanEvent{{Time: 1, Name: "a"}, {Time: 2, Name: "b"}}}},
		{"attributes are united, the later end wins", Span{End: 2, Attrs: Attrs{"x": "a", "y": "a"}}, Span{End: 1, Attrs: Attrs{"x": "b", "z": "b"}},
			Span{End: 2, Attrs: Attrs{"x": "a", "y": "a", "z": "b"}}},
		{"of equal ends the second wins", Span{End: 2, Attrs: Attrs{"x": "a"}}, Span{End: 2, Attrs: Attrs{"x": "b"}}, Span{End: 2, Attrs: Attrs{"x": "b"}}},
		{"stated beats inferred", Span{End: 1, Attrs: Attrs{"x": "stated"}}, Span{End: 2, Attrs: Attrs{"x": "guess", "y": "guess", "app.mapping.inferred": []any{"x", "y"}}},
			Span{End: 2, Attrs: Attrs{"x": "stated", "y": "guess", "app.mapping.inferred": []any{"y"}}}},
		{"stated later beats inferred before", Span{End: 1, Attrs: Attrs{"x": "guess", "app.mapping.inferred": []any{"x"}}}, Span{End: 2, Attrs: Attrs{"x": "stated"}},
			Span{End: 2, Attrs: Attrs{"x": "stated"}}},
		{"what is missing is filled", Span{End: 1, Name: "n", Kind: "client", Parent: spanOf("p"), Service: "s"}, Span{End: 2}, Span{End: 2, Name: "n", Kind: "client", Parent: spanOf("p"), Service: "s"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, MergeSpan(c.a, c.b)); diff != "" {
				t.Error(diff)
			}
			if c.name != "of equal ends the second wins" {
				if diff := cmp.Diff(c.want, MergeSpan(c.b, c.a)); diff != "" {
					t.Errorf("in the other order: %s", diff)
				}
			}
		})
	}
}

// Merging twice is merging once, and the arguments stay as they were.
func TestMergeSpanTwice(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 9))
	for range 500 {
		run := randomRun(rnd, 12)
		if len(run.Spans) < 2 {
			continue
		}
		a, b := run.Spans[0], run.Spans[1]
		before := spell(a) + spell(b)
		once := MergeSpan(a, b)
		if twice := MergeSpan(once, b); !reflect.DeepEqual(nanless(once), nanless(twice)) {
			t.Fatalf("merging again changes it:\n%s", cmp.Diff(nanless(once), nanless(twice)))
		}
		if spell(a)+spell(b) != before {
			t.Fatal("an argument was changed")
		}
	}
}

// nanless makes spans comparable: NaN equals nothing.
func nanless(s Span) Span {
	clean := Attrs{}
	for k, v := range s.Attrs {
		if f, ok := v.(float64); !ok || f == f {
			clean[k] = v
		}
	}
	s.Attrs = clean
	s.Links = slices.Clone(s.Links)
	return s
}
