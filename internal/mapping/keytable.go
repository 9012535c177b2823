package mapping

import "math/bits"

// keyTable finds the id of a key. It answers for most foreign keys from a small
// filter, without a look at the table.
type keyTable struct {
	lengths [256]uint64 // by first byte: which lengths, modulo 64, known keys have
	filter  [filterBits / 64]uint64
	slots   []keySlot
	mask    uint32
}

type keySlot struct {
	key   string
	id    int32
	notes uint8
	wants valueType // of the snapshot's own keys
}

// What a scan has to look at beside the key's place. Most keys are plain, and
// their keyInfo is not touched.
const (
	noteJudged uint8 = 1 << iota // by a closed list, or by a rule of a snapshot
	noteNative                   // the value should have the type that the slot wants
	noteCount                    // and not be less than zero
	noteSpeaks                   // for a dialect; one bit a signal
)

const filterBits = 1 << 15

func newKeyTable(keys []keyInfo) *keyTable {
	t := &keyTable{mask: 1<<bits.Len32(uint32(2*len(keys))) - 1}
	t.slots = make([]keySlot, t.mask+1)
	for id := range keys {
		info := &keys[id]
		if info.name == "" {
			continue
		}
		t.lengths[info.name[0]] |= 1 << (len(info.name) & 63)
		h := hashKey(info.name)
		t.filter[h%filterBits/64] |= 1 << (h % 64)
		i := h >> 15 & t.mask
		for t.slots[i].key != "" {
			i = (i + 1) & t.mask
		}
		t.slots[i] = keySlot{key: info.name, id: int32(id), notes: info.notes()}
		if info.native != nil {
			t.slots[i].wants = info.native.typ
		}
	}
	return t
}

func (k *keyInfo) notes() (notes uint8) {
	if k.closed != nil || k.rule != nil && k.rule.mayNeed() {
		notes |= noteJudged
	}
	if k.native != nil && k.native.typ != typeAny {
		notes |= noteNative
		if k.native.count {
			notes |= noteCount
		}
	}
	for sig := range signals {
		if k.marker[sig] != 0 || k.owned[sig] != 0 || k.anchors[sig] != nil {
			notes |= noteSpeaks << sig
		}
	}
	return notes
}

// mayHave is a look that costs next to nothing; the key must not be empty.
func (t *keyTable) mayHave(key string) bool { return t.lengths[key[0]]>>(len(key)&63)&1 != 0 }

// find is nil for a key that nobody knows.
func (t *keyTable) find(key string) *keySlot {
	h := hashKey(key)
	if t.filter[h%filterBits/64]&(1<<(h%64)) == 0 {
		return nil
	}
	for i := h >> 15 & t.mask; ; i = (i + 1) & t.mask {
		switch slot := &t.slots[i]; slot.key {
		case "":
			return nil
		case key:
			return slot
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
