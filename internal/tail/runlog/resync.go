package runlog

import (
	"encoding/binary"
	"hash/crc32"
)

// resync finds frames behind damage. A sender can fill its spans with what looks like
// the heads of long frames; so the checksum of any range comes from those of two
// prefixes, and looking at a head costs the same whatever length it states.
type resync struct {
	data     []byte
	prefixes []uint32 // of data up to every multiple of stride
}

const stride = 256

func newResync(data []byte) *resync {
	r := &resync{data: data, prefixes: make([]uint32, 0, len(data)/stride+1)}
	crc := uint32(0)
	for at := 0; at <= len(data); at += stride {
		r.prefixes = append(r.prefixes, crc)
		crc = crc32.Update(crc, castagnoli, data[at:min(at+stride, len(data))])
	}
	return r
}

func (r *resync) prefix(n int) uint32 {
	from := n / stride
	return crc32.Update(r.prefixes[from], castagnoli, r.data[from*stride:n])
}

// next is the place of the first frame after a place, or the end of the data.
func (r *resync) next(after int) int {
	for i := after + 1; i+frameHead <= len(r.data); i++ {
		if r.data[i] == magic0 && r.data[i+1] == magic1 && r.frame(i) {
			return i
		}
	}
	return len(r.data)
}

// frame reports whether there is a frame at a place.
func (r *resync) frame(at int) bool {
	b := r.data[at:]
	n := binary.LittleEndian.Uint32(b[3:])
	if !known(b[2]) || n > maxPayload || int(n) > len(b)-frameHead {
		return false
	}
	payload := at + frameHead
	before := r.prefix(payload) ^ crc32.Checksum(b[2:3], castagnoli)
	return r.prefix(payload+int(n))^shifted(before, n) == binary.LittleEndian.Uint32(b[7:])
}

func known(kind byte) bool {
	switch kind {
	case kindPiece, kindForget, kindDrop, kindKeep, kindLimbo:
		return true
	}
	return false
}

// shifted is a checksum after n more bytes, as far as it comes from those before them:
// its polynomial times x^8n, modulo that of the checksum. The highest bit is x^0.
func shifted(crc, n uint32) uint32 {
	for k := range powers {
		if n>>k&1 != 0 {
			crc = times(crc, powers[k])
		}
	}
	return crc
}

// powers are x^(8 x 2^k).
var powers = func() (p [32]uint32) {
	p[0] = 1 << (31 - 8)
	for k := 1; k < len(p); k++ {
		p[k] = times(p[k-1], p[k-1])
	}
	return p
}()

// times multiplies two polynomials modulo that of the checksum.
func times(a, b uint32) (product uint32) {
	for ; a != 0; a <<= 1 {
		if a>>31 != 0 {
			product ^= b
		}
		b = b>>1 ^ b&1*crc32.Castagnoli
	}
	return product
}
