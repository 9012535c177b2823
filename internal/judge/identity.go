package judge

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"math"
	"strconv"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// ID is the span that the verdict becomes, alone in its trace: hashes over the
// length-prefixed tenant, subject, verifier, version, metric and stated time,
// so that a result that is sent again is the same span. A result without a
// subject or without a time has too little of these to be told from the next
// one, so what it says is added.
func (v *Verdict) ID() evidence.StepID {
	h := sha256.New()
	write(h, "evaluate", v.Tenant, v.SubjectKind, v.SubjectID, v.Verifier, v.Version, v.Metric, strconv.FormatInt(v.Stated, 10))
	if v.Outcome == Orphan || v.Stated == 0 {
		write(h, v.Context.String(), string(v.Task), v.ResponseID, v.Verdict, v.Label, v.ErrorType, number(v.Score))
	}
	var sum [sha256.Size]byte
	h.Sum(sum[:0])
	var id evidence.StepID
	copy(id.Trace[:], sum[:16])
	copy(id.Span[:], sum[16:24])
	return id
}

func write(h hash.Hash, parts ...string) {
	var n [8]byte
	for _, p := range parts {
		binary.BigEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write([]byte(p))
	}
}

func number(f *float64) string {
	if f == nil {
		return ""
	}
	return strconv.FormatUint(math.Float64bits(*f), 16)
}
