package redact

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math"
	"slices"
	"sync"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// tenants hands out one digester a tenant. A tenant's key is
// HMAC-SHA-256(key, tenant), so equal values of two tenants have unequal tokens.
type tenants struct {
	key   []byte
	mu    sync.Mutex
	known map[string]*digester
}

// maxTenants bounds the digesters that are kept; more tenants than that cost a
// key derivation a resource, nothing else.
const maxTenants = 1024

func (t *tenants) of(tenant string) *digester {
	t.mu.Lock()
	defer t.mu.Unlock()
	if d := t.known[tenant]; d != nil {
		return d
	}
	mac := hmac.New(sha256.New, t.key)
	mac.Write([]byte(tenant))
	d := &digester{subkey: mac.Sum(nil)}
	if len(t.known) < maxTenants {
		t.known[string([]byte(tenant))] = d
	}
	return d
}

// digester makes digests under one tenant's key. It is safe for concurrent use.
type digester struct {
	subkey []byte
	idle   sync.Pool // *digest
}

func (d *digester) get() *digest {
	if v, ok := d.idle.Get().(*digest); ok {
		return v
	}
	return &digest{mac: hmac.New(sha256.New, d.subkey)}
}

func (d *digester) put(v *digest) { d.idle.Put(v) }

// digest is one running digest with its buffers.
type digest struct {
	mac hash.Hash
	buf [512]byte
	sum [sha256.Size]byte
}

// canonicalPrefix keeps the digest of a structured value apart from that of
// every text that people write.
const canonicalPrefix = "\x00otelcol-agent/canonical/1\x00"

func (d *digest) text(s string) [tokenHex]byte {
	d.mac.Reset()
	d.write(s)
	return d.hex()
}

func (d *digest) write(s string) {
	for len(s) > 0 {
		n := copy(d.buf[:], s)
		d.mac.Write(d.buf[:n])
		s = s[n:]
	}
}

func (d *digest) hex() (out [tokenHex]byte) {
	hex.Encode(out[:], d.mac.Sum(d.sum[:0])[:tokenHex/2])
	return out
}

// value digests a structured value: type tag, then length-prefixed parts, map
// entries sorted by key. It does not descend below depth; what is deeper counts
// as equal.
func (d *digest) value(v pcommon.Value, depth int) [tokenHex]byte {
	d.mac.Reset()
	d.write(canonicalPrefix)
	d.canonical(v, depth)
	return d.hex()
}

func (d *digest) canonical(v pcommon.Value, depth int) {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		d.part('s', v.Str())
	case pcommon.ValueTypeBool:
		d.number('b', bit(v.Bool()))
	case pcommon.ValueTypeInt:
		d.number('i', uint64(v.Int()))
	case pcommon.ValueTypeDouble:
		d.number('d', math.Float64bits(v.Double()))
	case pcommon.ValueTypeBytes:
		d.part('y', string(v.Bytes().AsRaw()))
	case pcommon.ValueTypeSlice:
		d.number('l', uint64(v.Slice().Len()))
		if depth == 0 {
			return
		}
		for _, item := range v.Slice().All() {
			d.canonical(item, depth-1)
		}
	case pcommon.ValueTypeMap:
		d.number('m', uint64(v.Map().Len()))
		if depth == 0 {
			return
		}
		d.entries(v.Map(), depth-1)
	default:
		d.number('n', 0)
	}
}

func (d *digest) entries(m pcommon.Map, depth int) {
	type entry struct {
		key string
		val pcommon.Value
	}
	entries := make([]entry, 0, m.Len())
	for k, v := range m.All() {
		entries = append(entries, entry{k, v})
	}
	slices.SortStableFunc(entries, func(a, b entry) int {
		switch {
		case a.key < b.key:
			return -1
		case a.key > b.key:
			return 1
		}
		return 0
	})
	for _, e := range entries {
		d.part('k', e.key)
		d.canonical(e.val, depth)
	}
}

func (d *digest) part(tag byte, s string) {
	d.number(tag, uint64(len(s)))
	d.write(s)
}

func (d *digest) number(tag byte, n uint64) {
	var b [9]byte
	b[0] = tag
	binary.BigEndian.PutUint64(b[1:], n)
	d.mac.Write(b[:])
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
