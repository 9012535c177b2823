package redact

import (
	"hash/maphash"
	"strings"
)

// recent remembers short texts that were read and stayed: models, operations,
// regions and other words repeat from span to span. A text is copied only when it
// comes a second time, so ids, which do not, cost a hash.
type recent struct {
	seed maphash.Seed
	slot [recentSlots]struct {
		hash uint64
		text string // "" if it came once so far
	}
}

const (
	recentSlots = 512 // a power of two
	maxRecent   = 64
)

func newRecent() *recent { return &recent{seed: maphash.MakeSeed()} }

// has reports whether the text was noted; if not, hash is for note.
func (r *recent) has(s string) (hash uint64, ok bool) {
	if len(s) > maxRecent || s == "" {
		return 0, false
	}
	hash = maphash.String(r.seed, s) | 1
	slot := &r.slot[hash>>1%recentSlots]
	return hash, slot.hash == hash && slot.text == s
}

// note remembers a text that stayed.
func (r *recent) note(hash uint64, s string) {
	if hash == 0 {
		return
	}
	slot := &r.slot[hash>>1%recentSlots]
	if slot.hash != hash {
		slot.hash, slot.text = hash, ""
		return
	}
	slot.text = strings.Clone(s) // the batch owns its bytes
}
