// Package intake makes a batch ready for a store: rows that no store can keep are
// set aside with the reason, rows that came twice are found, facts are drawn.
//
// Words:
//
//   - refusal: a row for the quarantine, with a reason that quotes nothing of it
//   - statement: one account of a span; a span that grows is stated several times
//
// It does not store anything.
package intake

import (
	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// Batch is what one caller wants stored.
type Batch struct {
	Spans   []Span
	Records []Record
	Refused []Refusal
}

// Span is a statement of a span and the facts in it.
type Span struct {
	Span  evidence.Span
	Facts evidence.Facts
}

// Record is a record and the facts in it.
type Record struct {
	Record evidence.Record
	Facts  evidence.Facts
}

// Refusal is a row for the quarantine.
type Refusal struct {
	Tenant, Kind string
	Trace, ID    []byte // ID is that of the span or record
	Reason       string
	Body         []byte // what could be encoded of the row, without names
}

// Len is the number of rows that are not refused.
func (b *Batch) Len() int { return len(b.Spans) + len(b.Records) }

// Split returns both halves of a batch of two rows or more, without the refused.
func (b *Batch) Split() (first, second *Batch) {
	half := b.Len() / 2
	if n := len(b.Spans); half <= n {
		return &Batch{Spans: b.Spans[:half]}, &Batch{Spans: b.Spans[half:], Records: b.Records}
	}
	half -= len(b.Spans)
	return &Batch{Spans: b.Spans, Records: b.Records[:half]}, &Batch{Records: b.Records[half:]}
}

type spanName struct {
	tenant string
	id     evidence.StepID
}

type recordName struct {
	tenant string
	id     evidence.RecordID
}

// Merge makes one span out of several statements in one batch.
type Merge bool

// Whether Prepare merges statements of one span, or leaves that to the reader.
const (
	Merged   Merge = true
	AsStated Merge = false
)

// Prepare takes a batch in. A row longer than maxRow bytes, about, is refused.
func Prepare(in evidence.Batch, maxRow int, merge Merge) *Batch {
	out := &Batch{Spans: make([]Span, 0, len(in.Spans)), Records: make([]Record, 0, len(in.Records))}
	places := make(map[spanName]int, len(in.Spans))
	for i := range in.Spans {
		s := &in.Spans[i]
		if err := checkSpan(s, maxRow); err != nil {
			out.Refused = append(out.Refused, RefuseSpan(s, err.Error(), maxRow))
			continue
		}
		if merge {
			name := spanName{s.Tenant, s.ID}
			if at, twice := places[name]; twice {
				out.Spans[at].Span = evidence.MergeSpan(out.Spans[at].Span, *s)
				continue
			}
			places[name] = len(out.Spans)
		}
		out.Spans = append(out.Spans, Span{Span: *s})
	}
	for i := range out.Spans {
		out.Spans[i].Facts = evidence.FactsOf(&out.Spans[i].Span)
	}
	seen := make(map[recordName]bool, len(in.Records))
	for i := range in.Records {
		r := in.Records[i]
		if r.ID == (evidence.RecordID{}) {
			r.ID = evidence.RecordIDOf(&r)
		}
		if err := checkRecord(&r, maxRow); err != nil {
			out.Refused = append(out.Refused, RefuseRecord(&r, err.Error(), maxRow))
			continue
		}
		if name := (recordName{r.Tenant, r.ID}); !seen[name] {
			seen[name] = true
			out.Records = append(out.Records, Record{r, evidence.FactsOfRecord(&r)})
		}
	}
	return out
}

// RowError is a row that cannot be stored, whatever the state of the store.
type RowError struct{ Reason string }

func (e *RowError) Error() string { return e.Reason }
