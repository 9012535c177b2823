package storetest

import (
	"testing"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/planted"
)

// incidents: what a store gives back of a run is enough to find what was planted
// in it, and runs that have nothing to do with it change nothing.
func incidents(t *testing.T, s *subject) {
	const atOnce = 8 // a write costs a server much the same, whatever is in it
	var b evidence.Batch
	for seed := range uint64(planted.Kinds()) {
		in, other := planted.New(seed), planted.Unrelated(seed)
		for _, run := range []evidence.Run{in.Run, other} {
			b.Spans, b.Records = append(b.Spans, run.Spans...), append(b.Records, run.Records...)
		}
		if (seed+1)%atOnce == 0 || seed+1 == uint64(planted.Kinds()) {
			s.write(t, b, -1) // some have statements of one span, which count as one row
			b = evidence.Batch{}
		}
	}
	for seed := range uint64(planted.Kinds()) {
		in := planted.New(seed)
		run := s.find(t, "", in.Run.Spans[0].ID.Trace.String())
		if len(run.Spans) != len(in.Run.Spans) || len(run.Records) != len(in.Run.Records) {
			t.Errorf("%s: %d spans and %d records came back of %d and %d", in.Name, len(run.Spans), len(run.Records), len(in.Run.Spans), len(in.Run.Records))
		}
		want, got := evidence.Attribute(in.Run), evidence.Attribute(run)
		if got.Result != in.Truth.Result || got.SpanID != want.SpanID || got.TraceID != want.TraceID || got.Class != want.Class || got.Layer != want.Layer || got.Agent != want.Agent {
			t.Errorf("%s: out of the store %+v, before it %+v", in.Name, got, want)
		}
	}
}
