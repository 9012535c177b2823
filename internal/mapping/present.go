package mapping

// keyBits gives each key that a program asks for a bit of a word, so that one
// look at a word tells which fields and cases a record has nothing for. Beyond
// 64 keys they share bits: a bit that is missing is certain, one that is there
// is not.
type keyBits struct {
	of   []uint8 // by key id: 1 + number of the bit, 0 if nobody asks
	next uint8
}

const wordBits = 64

// bit numbers a key when it is first asked for.
func (k *keyBits) bit(key int32) uint64 {
	if k.of[key] == 0 {
		k.of[key] = 1 + k.next
		k.next = (k.next + 1) % wordBits
	}
	return 1 << (k.of[key] - 1)
}

func (k *keyBits) anyOf(keys []int32) (word uint64) {
	for _, key := range keys {
		word |= k.bit(key)
	}
	return word
}

// setBits is done when all keys are known. Fields are first: they are asked for
// every record.
func (p *program) setBits(keys int) {
	p.bits.of = make([]uint8, keys)
	blocks := []*block{&p.body}
	for _, name := range sortedKeys(p.events) {
		blocks = append(blocks, p.events[name])
	}
	for _, b := range blocks {
		b.setFieldBits(&p.bits)
	}
	for _, b := range blocks {
		b.setCaseBits(&p.bits)
	}
}

func (b *block) setFieldBits(bits *keyBits) {
	for i := range b.fields {
		b.fields[i].wants = b.fields[i].keyWord(bits)
	}
	for _, inner := range [][]block{b.cases, b.finally} {
		for i := range inner {
			inner[i].setFieldBits(bits)
		}
	}
}

// keyWord has the bits of all keys by which the field can do anything; it is 0
// for a field that may read something else.
func (f *field) keyWord(bits *keyBits) (word uint64) {
	if f.how != fieldFrom {
		return 0
	}
	for i := range f.from {
		if kind := f.from[i].kind; kind != fromAttribute && kind != fromMember {
			return 0
		}
		word |= bits.bit(f.from[i].key)
	}
	return word | bits.bit(f.id) // its own value may be to be set aside
}

func (b *block) setCaseBits(bits *keyBits) {
	b.keys = neededKeys{}
	for i := range b.when {
		switch t := &b.when[i]; {
		case t.any != nil:
			if b.keys.any == 0 {
				b.keys.any = bits.anyOf(anchorsOfAny(t.any))
			}
		case t.needsKey():
			b.keys.all |= bits.bit(t.src.key)
		}
	}
	for _, inner := range [][]block{b.cases, b.finally} {
		for i := range inner {
			inner[i].setCaseBits(bits)
		}
	}
}

// neededKeys are bits of keys that a case needs: all of some, and one of others
// unless there are none such.
type neededKeys struct{ all, any uint64 }

// needsKey reports whether the condition fails without its key.
func (t *test) needsKey() bool {
	return (t.src.kind == fromAttribute || t.src.kind == fromMember) && t.wantsValue()
}

// anchorsOfAny are keys of which one must be there for one of the lists to hold;
// nil if there are none such.
func anchorsOfAny(any [][]test) (out []int32) {
	for _, all := range any {
		found := false
		for i := range all {
			if t := &all[i]; t.any == nil && t.needsKey() {
				if found { // the last one: the first is what the index asks
					out = out[:len(out)-1]
				}
				out, found = append(out, t.src.key), true
			}
		}
		if !found {
			return nil
		}
	}
	return out
}

// notePresent notes which keys of the record the program asks for.
func (s *scratch) notePresent(p *program) {
	s.present = 0
	for _, slot := range s.seen {
		if n := p.bits.of[slot.id]; n != 0 {
			s.present |= 1 << (n - 1)
		}
	}
	if body := s.t.known.body; s.has(body) && p.bits.of[body] != 0 {
		s.present |= 1 << (p.bits.of[body] - 1)
	}
}

// mayHold is a quick look whether the record has the keys of a case.
func (s *scratch) mayHold(keys neededKeys) bool {
	return keys.all&^s.present == 0 && (keys.any == 0 || keys.any&s.present != 0)
}
