package sqlite

import (
	"fmt"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// batch is what one caller wants stored, made ready outside the writer's
// goroutine: spans of one id merged, facts drawn, unstorable rows set aside.
type batch struct {
	spans   []spanRow
	records []recordRow
	refused []refusal
}

type spanRow struct {
	span  evidence.Span
	facts evidence.Facts
}

type recordRow struct {
	record evidence.Record
	facts  evidence.Facts
}

// refusal is a row for the quarantine.
type refusal struct {
	tenant, kind string
	trace, id    []byte
	reason       string
	body         []byte
}

func (b *batch) len() int { return len(b.spans) + len(b.records) }

// split returns both halves of a batch of two rows or more.
func (b *batch) split() (first, second *batch) {
	half := b.len() / 2
	if n := len(b.spans); half <= n {
		return &batch{spans: b.spans[:half]}, &batch{spans: b.spans[half:], records: b.records}
	}
	half -= len(b.spans)
	return &batch{spans: b.spans, records: b.records[:half]}, &batch{records: b.records[half:]}
}

type spanName struct {
	tenant string
	id     evidence.StepID
}

type recordName struct {
	tenant string
	id     evidence.RecordID
}

func prepare(in evidence.Batch, maxRow int) *batch {
	out := &batch{spans: make([]spanRow, 0, len(in.Spans)), records: make([]recordRow, 0, len(in.Records))}
	places := make(map[spanName]int, len(in.Spans))
	for i := range in.Spans {
		s := in.Spans[i]
		if err := checkSpan(&s, maxRow); err != nil {
			out.refused = append(out.refused, refuseSpan(&s, err.Error(), maxRow))
			continue
		}
		name := spanName{s.Tenant, s.ID}
		if at, twice := places[name]; twice {
			out.spans[at].span = evidence.MergeSpan(out.spans[at].span, s)
			continue
		}
		places[name] = len(out.spans)
		out.spans = append(out.spans, spanRow{span: s})
	}
	for i := range out.spans {
		out.spans[i].facts = evidence.FactsOf(&out.spans[i].span)
	}
	seen := make(map[recordName]bool, len(in.Records))
	for i := range in.Records {
		r := in.Records[i]
		if r.ID == (evidence.RecordID{}) {
			r.ID = evidence.RecordIDOf(&r)
		}
		if err := checkRecord(&r, maxRow); err != nil {
			out.refused = append(out.refused, refuseRecord(&r, err.Error(), maxRow))
			continue
		}
		if name := (recordName{r.Tenant, r.ID}); !seen[name] {
			seen[name] = true
			out.records = append(out.records, recordRow{r, evidence.FactsOfRecord(&r)})
		}
	}
	return out
}

// size adds up what a value will take, about, and refuses what no column can
// hold. It reads no value but for its length and kind.
type size struct{ left int }

func (z *size) text(ss ...string) error {
	for _, s := range ss {
		z.left -= len(s)
	}
	return z.check()
}

func (z *size) check() error {
	if z.left < 0 {
		return &rowError{"row is longer than the store's limit for one row"}
	}
	return nil
}

func (z *size) attrs(m map[string]any, depth int) error {
	if depth > maxDepth {
		return &rowError{errTooDeep.Error()}
	}
	for k, v := range m {
		z.left -= len(k)
		if err := z.value(v, depth+1); err != nil {
			return err
		}
	}
	return z.check()
}

func (z *size) value(v any, depth int) error {
	if depth > maxDepth {
		return &rowError{errTooDeep.Error()}
	}
	z.left--
	switch v := v.(type) {
	case nil, bool:
	case int64, float64:
		z.left -= 8
	case string:
		z.left -= len(v)
	case []byte:
		z.left -= len(v)
	case []any:
		for _, item := range v {
			if err := z.value(item, depth+1); err != nil {
				return err
			}
		}
	case map[string]any:
		return z.attrs(v, depth)
	default:
		return &rowError{fmt.Sprintf("attribute value of Go type %T, which no attribute can have", v)}
	}
	return z.check()
}

func checkSpan(s *evidence.Span, maxRow int) error {
	if s.ID.Trace == (evidence.TraceID{}) || s.ID.Span == (evidence.SpanID{}) {
		return &rowError{"span without trace id or span id"}
	}
	z := size{maxRow}
	if err := z.text(s.Name, s.StatusMessage, s.TraceState); err != nil {
		return err
	}
	if err := z.attrs(s.Attrs, 0); err != nil {
		return err
	}
	for i := range s.Events {
		z.left -= len(s.Events[i].Name) + 16
		if err := z.attrs(s.Events[i].Attrs, 2); err != nil {
			return err
		}
	}
	for i := range s.Links {
		z.left -= len(s.Links[i].TraceState) + 32
		if err := z.attrs(s.Links[i].Attrs, 0); err != nil {
			return err
		}
	}
	return z.source(s.Tenant, s.Service, s.ServiceVersion, s.Scope, s.ScopeVersion, s.Resource)
}

func checkRecord(r *evidence.Record, maxRow int) error {
	z := size{maxRow}
	if err := z.text(r.Event, r.Severity); err != nil {
		return err
	}
	if err := z.value(r.Body, 0); err != nil {
		return err
	}
	if err := z.attrs(r.Attrs, 0); err != nil {
		return err
	}
	return z.source(r.Tenant, r.Service, r.ServiceVersion, r.Scope, r.ScopeVersion, r.Resource)
}

func (z *size) source(tenant, service, serviceVersion, scope, scopeVersion string, resource evidence.Attrs) error {
	if err := z.text(tenant, service, serviceVersion, scope, scopeVersion); err != nil {
		return err
	}
	return z.attrs(resource, 0)
}
