package clickhouse

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence/intake"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/ledger"
)

// quarantine keeps refused rows and logs them.
func (w *Writer) quarantine(ctx context.Context, refused []intake.Refusal) error {
	now, generation := w.settings.now(), w.memory.generation()
	if w.log == nil {
		return w.c.quarantine(ctx, refused, now, generation)
	}
	leaves := &chunk{}
	for i := range refused {
		leaf := ledger.Leaf{Kind: ledger.Refused, Age: now, Arrival: true, Instead: ledger.None}
		leaf.Content, leaf.ID = refusedRow(refused[i].Tenant, refused[i].Kind, refused[i].Trace, refused[i].ID, refused[i].Reason, refused[i].Body)
		w.log.add(leaves, &leaf)
	}
	if len(leaves.keys) == 0 {
		return w.c.quarantine(ctx, refused, now, generation)
	}
	err := w.log.announce(ctx, leaves)
	if err == nil {
		err = w.c.quarantine(ctx, refused, now, generation)
	}
	if err == nil {
		err = w.log.settle(ctx, leaves)
	}
	return err
}

// refusedRow is the digest of a refused row as the table has it.
func refusedRow(tenant, kind string, trace, id []byte, reason string, body []byte) (ledger.Digest, ledger.ID) {
	var whole [16]byte
	copy(whole[:], trace)
	return ledger.RefusedRow(tenant, kind, whole[:], id, reason, body)
}

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
