package evidence_test

import (
	"encoding/hex"
	"maps"
	"slices"
	"testing"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/planted"
)

// lacking is a run from which one thing was taken.
type lacking struct {
	what   string
	run    evidence.Run
	step   evidence.StepID
	record evidence.RecordID
	whole  bool // the step itself was taken
}

// without takes one thing at a time out of a run: a span, a record, a link, an
// event, an attribute.
func without(run evidence.Run) []lacking {
	var out []lacking
	copyOf := func() evidence.Run {
		return evidence.Run{Tenant: run.Tenant, Spans: slices.Clone(run.Spans), Records: slices.Clone(run.Records)}
	}
	for i := range run.Spans {
		s := &run.Spans[i]
		r := copyOf()
		r.Spans = slices.Delete(r.Spans, i, i+1)
		out = append(out, lacking{what: "span " + s.Name, run: r, step: s.ID, whole: true})
		for l := range s.Links {
			r := copyOf()
			r.Spans[i].Links = slices.Delete(slices.Clone(s.Links), l, l+1)
			out = append(out, lacking{what: "link " + s.Links[l].Relation, run: r, step: s.ID})
		}
		for e := range s.Events {
			r := copyOf()
			r.Spans[i].Events = slices.Delete(slices.Clone(s.Events), e, e+1)
			out = append(out, lacking{what: "event " + s.Events[e].Name, run: r, step: s.ID})
		}
		for k := range s.Attrs {
			r := copyOf()
			r.Spans[i].Attrs = maps.Clone(s.Attrs)
			delete(r.Spans[i].Attrs, k)
			out = append(out, lacking{what: "attribute " + k, run: r, step: s.ID})
		}
	}
	for i := range run.Records {
		r := copyOf()
		r.Records = slices.Delete(r.Records, i, i+1)
		out = append(out, lacking{what: "record " + run.Records[i].Event, run: r, record: run.Records[i].ID})
		for k := range run.Records[i].Attrs {
			r := copyOf()
			r.Records[i].Attrs = maps.Clone(run.Records[i].Attrs)
			delete(r.Records[i].Attrs, k)
			out = append(out, lacking{what: "record attribute " + k, run: r, record: run.Records[i].ID})
		}
	}
	return out
}

// accused is the step that an attribution names.
func accused(a evidence.Attribution) (id evidence.StepID) {
	_, err := hex.Decode(id.Trace[:], []byte(a.TraceID))
	_, err2 := hex.Decode(id.Span[:], []byte(a.SpanID))
	if err != nil || err2 != nil {
		return evidence.StepID{}
	}
	return id
}

// With less evidence the answer is the same, or less: unknown or clean; it is
// never another accusation.
func TestLessEvidenceAccusesNobodyElse(t *testing.T) {
	if testing.Short() {
		t.Skip("one step after another: nothing that could race")
	}
	bad, example := map[string]int{}, map[string]uint64{}
	taken := 0
	for seed := range seeds(t) / 40 {
		in := planted.New(seed)
		before := evidence.Attribute(in.Run)
		for _, less := range without(in.Run) {
			if less.step == in.Truth.Step && less.whole || in.Decoys.Steps[less.step] || in.Decoys.Records[less.record] {
				continue
			}
			taken++
			after := evidence.Attribute(less.run)
			if after.Result != evidence.ResultStep || after.TraceID == before.TraceID && after.SpanID == before.SpanID || in.Faults[accused(after)] {
				continue
			}
			key := in.Name + ": " + before.Result + " without " + less.what + " accuses (" + after.Class + ")"
			bad[key]++
			example[key] = seed
		}
	}
	for _, key := range slices.Sorted(maps.Keys(bad)) {
		t.Errorf("%4d times %s, as in seed %d", bad[key], key, example[key])
	}
	t.Logf("%d things taken", taken)
}
