package codec

import (
	"encoding/binary"
	"slices"
)

// Keys appends the keys of m to buf[:0] in byte order, for maps that are encoded
// more than once.
func Keys(buf []string, m map[string]any) []string {
	buf = buf[:0]
	for k := range m {
		buf = append(buf, k)
	}
	slices.Sort(buf)
	return buf
}

// AttrsInOrder is Attrs for a map whose keys, all of them, are known in byte
// order.
func (e *Encoder) AttrsInOrder(b []byte, m map[string]any, keys []string, skip func(key string) bool) ([]byte, error) {
	n := len(keys)
	if skip != nil {
		for _, k := range keys {
			if skip(k) {
				n--
			}
		}
	}
	b = binary.AppendUvarint(b, uint64(n))
	for _, k := range keys {
		if skip != nil && skip(k) {
			continue
		}
		var err error
		if b, err = e.valueAt(e.key(b, k), k, m[k], 1); err != nil {
			return b, err
		}
	}
	return b, nil
}
