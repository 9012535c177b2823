package mapping

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"sync"
)

// Memory is what records told for later ones, of all tables that share it. It is
// bounded: in each of its shards the oldest goes first.
type Memory struct {
	mu     sync.Mutex
	shards [MemoryShards]memoryShard
}

// MemoryShards is the number of parts that a caller keeps by themselves.
const MemoryShards = 64

const (
	maxTold      = 256 // records of a shard that told something
	maxToldBytes = 256 // of one value; a longer one is no id
	maxChoices   = 32  // elements of a list
)

type memoryShard struct {
	told    map[string]map[string]string
	order   []string
	changed bool
}

// NewMemory returns an empty memory.
func NewMemory() *Memory { return &Memory{} }

// digestKey shortens a key; its first byte chooses the shard.
func digestKey(key string) (short string, shard int) {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:12]), int(sum[0]) % MemoryShards
}

func (m *Memory) tell(key string, values map[string]string) {
	key, n := digestKey(key)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.shards[n].put(key, values)
	m.shards[n].changed = true
}

func (s *memoryShard) put(key string, values map[string]string) {
	if s.told == nil {
		s.told = map[string]map[string]string{}
	}
	if _, known := s.told[key]; !known {
		if s.order = append(s.order, key); len(s.order) > maxTold {
			delete(s.told, s.order[0])
			s.order = s.order[1:]
		}
	}
	s.told[key] = values
}

func (m *Memory) ask(key, name string) string {
	key, n := digestKey(key)
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.shards[n].told[key][name]
}

// told is a record as a shard is kept: in the order in which they came.
type told struct {
	Key    string
	Values map[string]string
}

// Changed gives the shards that changed since the last call, by number.
func (m *Memory) Changed() map[int][]byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out map[int][]byte
	for n := range m.shards {
		s := &m.shards[n]
		if !s.changed {
			continue
		}
		s.changed = false
		list := make([]told, 0, len(s.order))
		for _, key := range s.order {
			list = append(list, told{key, s.told[key]})
		}
		if out == nil {
			out = map[int][]byte{}
		}
		out[n], _ = json.Marshal(list) // its types cannot fail
	}
	return out
}

// Restore takes over a shard that was kept. One that cannot be read is as good as
// none: lines that ask then get no answer.
func (m *Memory) Restore(n int, kept []byte) {
	var list []told
	if n < 0 || n >= MemoryShards || json.Unmarshal(kept, &list) != nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, t := range list[max(0, len(list)-maxTold):] {
		m.shards[n].put(t.Key, t.Values)
	}
}
