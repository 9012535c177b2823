package judge

import (
	"crypto/sha256"
	"encoding/binary"
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
	if !v.id.IsZero() {
		return v.id
	}
	var room [512]byte
	b := room[:0]
	for _, p := range [...]string{"evaluate", v.Tenant, v.SubjectKind, v.SubjectID, v.Verifier, v.Version, v.Metric} {
		b = appendPart(b, p)
	}
	var digits [20]byte
	b = appendPart(b, strconv.AppendInt(digits[:0], v.Stated, 10))
	if v.Outcome == Orphan || v.Stated == 0 {
		for _, p := range [...]string{v.Context.String(), string(v.Task), v.ResponseID, v.Verdict, v.Label, v.ErrorType, number(v.Score)} {
			b = appendPart(b, p)
		}
	}
	sum := sha256.Sum256(b)
	var id evidence.StepID
	copy(id.Trace[:], sum[:16])
	copy(id.Span[:], sum[16:24])
	return id
}

func appendPart[S ~string | ~[]byte](b []byte, part S) []byte {
	b = binary.BigEndian.AppendUint64(b, uint64(len(part)))
	return append(b, part...)
}

func number(f *float64) string {
	if f == nil {
		return ""
	}
	return strconv.FormatUint(math.Float64bits(*f), 16)
}
