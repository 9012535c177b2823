package synth

import (
	"encoding/binary"
	"math/bits"
)

// facts are attributes in the order of their keys, one a key, encoded: thousands of
// turns are open at once, and what they know is little but short numbers and words.
// Each attribute is
//
//	key, kind and whether inferred   uvarint
//	time less that of the one before varint
//	value                            uvarint of the number's bits, reversed for a double,
//	                                 or the text after its length as uvarint
//
// A double's low bits are mostly zero, so its bits are written the other way round.
type facts string

// reader goes through facts; after next the attribute is its own.
type reader struct {
	attr
	rest facts
}

func (f facts) read() reader { return reader{rest: f} }

func (r *reader) next() bool {
	if r.rest == "" {
		return false
	}
	head := r.uvarint()
	r.key, r.kind, r.inferred = uint16(head>>4), valueKind(head>>1&7), head&1 == 1
	step := r.uvarint()
	r.time += int64(step>>1) ^ -int64(step&1)
	r.num, r.str = 0, ""
	switch n := r.uvarint(); r.kind {
	case kindString, kindStrings:
		r.str, r.rest = string(r.rest[:n]), r.rest[n:]
	case kindDouble:
		r.num = bits.Reverse64(n)
	default:
		r.num = n
	}
	return true
}

func (r *reader) uvarint() (n uint64) {
	for i := 0; ; i++ {
		b := r.rest[i]
		n |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			r.rest = r.rest[i+1:]
			return n
		}
	}
}

// add appends an attribute that comes after one of the given time.
func (a *attr) add(buf []byte, before int64) []byte {
	buf = binary.AppendUvarint(buf, uint64(a.key)<<4|uint64(a.kind)<<1|uint64(boolByte(a.inferred)))
	buf = binary.AppendVarint(buf, a.time-before)
	switch a.kind {
	case kindString, kindStrings:
		return append(binary.AppendUvarint(buf, uint64(len(a.str))), a.str...)
	case kindDouble:
		return binary.AppendUvarint(buf, bits.Reverse64(a.num))
	}
	return binary.AppendUvarint(buf, a.num)
}

// find returns the attribute with a key.
func (f facts) find(key uint16) (a attr, ok bool) {
	for r := f.read(); r.next() && r.key <= key; {
		if r.key == key {
			return r.attr, true
		}
	}
	return attr{}, false
}

func (f facts) has(key uint16) bool {
	_, ok := f.find(key)
	return ok
}

// str returns a text, or "".
func (f facts) str(key uint16) string {
	if a, ok := f.find(key); ok && a.kind == kindString {
		return a.str
	}
	return ""
}

// unite takes in those attributes of a sorted list whose keys may be: of two values
// of a key the one that beats the other stays.
func (f facts) unite(list []attr, may []bool, scratch *[]byte) facts {
	buf, last := (*scratch)[:0], int64(0)
	put := func(a *attr) {
		buf, last = a.add(buf, last), a.time
	}
	r := f.read()
	more := r.next()
	for i := range list {
		x := &list[i]
		if !may[x.key] {
			continue
		}
		for ; more && r.key < x.key; more = r.next() {
			put(&r.attr)
		}
		if !more || r.key != x.key || x.beats(&r.attr) {
			put(x)
		} else {
			put(&r.attr)
		}
		if more && r.key == x.key {
			more = r.next()
		}
	}
	if more {
		put(&r.attr)
		buf = append(buf, r.rest...)
	}
	*scratch = buf
	if string(buf) == string(f) {
		return f
	}
	return facts(buf)
}
