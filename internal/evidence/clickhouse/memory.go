package clickhouse

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// memory is what a writer remembers of the store between batches. It only ever
// saves work: forgetting it does no harm.
type memory struct {
	mu       sync.Mutex
	sources  map[uint64]int64 // age up to which the store has the source
	prunings int64
	heeded   bool // the prunings were counted within heedEvery
}

// maxSources bounds the sources that are remembered.
const maxSources = 4096

const day = int64(24 * 3600 * 1e9)

// newSources are those that the store may not have, or not young enough: a
// source must live as long as the youngest row that uses it.
func (m *memory) newSources(sources []*sourceRow) (out []*sourceRow) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range sources {
		if upTo, ok := m.sources[s.id]; !ok || upTo < s.age {
			// To the end of the day, so that it is sent once a day and no more.
			s.age = max(s.age-s.age%day+day-1, 0)
			out = append(out, s)
		}
	}
	return out
}

func (m *memory) addSources(sources []*sourceRow) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.sources == nil || len(m.sources) > maxSources {
		m.sources = map[uint64]int64{}
	}
	for _, s := range sources {
		m.sources[s.id] = s.age
	}
}

// generation counts the prunings and erasures. It is part of every token: a batch
// that is sent again after its rows were deleted is not the batch the server knows.
func (m *memory) generation() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.prunings
}

// heeds reports whether it is time to count the prunings again.
func (m *memory) heeds() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.heeded {
		return false
	}
	m.heeded = true
	time.AfterFunc(heedEvery, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.heeded = false
	})
	return true
}

// pruned forgets what the store may have deleted, and reports whether it may.
func (m *memory) pruned(prunings int64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.prunings == prunings {
		return false
	}
	m.prunings, m.sources = prunings, nil
	return true
}

// countPrunings asks how often rows were deleted, by whichever collector.
func (w *Writer) countPrunings(ctx context.Context) error {
	var n uint64
	query := fmt.Sprintf("SELECT (SELECT count() FROM %s) + (SELECT count() FROM %s)", w.c.layout.spread("prunings"), w.c.layout.spread("erasures"))
	err := w.c.each(ctx, query, func(scan func(...any) error) error { return scan(&n) })
	if err == nil && w.memory.pruned(int64(n)) && w.log != nil {
		w.log.settled.forget()
	}
	return err
}
