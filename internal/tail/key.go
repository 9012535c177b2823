package tail

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// Key is 128 bits of SHA-256 over the length-prefixed tenant and an id. It is
// cryptographic because a sender could otherwise join its run to another
// tenant's by a chosen collision.
type Key [16]byte

const (
	kindTrace = 't'
	kindTask  = 'k'
	kindRun   = 'r'
	kindPart  = 'p'
)

func traceKey(tenant string, id evidence.TraceID) Key { return key(kindTrace, tenant, string(id[:])) }

func taskKey(tenant, id string) Key { return key(kindTask, tenant, id) }

func key(kind byte, tenant, id string) Key {
	buf := make([]byte, 0, 128)
	buf = append(buf, kind)
	buf = binary.BigEndian.AppendUint32(buf, uint32(len(tenant)))
	buf = append(buf, tenant...)
	buf = append(buf, id...)
	sum := sha256.Sum256(buf)
	return Key(sum[:16])
}

// hash64 is the part of the key that decided runs are remembered by.
func (k Key) hash64() uint64 { return binary.LittleEndian.Uint64(k[:8]) }
