package sqlite

import (
	"crypto/sha256"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// maxQuarantineBody is the most that is kept of a refused row.
const maxQuarantineBody = 1 << 20

func refuseSpan(s *evidence.Span, reason string, maxRow int) refusal {
	body := map[string]any{
		"name": s.Name, "start": s.Start, "end": s.End, "status": s.Status,
		"attributes": map[string]any(s.Attrs), "resource": map[string]any(s.Resource),
	}
	return refusal{tenant: s.Tenant, kind: "span", trace: s.ID.Trace[:], id: s.ID.Span[:], reason: reason, body: bodyOf(body, maxRow)}
}

func refuseRecord(r *evidence.Record, reason string, maxRow int) refusal {
	body := map[string]any{
		"event": r.Event, "time": r.Time, "body": r.Body,
		"attributes": map[string]any(r.Attrs), "resource": map[string]any(r.Resource),
	}
	return refusal{tenant: r.Tenant, kind: "record", trace: r.Step.Trace[:], id: r.ID[:], reason: reason, body: bodyOf(body, maxRow)}
}

// bodyOf encodes what it can, nil if that is nothing or too much.
func bodyOf(m map[string]any, maxRow int) []byte {
	limit := min(maxQuarantineBody, maxRow)
	if z := (size{limit}); z.attrs(m, 0) != nil {
		return nil
	}
	var e encoder
	b, err := e.attrs(nil, m, nil)
	if err != nil {
		return nil
	}
	return b
}

// refuse turns a batch of one row into its refusal.
func (b *batch) refuse(reason string) *batch {
	if len(b.spans) > 0 {
		return &batch{refused: []refusal{refuseSpan(&b.spans[0].span, reason, maxQuarantineBody)}}
	}
	return &batch{refused: []refusal{refuseRecord(&b.records[0].record, reason, maxQuarantineBody)}}
}

// quarantine keeps a refused row once, however often it is sent.
func (c *connection) quarantine(r refusal, now int64) error {
	digest := sha256.Sum256(append([]byte(r.reason+"\x00"), r.body...))
	_, err := c.exec(`INSERT INTO quarantine (tenant, kind, trace, id, digest, reason, body, seen) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		r.tenant, r.kind, r.trace, r.id, digest[:16], r.reason, blobOrNull(r.body), orNull(now))
	return err
}
