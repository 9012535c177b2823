package sqlite

import (
	"crypto/sha256"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence/intake"
)

// quarantine keeps a refused row once, however often it is sent.
func (c *connection) quarantine(r intake.Refusal, now int64) error {
	digest := sha256.Sum256(append([]byte(r.Reason+"\x00"), r.Body...))
	_, err := c.exec(`INSERT INTO quarantine (tenant, kind, trace, id, digest, reason, body, seen) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		r.Tenant, r.Kind, r.Trace, r.ID, digest[:16], r.Reason, blobOrNull(r.Body), orNull(now))
	return err
}
