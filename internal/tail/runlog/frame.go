package runlog

import (
	"encoding/binary"
	"hash/crc32"
)

const (
	magic0, magic1 = 0xc5, 0x1e
	frameHead      = 2 + 1 + 4 + 4
	header         = "OCARUNS1"
	maxPayload     = 1 << 30
)

const (
	kindPiece  = 'p'
	kindForget = 'f'
	kindDrop   = 'd'
	kindKeep   = 'k'
	kindLimbo  = 'l'
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// begin appends the head of a frame; end fills it in when the payload is there.
func begin(b []byte, kind byte) ([]byte, int) {
	return append(b, magic0, magic1, kind, 0, 0, 0, 0, 0, 0, 0, 0), len(b)
}

func end(b []byte, at int) {
	payload := b[at+frameHead:]
	binary.LittleEndian.PutUint32(b[at+3:], uint32(len(payload)))
	binary.LittleEndian.PutUint32(b[at+7:], sum(b[at+2], payload))
}

func sum(kind byte, payload []byte) uint32 {
	return crc32.Update(crc32.Update(0, castagnoli, []byte{kind}), castagnoli, payload)
}

// parse reads the frame at the start of b.
func parse(b []byte) (kind byte, payload []byte, ok bool) {
	if len(b) < frameHead || b[0] != magic0 || b[1] != magic1 {
		return 0, nil, false
	}
	n := binary.LittleEndian.Uint32(b[3:])
	if n > maxPayload || int(n) > len(b)-frameHead {
		return 0, nil, false
	}
	payload = b[frameHead : frameHead+int(n)]
	return b[2], payload, sum(b[2], payload) == binary.LittleEndian.Uint32(b[7:])
}
