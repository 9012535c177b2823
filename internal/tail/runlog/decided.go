package runlog

import (
	"encoding/binary"
	"encoding/json"
	"sync"

	"github.com/otelcol-agent/otelcol-agent/internal/tail"
)

// decisions is the journal of what was decided. Its oldest segment goes when the
// others have as many keys as are remembered.
type decisions struct {
	journal
	remember int

	flushing sync.Mutex // the journal
	spare    []byte     // what waiting was before

	lock    sync.Mutex // what follows; never held while the disk is waited for
	waiting []byte
	keys    int // in waiting
}

// unwritten bounds what waits while the disk takes nothing; older decisions are lost then.
const unwritten = 16 << 20

func (d *decisions) add(keys []tail.Key, dec tail.Decision) {
	d.lock.Lock()
	defer d.lock.Unlock()
	if len(d.waiting) > unwritten {
		d.waiting, d.keys = nil, 0
	}
	var at int
	if dec.Keep {
		text := marshal(dec)
		d.waiting, at = begin(d.waiting, kindKeep)
		d.waiting = binary.LittleEndian.AppendUint32(d.waiting, uint32(len(text)))
		d.waiting = append(d.waiting, text...)
	} else {
		d.waiting, at = begin(d.waiting, kindDrop)
	}
	for i := range keys {
		d.waiting = append(d.waiting, keys[i][:]...)
	}
	end(d.waiting, at)
	d.keys += len(keys)
}

func (d *decisions) flush() error {
	d.flushing.Lock()
	defer d.flushing.Unlock()
	d.lock.Lock()
	taken, keys := d.waiting, d.keys
	d.waiting, d.keys = d.spare[:0], 0
	d.lock.Unlock()
	d.spare = nil
	if len(taken) > 0 {
		s, _, err := d.append(taken)
		if err != nil {
			d.lock.Lock()
			d.waiting, d.keys = append(taken, d.waiting...), d.keys+keys
			d.lock.Unlock()
			return err
		}
		s.keys += keys
	}
	if cap(taken) <= 1<<20 {
		d.spare = taken[:0]
	}
	for len(d.segments) > 1 {
		rest := 0
		for _, s := range d.segments[1:] {
			rest += s.keys
		}
		if rest < d.remember {
			break
		}
		if err := d.removeOldest(); err != nil {
			return err
		}
	}
	return d.sync()
}

func (d *decisions) open(found *Found, each func([]tail.Key, tail.Decision)) error {
	return d.recover(found, func(kind byte, b []byte, at place) error {
		dec := tail.Decision{Rule: tail.RulePrior}
		if kind == kindKeep {
			if len(b) < 4 || int(binary.LittleEndian.Uint32(b)) > len(b)-4 {
				return nil
			}
			n := 4 + int(binary.LittleEndian.Uint32(b))
			if json.Unmarshal(b[4:n], &dec) != nil {
				dec = tail.Decision{Rule: tail.RulePrior}
			}
			dec.Keep = true
			b = b[n:]
		} else if kind != kindDrop {
			return nil
		}
		keys := keysOf(b)
		at.segment.keys += len(keys)
		each(keys, dec)
		return nil
	})
}

func keysOf(b []byte) []tail.Key {
	keys := make([]tail.Key, 0, len(b)/len(tail.Key{}))
	for ; len(b) >= len(tail.Key{}); b = b[len(tail.Key{}):] {
		keys = append(keys, tail.Key(b[:len(tail.Key{})]))
	}
	return keys
}
