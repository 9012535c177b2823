package clickhouse

import (
	"encoding/binary"
	"sync"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence/intake"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/ledger"
)

// rowKey is enough of a digest to tell rows apart.
type rowKey [16]byte

// maxSettled is how many rows are remembered to be in the log: two MiB.
const maxSettled = 1 << 17

// settledRows remembers rows that the log has, so that a batch that comes again
// adds nothing to it. It forgets: then a row has two leaves, which says no more
// than one.
type settledRows struct {
	mu    sync.Mutex
	slots []rowKey
}

func (s *settledRows) has(k rowKey) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.slots != nil && s.slots[slotOf(k)] == k
}

func (s *settledRows) add(keys []rowKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.slots == nil {
		s.slots = make([]rowKey, maxSettled)
	}
	for _, k := range keys {
		s.slots[slotOf(k)] = k
	}
}

func (s *settledRows) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.slots = nil
}

func slotOf(k rowKey) uint64 { return binary.BigEndian.Uint64(k[:]) % maxSettled }

// leavesOf makes the leaves of a batch, nil if no log is kept or it has them.
func (w *Writer) leavesOf(r *rows) (*chunk, error) {
	if w.log == nil {
		return nil, nil
	}
	n := len(r.spans) + len(r.records)
	var digest ledger.Digester
	c := &chunk{data: make([]byte, 0, 68*n), hashes: make([]ledger.Hash, 0, n), keys: make([]rowKey, 0, n)}
	for i := range r.spans {
		row := r.spans[i]
		id := &row.span.ID
		leaf := ledger.Leaf{Kind: ledger.Span, Age: row.age, Arrival: row.seen != 0, Instead: ledger.None, Content: row.content}
		copy(leaf.ID[copy(leaf.ID[:], id.Trace[:]):], id.Span[:])
		w.log.add(c, &leaf)
	}
	for i := range r.records {
		row := r.records[i]
		leaf := ledger.Leaf{Kind: ledger.Record, Age: row.age, Arrival: row.seen != 0, Instead: ledger.None}
		copy(leaf.ID[:], row.Record.Record.ID[:])
		var err error
		if leaf.Content, err = digest.Record(&row.Record.Record); err != nil {
			return nil, &intake.RowError{Reason: err.Error()}
		}
		w.log.add(c, &leaf)
	}
	if len(c.keys) == 0 {
		return nil, nil
	}
	return c, nil
}
