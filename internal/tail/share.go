package tail

import "encoding/binary"

// inShare reports whether a run is in a share of all runs, from 0 to 1. The
// threshold is on 56 bits, as in OpenTelemetry's consistent sampling; the bits
// come from the run and not from a trace, so that all its traces agree.
func inShare(tenant, identity string, share float64) bool {
	const space = 1 << 56
	k := key(kindRun, tenant, identity)
	randomness := binary.BigEndian.Uint64(k[:8]) >> 8
	return float64(randomness) >= (1-share)*space
}
