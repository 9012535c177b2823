package mapping

import "math/bits"

// keyTable finds the id of a key. It answers for most foreign keys from a small
// filter, without a look at the table.
type keyTable struct {
	filter [filterBits / 64]uint64
	slots  []keySlot
	mask   uint32
}

type keySlot struct {
	key string
	id  int32
}

const filterBits = 1 << 15

func newKeyTable(ids map[string]int32) *keyTable {
	t := &keyTable{mask: 1<<bits.Len32(uint32(2*len(ids))) - 1}
	t.slots = make([]keySlot, t.mask+1)
	for key, id := range ids {
		h := hashKey(key)
		t.filter[h%filterBits/64] |= 1 << (h % 64)
		i := h >> 15 & t.mask
		for t.slots[i].key != "" {
			i = (i + 1) & t.mask
		}
		t.slots[i] = keySlot{key, id}
	}
	return t
}

func (t *keyTable) find(key string) (int32, bool) {
	h := hashKey(key)
	if t.filter[h%filterBits/64]&(1<<(h%64)) == 0 {
		return 0, false
	}
	for i := h >> 15 & t.mask; ; i = (i + 1) & t.mask {
		switch slot := &t.slots[i]; slot.key {
		case key:
			return slot.id, key != ""
		case "":
			return 0, false
		}
	}
}

// hashKey mixes the first, the middle and the last eight bytes with the length:
// attribute keys differ there.
func hashKey(k string) uint32 {
	n := len(k)
	if n < 8 {
		h := uint64(n)
		for i := 0; i < n; i++ {
			h = h<<8 | uint64(k[i])
		}
		return uint32(h * 0x9e3779b97f4a7c15 >> 32)
	}
	h := (load64(k, 0) ^ uint64(n)) * 0x9e3779b97f4a7c15
	h = (bits.RotateLeft64(h, 23) ^ load64(k, (n-8)/2)) * 0xbf58476d1ce4e5b9
	h = (bits.RotateLeft64(h, 23) ^ load64(k, n-8)) * 0x94d049bb133111eb
	return uint32(h >> 32)
}

func load64(k string, i int) uint64 {
	_ = k[i+7]
	return uint64(k[i]) | uint64(k[i+1])<<8 | uint64(k[i+2])<<16 | uint64(k[i+3])<<24 |
		uint64(k[i+4])<<32 | uint64(k[i+5])<<40 | uint64(k[i+6])<<48 | uint64(k[i+7])<<56
}
