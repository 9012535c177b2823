package intake

import (
	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/codec"
)

// MaxQuarantineBody is the most that is kept of a refused row.
const MaxQuarantineBody = 1 << 20

// RefuseSpan returns the refusal of a span.
func RefuseSpan(s *evidence.Span, reason string, maxRow int) Refusal {
	body := map[string]any{
		"name": s.Name, "start": s.Start, "end": s.End, "status": s.Status,
		"attributes": map[string]any(s.Attrs), "resource": map[string]any(s.Resource),
	}
	return Refusal{Tenant: s.Tenant, Kind: "span", Trace: s.ID.Trace[:], ID: s.ID.Span[:], Reason: reason, Body: bodyOf(body, maxRow)}
}

// RefuseRecord returns the refusal of a record.
func RefuseRecord(r *evidence.Record, reason string, maxRow int) Refusal {
	body := map[string]any{
		"event": r.Event, "time": r.Time, "body": r.Body,
		"attributes": map[string]any(r.Attrs), "resource": map[string]any(r.Resource),
	}
	return Refusal{Tenant: r.Tenant, Kind: "record", Trace: r.Step.Trace[:], ID: r.ID[:], Reason: reason, Body: bodyOf(body, maxRow)}
}

// bodyOf encodes what it can, nil if that is nothing or too much.
func bodyOf(m map[string]any, maxRow int) []byte {
	limit := min(MaxQuarantineBody, maxRow)
	if z := (size{limit}); z.attrs(m, 0) != nil {
		return nil
	}
	var e codec.Encoder
	b, err := e.Attrs(nil, m, nil)
	if err != nil {
		return nil
	}
	return b
}

// Refuse turns a batch of one row into its refusal.
func (b *Batch) Refuse(reason string) *Batch {
	if len(b.Spans) > 0 {
		return &Batch{Refused: []Refusal{RefuseSpan(&b.Spans[0].Span, reason, MaxQuarantineBody)}}
	}
	return &Batch{Refused: []Refusal{RefuseRecord(&b.Records[0].Record, reason, MaxQuarantineBody)}}
}
