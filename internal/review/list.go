package review

import (
	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/listing"
)

// Row is a run in a list.
type Row struct {
	listing.Row
	Usage    Usage `json:"usage"`
	Answered int   `json:"answered"` // of the ten questions
	Partly   int   `json:"partly"`
	Found    []Ref `json:"found,omitempty"` // steps that state what was searched for

	trace          string // one of the run's
	started, ended int64
}

// RowOf returns the row of a run.
func RowOf(r *evidence.Reading) Row {
	s := r.Summary()
	row := Row{Row: listing.RowOf(s), Usage: usageOf(r), started: s.Start, ended: s.End}
	if spans, _ := r.Spans(); len(spans) > 0 {
		row.trace = spans[0].ID.Trace.String()
	}
	for _, q := range r.Answers() {
		switch q.Status {
		case evidence.Answered:
			row.Answered++
		case evidence.Partly:
			row.Partly++
		}
	}
	return row
}

// Place is where the run is reviewed.
func (r *Row) Place() string { return runPlace(r.Tenant, r.ID, r.trace) }

// Started is the beginning for a reader.
func (r *Row) Started() string { return clock(r.started) }

// Took is how long the run lasted.
func (r *Row) Took() string { return took(r.started, r.ended) }

// ShownID is the id as a list has it: a trace by its beginning.
func (r *Row) ShownID() string {
	if r.IsTrace() {
		return r.ID[:min(len(r.ID), 12)]
	}
	return r.ID
}

// Ended is when the run's latest row was, in Unix nanoseconds.
func (r *Row) Ended() int64 { return r.ended }

// Others are the keep classes beside the first.
func (r *Row) Others() []string {
	if len(r.Classes) < 2 {
		return nil
	}
	return r.Classes[1:]
}

// Disputed reports whether the evidence supports another end than the one claimed.
func (r *Row) Disputed() bool {
	return r.Outcome != "" && r.Outcome != evidence.OutcomeRunning && r.Outcome != r.Supported
}

// maxFound is how many steps that state a term are named.
const maxFound = 3

// Find names the steps that state what was searched for, where a step is what the
// reader is after.
func (r *Row) Find(run *evidence.Run, t evidence.Term) {
	if !t.Kind.NamesStep() {
		return
	}
	for i := range run.Spans {
		s := &run.Spans[i]
		if s.States(t) && len(r.Found) < maxFound {
			r.Found = append(r.Found, Ref{s.Name, StepPlace(s.Tenant, s.ID.Trace.String(), s.ID.Span.String())})
		}
	}
}
