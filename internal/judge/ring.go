package judge

import (
	"crypto/sha256"
	"time"
)

// key names something inside a tenant: the first 16 bytes of a SHA-256, so that
// nobody can make two ids meet.
type key [16]byte

// kinds of keys.
const (
	ofResponse = "response"
	ofArtifact = "artifact"
	ofTask     = "task"
	ofSubject  = "subject"
)

func keyOf(kind, tenant string, parts ...string) key {
	var room [256]byte
	b := appendPart(appendPart(room[:0], kind), tenant)
	for _, p := range parts {
		b = appendPart(b, p)
	}
	sum := sha256.Sum256(b)
	return key(sum[:16])
}

// ring remembers up to a number of keys, each for a while. The oldest makes room.
type ring[T any] struct {
	at    map[key]int32
	slots []slot[T]
	next  int
	max   int
}

type slot[T any] struct {
	key   key
	since uint32 // Unix seconds
	used  bool
	value T
}

func newRing[T any](most int) *ring[T] { return &ring[T]{at: map[key]int32{}, max: max(most, 1)} }

// get returns what is remembered of a key since a time.
func (r *ring[T]) get(k key, since time.Time) (T, bool) {
	if i, ok := r.at[k]; ok && int64(r.slots[i].since) >= since.Unix() {
		return r.slots[i].value, true
	}
	var none T
	return none, false
}

// put remembers a value; a key that is there keeps its place.
func (r *ring[T]) put(k key, value T, now time.Time) {
	if i, ok := r.at[k]; ok {
		r.slots[i].value, r.slots[i].since = value, uint32(now.Unix())
		return
	}
	if len(r.slots) < r.max {
		r.slots = append(r.slots, slot[T]{})
	}
	s := &r.slots[r.next]
	if s.used {
		delete(r.at, s.key)
	}
	*s = slot[T]{key: k, since: uint32(now.Unix()), used: true, value: value}
	r.at[k] = int32(r.next)
	r.next = (r.next + 1) % r.max
}

func (r *ring[T]) len() int { return len(r.at) }
