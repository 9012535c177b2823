package sqlite

import (
	"crypto/sha256"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence/intake"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/ledger"
)

// quarantine keeps a refused row once, however often it is sent.
func (c *connection) quarantine(r intake.Refusal, now int64) error {
	digest := sha256.Sum256(append([]byte(r.Reason+"\x00"), r.Body...))
	n, err := c.exec(`INSERT INTO quarantine (tenant, kind, trace, id, digest, reason, body, seen, leaf) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		r.Tenant, r.Kind, r.Trace, r.ID, digest[:16], r.Reason, blobOrNull(r.Body), orNull(now), c.log.tree.Size)
	if err != nil || n == 0 {
		return err
	}
	leaf := ledger.Leaf{Kind: ledger.Refused, Age: now, Instead: ledger.None}
	leaf.Content, leaf.ID = ledger.RefusedRow(r.Tenant, r.Kind, r.Trace, r.ID, r.Reason, r.Body)
	return c.appendLeaves([]ledger.Leaf{leaf})
}
