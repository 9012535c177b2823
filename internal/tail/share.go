package tail

import "encoding/binary"

// randomness is 56 bits of a hash of the run, and not of a trace, so that all its
// traces agree.
func randomness(tenant, identity string) uint64 {
	k := key(kindRun, tenant, identity)
	return binary.BigEndian.Uint64(k[:8]) >> 8
}
