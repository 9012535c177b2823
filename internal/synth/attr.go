package synth

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// attr is one attribute.
type attr struct {
	key      uint16 // place in the key table
	kind     valueKind
	inferred bool  // the mapper says the value was not stated
	time     int64 // of the record it came from, Unix nanoseconds
	num      uint64
	str      string
}

type valueKind uint8

const (
	kindString valueKind = iota + 1
	kindInt
	kindDouble
	kindBool
	kindStrings // packed: each item after its length
)

// set reads a value. It answers false for kinds that no copied key has.
func (a *attr) set(v pcommon.Value) bool {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		a.kind, a.str = kindString, v.Str()
		return a.str != "" // empty is absent
	case pcommon.ValueTypeInt:
		a.kind, a.num = kindInt, uint64(v.Int())
	case pcommon.ValueTypeDouble:
		a.kind, a.num = kindDouble, math.Float64bits(v.Double())
		return !math.IsNaN(v.Double())
	case pcommon.ValueTypeBool:
		a.kind, a.num = kindBool, uint64(boolByte(v.Bool()))
	case pcommon.ValueTypeSlice:
		return a.setStrings(v.Slice())
	default:
		return false
	}
	return true
}

func (a *attr) setStrings(list pcommon.Slice) bool {
	var buf []byte
	for i := range list.Len() {
		item := list.At(i)
		if item.Type() != pcommon.ValueTypeStr {
			return false
		}
		buf = binary.AppendUvarint(buf, uint64(len(item.Str())))
		buf = append(buf, item.Str()...)
	}
	a.kind, a.str = kindStrings, string(buf)
	return list.Len() > 0
}

// put writes the value under a key.
func (a *attr) put(m pcommon.Map, key string) {
	switch a.kind {
	case kindString:
		m.PutStr(key, a.str)
	case kindInt:
		m.PutInt(key, int64(a.num))
	case kindDouble:
		m.PutDouble(key, math.Float64frombits(a.num))
	case kindBool:
		m.PutBool(key, a.num == 1)
	case kindStrings:
		list := m.PutEmptySlice(key)
		for s := range unpack(a.str) {
			list.AppendEmpty().SetStr(s)
		}
	}
}

func unpack(packed string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for packed != "" {
			n, used := binary.Uvarint([]byte(packed[:min(len(packed), binary.MaxVarintLen64)]))
			if used <= 0 || uint64(len(packed)-used) < n {
				return
			}
			if !yield(packed[used : used+int(n)]) {
				return
			}
			packed = packed[used+int(n):]
		}
	}
}

// beats orders two values of one key. It is a strict total order on unequal
// values, so that the winner does not depend on which came first.
func (a *attr) beats(b *attr) bool {
	if a.inferred != b.inferred {
		return !a.inferred
	}
	// An answer is later than its question, also where both have one time.
	if asks := a.str == semconv.AppPermissionDecisionAsk; a.time == b.time && asks != (b.str == semconv.AppPermissionDecisionAsk) && a.key == places().decision {
		return !asks
	}
	return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.kind, b.kind),
		cmp.Compare(a.num, b.num), strings.Compare(a.str, b.str)) > 0
}

// find returns the attribute with a key from a sorted list.
func find(list []attr, key uint16) *attr {
	i, ok := slices.BinarySearchFunc(list, key, func(a attr, k uint16) int { return cmp.Compare(a.key, k) })
	if !ok {
		return nil
	}
	return &list[i]
}

// keySet is a set of places in the key table.
type keySet [4]uint64

const maxKeys = len(keySet{}) * 64

func (s *keySet) add(key uint16)      { s[key/64] |= 1 << (key % 64) }
func (s *keySet) has(key uint16) bool { return s[key/64]&(1<<(key%64)) != 0 }
