package synth

import (
	"crypto/sha256"
	"encoding/binary"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// digest hashes its parts, each after its length, so that no two lists of
// parts have the same bytes.
func digest(parts ...string) [sha256.Size]byte {
	var stack [256]byte
	buf := stack[:0]
	for _, p := range parts {
		buf = binary.BigEndian.AppendUint32(buf, uint32(len(p)))
		buf = append(buf, p...)
	}
	return sha256.Sum256(buf)
}

// turnKey names a turn. Records with a trace of their own are kept apart from
// those without: where a record goes may not depend on what came before it.
type turnKey struct {
	trace pcommon.TraceID
	group [8]byte // zero for a derived trace
}

// keyOf returns the turn of an event: its own trace if it has one, else the
// derived trace, the first 16 bytes over (tenant, dialect, session, turn).
func keyOf(e *event) (key turnKey, derived pcommon.TraceID) {
	sum := digest(e.tenant, e.dialect, e.session, e.turn)
	derived = pcommon.TraceID(sum[:16])
	derived[15] |= boolByte(derived.IsEmpty())
	if !e.trace.IsEmpty() {
		return turnKey{trace: e.trace, group: [8]byte(sum[:8])}, derived
	}
	return turnKey{trace: derived}, derived
}

// Kinds that are part of a span id.
const (
	idTurn      = "turn"
	idInference = "inference"
	idTool      = "tool"
	idAgent     = "agent"
	idNote      = "note"
)

// spanID is the first 8 bytes over (trace identity, kind, call).
func spanID(identity, kind, call string) pcommon.SpanID {
	sum := digest(identity, kind, call)
	id := pcommon.SpanID(sum[:8])
	id[7] |= boolByte(id.IsEmpty())
	return id
}

// identity is what makes a trace one of its tenant. A derived trace id has the
// tenant in it already.
func (k turnKey) identity(tenant string) string {
	if k.group == [8]byte{} {
		return string(k.trace[:])
	}
	sum := digest(tenant, string(k.trace[:]))
	return string(sum[:16])
}

// rootCall tells the turns of one real trace apart.
func (k turnKey) rootCall() string {
	if k.group == [8]byte{} {
		return ""
	}
	return string(k.group[:])
}

func boolByte(b bool) byte {
	if b {
		return 1
	}
	return 0
}
