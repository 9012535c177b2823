package clickhouse

import (
	"context"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/intake"
)

// sizeTimeout bounds a question that only a metric asks.
const sizeTimeout = 5 * time.Second

// inserted says which rows of a batch were not there before.
type inserted struct {
	spans   map[spanName]bool
	records map[recordName]bool
}

type spanName struct {
	tenant string
	id     evidence.StepID
}

type recordName struct {
	tenant string
	id     evidence.RecordID
}

// of counts the rows of a batch that were new or changed, each once. A row that
// several batches of a group bring counts for the first that asks.
func (n *inserted) of(b *intake.Batch) (res evidence.WriteResult) {
	for i := range b.Spans {
		name := spanName{b.Spans[i].Span.Tenant, b.Spans[i].Span.ID}
		if n.spans[name] {
			res.Stored++
			delete(n.spans, name)
		}
	}
	for i := range b.Records {
		name := recordName{b.Records[i].Record.Tenant, b.Records[i].Record.ID}
		if n.records[name] {
			res.Stored++
			delete(n.records, name)
		}
	}
	return res
}

// insert writes a batch into all tables. The tables that find a row come before
// the row, so that a row that is there can be found; what breaks off is
// repeated by the next try. Rows that are there are sent again all the same:
// the server knows the batch by its token or the row by its identity, and a try
// that broke off between two tables is made whole.
func (w *Writer) insert(ctx context.Context, e *encoding, b *intake.Batch) (*inserted, error) {
	r, err := e.rows(b, w.settings.now(), w.memory.generation())
	if err != nil {
		return nil, err
	}
	roots, err := w.resolve(ctx, r)
	if err != nil {
		return nil, err
	}
	fresh, err := w.fresh(ctx, r)
	if err != nil {
		return nil, err
	}
	if sources := w.memory.newSources(r.sources); len(sources) > 0 {
		if err := w.c.insertSources(ctx, r.token, sources); err != nil {
			return nil, err
		}
		w.memory.addSources(sources)
	}
	if edges := r.keys.sorted(); len(edges) > 0 {
		if err := w.c.insertEdges(ctx, r.token, r.keys, edges); err != nil {
			return nil, err
		}
	}
	if len(roots) > 0 {
		if err := w.c.insertRoots(ctx, roots); err != nil {
			return nil, err
		}
	}
	if keys := r.keys.withRows(); len(keys) > 0 {
		if err := w.c.insertKeys(ctx, r.token, keys); err != nil {
			return nil, err
		}
	}
	if err := w.c.insertFacts(ctx, r); err != nil {
		return nil, err
	}
	if len(r.records) > 0 {
		if err := w.c.insertEvents(ctx, r); err != nil {
			return nil, err
		}
	}
	if r.hasLinks() {
		if err := w.c.insertLinks(ctx, r); err != nil {
			return nil, err
		}
	}
	if len(r.spans) > 0 {
		if err := w.c.insertSpans(ctx, r); err != nil {
			return nil, err
		}
	}
	return fresh, nil
}

func (r *rows) hasLinks() bool {
	for i := range r.spans {
		if len(r.spans[i].Span.Span.Links) > 0 {
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
