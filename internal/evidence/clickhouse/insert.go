package clickhouse

import (
	"context"
	"encoding/binary"
	"sync"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// sizeTimeout bounds a question that only a metric asks.
const sizeTimeout = 5 * time.Second

// inserted says which rows of a batch were not there before.
type inserted struct {
	spans   map[uint64]bool // by the hash of their names
	records map[recordName]bool
}

type spanName struct {
	tenant string
	id     evidence.StepID
}

// hash mixes a name into a number. It serves to count: should two spans of one
// batch ever meet, the count is one less.
func (n spanName) hash() uint64 {
	const odd = 0x9e3779b97f4a7c15
	h := binary.BigEndian.Uint64(n.id.Span[:])
	h = h*odd ^ binary.BigEndian.Uint64(n.id.Trace[:8])
	h = h*odd ^ binary.BigEndian.Uint64(n.id.Trace[8:])
	for i := range len(n.tenant) {
		h = h*odd ^ uint64(n.tenant[i])
	}
	return h
}

type recordName struct {
	tenant string
	id     evidence.RecordID
}

// of counts the rows of a batch that were new or changed, each once. A row that
// several batches of a group bring counts for the first that asks.
func (n *inserted) of(b *part) (res evidence.WriteResult) {
	for i := range b.spans {
		name := spanName{b.spans[i].span.Tenant, b.spans[i].span.ID}.hash()
		if n.spans[name] {
			res.Stored++
			delete(n.spans, name)
		}
	}
	for i := range b.records {
		rec := &b.records[i].Record.Record
		name := recordName{rec.Tenant, rec.ID}
		if n.records[name] {
			res.Stored++
			delete(n.records, name)
		}
	}
	return res
}

// insert writes batches into all tables as if they were one. The tables that find a row come before
// the row, so that a row that is there can be found; what breaks off is
// repeated by the next try. Rows that are there are sent again all the same:
// the server knows the batch by its token or the row by its identity, and a try
// that broke off between two tables is made whole.
//
// It returns which rows are new, also when it breaks off after that is known; a
// caller who knows that already passes it in.
func (w *Writer) insert(ctx context.Context, batches []*part, fresh *inserted) (*inserted, error) {
	if err := w.heed(ctx); err != nil {
		return fresh, err
	}
	r := newRows(batches, w.settings.now(), w.memory.generation())
	roots, err := w.resolve(ctx, r)
	if err != nil {
		return fresh, err
	}
	if fresh == nil {
		if fresh, err = w.fresh(ctx, r); err != nil {
			return nil, err
		}
	}
	leaves, err := w.leavesOf(r)
	if err != nil {
		return fresh, err
	}
	return fresh, w.insertAll(ctx, r, roots, leaves)
}

// insertAll inserts spans and records after everything else, of which their leaves
// are a part; the rest at the same time. When all is there, the leaves are signed.
func (w *Writer) insertAll(ctx context.Context, r *rows, roots []rootRow, leaves *chunk) error {
	var steps []func() error
	if leaves != nil {
		steps = append(steps, func() error { return w.log.announce(ctx, leaves) })
	}
	if sources := w.memory.newSources(r.sources); len(sources) > 0 {
		steps = append(steps, func() error {
			err := w.c.insertSources(ctx, r.token, sources)
			if err == nil {
				w.memory.addSources(sources)
			}
			return err
		})
	}
	if edges := r.keys.sorted(); len(edges) > 0 {
		steps = append(steps, func() error { return w.c.insertEdges(ctx, r.token, r.keys, edges) })
	}
	if len(roots) > 0 {
		steps = append(steps, func() error { return w.c.insertRoots(ctx, roots) })
	}
	if keys := r.keys.withRows(); len(keys) > 0 {
		steps = append(steps, func() error { return w.c.insertKeys(ctx, r.token, keys) })
	}
	for table, facts := range r.facts() {
		steps = append(steps, func() error { return w.c.insertFact(ctx, table, r.token, facts) })
	}
	if r.hasLinks() {
		steps = append(steps, func() error { return w.c.insertLinks(ctx, r) })
	}
	if err := atOnce(steps); err != nil {
		return err
	}
	steps = steps[:0]
	if len(r.records) > 0 {
		steps = append(steps, func() error { return w.c.insertEvents(ctx, r) })
	}
	if len(r.spans) > 0 {
		steps = append(steps, func() error { return w.c.insertSpans(ctx, r) })
	}
	if err := atOnce(steps); err != nil || leaves == nil {
		return err
	}
	return w.log.settle(ctx, leaves)
}

// atOnce takes all steps at the same time and returns the first error in their
// order.
func atOnce(steps []func() error) error {
	errs := make([]error, len(steps))
	var wg sync.WaitGroup
	for i, step := range steps {
		wg.Go(func() { errs[i] = step() })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *rows) hasLinks() bool {
	for _, row := range r.spans {
		if len(row.span.Links) > 0 {
			return true
		}
	}
	return false
}

// withRows are the keys that rows of the batch hang on.
func (s *keySet) withRows() []*keyRow {
	var out []*keyRow
	for _, k := range s.all {
		if k.span != noAge || k.record != noAge {
			out = append(out, k)
		}
	}
	return out
}
