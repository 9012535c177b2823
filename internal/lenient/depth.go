package lenient

import (
	"encoding/binary"
	"errors"
	"strconv"
)

// CheckNesting refuses a request in protobuf in which more than maxNesting messages
// are open at one time; a decoder that calls itself for each of them runs out of
// stack at some depth, and takes the process with it. What is not protobuf is not
// its business. A message is looked into only if it is long enough to be too deep,
// at two bytes a level, so the usual ones cost nothing.
func CheckNesting(signal Signal, body []byte, maxNesting int) error {
	if tooDeep(roots[signal], body, maxNesting) {
		return errors.New("must not nest messages deeper than " + strconv.Itoa(maxNesting) + " levels")
	}
	return nil
}

// Wire types of protobuf.
const (
	varint  = 0
	fixed64 = 1
	counted = 2
	fixed32 = 5
)

// tooDeep reports whether a message has more levels than are left, itself included.
func tooDeep(m *message, buf []byte, left int) bool {
	if left < 1 {
		return true
	}
	for len(buf) > 2*(left-1) {
		tag, n := binary.Uvarint(buf)
		if n <= 0 {
			return false
		}
		buf = buf[n:]
		size := uint64(0)
		switch tag & 7 {
		case varint:
			if _, n = binary.Uvarint(buf); n <= 0 {
				return false
			}
			size = uint64(n)
		case fixed64:
			size = 8
		case fixed32:
			size = 4
		case counted:
			if size, n = binary.Uvarint(buf); n <= 0 {
				return false
			}
			buf = buf[n:]
		default:
			return false
		}
		if size > uint64(len(buf)) {
			return false
		}
		if number := tag >> 3; tag&7 == counted && number < uint64(len(m.byNumber)) {
			if inner := m.byNumber[number]; inner != nil && tooDeep(inner, buf[:size], left-1) {
				return true
			}
		}
		buf = buf[size:]
	}
	return false
}
