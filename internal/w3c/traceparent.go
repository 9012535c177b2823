package w3c

import (
	"encoding/hex"
	"strings"
)

// Trace flags.
const (
	Sampled = 0x01
	Random  = 0x02 // the trace id's last seven bytes are random
)

// Traceparent is what a traceparent header says.
type Traceparent struct {
	Version  byte
	TraceID  [16]byte
	ParentID [8]byte
	Flags    byte
}

const traceparentBytes = 55

// ParseTraceparent reads a traceparent. Of a version that is not known yet only
// the part that every version starts with is read.
func ParseTraceparent(s string) (t Traceparent, ok bool) {
	s = trim(s)
	if len(s) < traceparentBytes || s[2] != '-' || s[35] != '-' || s[52] != '-' {
		return t, false
	}
	head := s[:traceparentBytes]
	if strings.ToLower(head) != head {
		return t, false
	}
	var version, flags [1]byte
	for _, part := range []struct {
		into []byte
		text string
	}{{version[:], head[:2]}, {t.TraceID[:], head[3:35]}, {t.ParentID[:], head[36:52]}, {flags[:], head[53:]}} {
		if _, err := hex.Decode(part.into, []byte(part.text)); err != nil {
			return t, false
		}
	}
	t.Version, t.Flags = version[0], flags[0]
	longer := len(s) > traceparentBytes
	if t.Version == 0xff || longer && (t.Version == 0 || s[traceparentBytes] != '-') {
		return t, false
	}
	return t, t.TraceID != [16]byte{} && t.ParentID != [8]byte{}
}

// String writes the traceparent in version 0, which every reader knows.
func (t Traceparent) String() string {
	return "00-" + hex.EncodeToString(t.TraceID[:]) + "-" + hex.EncodeToString(t.ParentID[:]) + "-" + hex.EncodeToString([]byte{t.Flags & (Sampled | Random)})
}
