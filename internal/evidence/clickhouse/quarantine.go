package clickhouse

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence/intake"
)

// quarantine keeps refused rows, each once however often it is sent.
func (c *client) quarantine(ctx context.Context, refused []intake.Refusal, now, generation int64) error {
	all := sha256.New()
	all.Write(binary.BigEndian.AppendUint64(nil, uint64(generation)))
	digests := make([][16]byte, len(refused))
	for i, r := range refused {
		sum := sha256.Sum256(append([]byte(r.Reason+"\x00"), r.Body...))
		digests[i] = [16]byte(sum[:16])
		all.Write(sum[:])
		all.Write(r.Trace)
		all.Write(r.ID)
	}
	token := hex.EncodeToString(all.Sum(nil)[:16])
	return c.insert(ctx, "quarantine", token, func(a *appender) error {
		for i, r := range refused {
			a.put(r.Tenant, r.Kind, r.Trace, r.ID, digests[i][:], r.Reason, r.Body, now, math.MaxUint64-uint64(now))
			if err := a.row(); err != nil {
				return err
			}
		}
		return nil
	})
}
