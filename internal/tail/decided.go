package tail

// decided remembers what became of runs, in memory that is fixed at the start:
// 16 bytes a key in buckets of eight, in which the oldest makes room. A key is
// known by 64 bits of a cryptographic hash; at a million keys, one unknown key
// in about 10^12 is taken for a known one.
type decided struct {
	slots []slot
	seq   uint32
	kept  []Decision // ring; drops need no more than their slot
	total uint32     // decisions ever put into kept
}

type slot struct {
	hash uint64
	at   uint32
	what uint32 // 0 free, 1 dropped, else 2 + number of the decision in kept
}

// DecidedBytes is what a key of a decided run takes.
const DecidedBytes = 16

const (
	ways     = 8
	keptFrom = 2
)

// newDecided rounds capacity up to a power of two of at least one bucket.
func newDecided(capacity int) *decided {
	n := ways
	for n < capacity {
		n *= 2
	}
	return &decided{slots: make([]slot, n)}
}

func (d *decided) ring() uint32 { return uint32(max(len(d.slots)/16, ways)) }

func (d *decided) bucket(hash uint64) []slot {
	i := (hash >> 3) % uint64(len(d.slots)/ways) * ways
	return d.slots[i : i+ways]
}

// remember notes one decision for all keys of a run.
func (d *decided) remember(keys []Key, dec Decision) {
	what := uint32(1)
	if dec.Keep {
		what = keptFrom + d.total
		if r := d.ring(); uint32(len(d.kept)) < r {
			d.kept = append(d.kept, dec)
		} else {
			d.kept[d.total%r] = dec
		}
		d.total++
		if d.total >= 1<<32-1-keptFrom { // start over: everything is forgotten once in 4 billion
			*d = *newDecided(len(d.slots))
			return
		}
	}
	d.seq++
	for _, k := range keys {
		h := k.hash64()
		b := d.bucket(h)
		at := 0
		for i := range b {
			if b[i].what != 0 && b[i].hash == h {
				at = i
				break
			}
			if age(b[i], d.seq) > age(b[at], d.seq) {
				at = i
			}
		}
		b[at] = slot{hash: h, at: d.seq, what: what}
	}
}

func age(s slot, seq uint32) uint32 {
	if s.what == 0 {
		return 1<<32 - 1
	}
	return seq - s.at
}

// lookup returns the decision of the run that had the key. Of a run that was
// kept long ago class and evidence may be forgotten before the fact.
func (d *decided) lookup(k Key) (Decision, bool) {
	h := k.hash64()
	for _, s := range d.bucket(h) {
		if s.what == 0 || s.hash != h {
			continue
		}
		if s.what < keptFrom {
			return Decision{Rule: RulePrior}, true
		}
		n := s.what - keptFrom
		if d.total-n <= uint32(len(d.kept)) {
			return d.kept[n%d.ring()], true
		}
		return Decision{Keep: true, Rule: RulePrior}, true
	}
	return Decision{}, false
}

// RulePrior is the rule of late spans whose run's own rule is forgotten.
const RulePrior = "earlier decision"
