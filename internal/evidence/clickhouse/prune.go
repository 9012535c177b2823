package clickhouse

import (
	"context"
	"fmt"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/ledger"
)

// cut deletes rows of one table that are too old.
type cut struct {
	table  string
	before string // condition over the columns
	counts bool   // whether its rows are counted as rows of evidence
}

// cuts are what a pruning does, in its order. The server deletes the same rows
// by its own TTL sooner or later.
func cuts(evidence, records int64) []cut {
	age := func(column string, limit int64) string { return fmt.Sprintf("%s < %d", column, limit) }
	const spanAge = "if(seen_ns = 0, greatest(start_ns, start_ns + duration_ns), seen_ns)"
	const recordAge = "if(seen_ns = 0, time_ns, seen_ns)"
	out := []cut{
		{"spans", age(spanAge, evidence), true},
		{"links", age("age_ns", evidence), true},
		{"links_rev", age("age_ns", evidence), false},
		{"events", age(recordAge, records), true},
		{"quarantine", fmt.Sprintf("seen_ns > 0 AND seen_ns < %d", evidence), true},
		{"run_keys", fmt.Sprintf("latest_span_ns < %d AND latest_record_ns < %d", evidence, records), false},
	}
	for _, t := range factTables {
		out = append(out, cut{t, age("if(seen_ns = 0, time_ns, seen_ns)", max(evidence, 0)), true})
	}
	for _, t := range []string{"run_edges", "run_roots", "sources"} {
		out = append(out, cut{t, age("age_ns", min(evidence, records)), false})
	}
	return out
}

// Prune deletes spans older than evidence with their links and facts, facts of
// records likewise, and records older than records. A row whose own time cannot
// be true is as old as its arrival. It returns the number of spans, links, facts
// in rows of their own, records and refused rows deleted. A pruning that deletes something is noted
// in the table prunings.
func (w *Writer) Prune(ctx context.Context, evidence, records time.Time) (int64, error) {
	if err := w.ensure(ctx); err != nil {
		return 0, told(w.c.place, err)
	}
	w.mu.RLock()
	closed := w.closed
	w.mu.RUnlock()
	if closed {
		return 0, ErrClosed
	}
	deleted, err := w.prune(ctx, evidence, records)
	return deleted, told(w.c.place, err)
}

func (w *Writer) prune(ctx context.Context, evidence, records time.Time) (deleted int64, err error) {
	if w.log != nil {
		err = w.log.shared(ctx)
	} else {
		err = w.unlogged(ctx) // others may keep one by now
	}
	if err != nil {
		return 0, err
	}
	var rows int64
	var old []cut
	for _, cut := range cuts(evidence.UnixNano(), records.UnixNano()) {
		n, err := w.count(ctx, cut)
		if err != nil {
			return 0, err
		}
		if n == 0 {
			continue
		}
		old = append(old, cut)
		rows += n
		if cut.counts {
			deleted += n
		}
	}
	if rows == 0 {
		// Another collector may have pruned.
		return 0, w.countPrunings(ctx)
	}
	// What is gone is explained even if the pruning does not come to its end.
	if w.log != nil {
		err = w.log.record(ctx, ledger.Entry{What: ledger.Retention, Old: &ledger.Retained{Evidence: evidence.UTC(), Records: records.UTC()}})
	}
	for _, cut := range old {
		if err != nil {
			return 0, err
		}
		err = w.c.exec(ctx, "DELETE FROM "+w.c.layout.stored(cut.table)+w.c.layout.onCluster()+" WHERE "+cut.before)
	}
	if err != nil {
		return 0, err
	}
	err = w.c.exec(ctx, fmt.Sprintf("INSERT INTO %s SELECT %d, %d, %d, %d",
		w.c.layout.spread("prunings"), evidence.UnixNano(), records.UnixNano(), rows, w.settings.now()))
	if err == nil {
		err = w.countPrunings(ctx)
	}
	return deleted, err
}

// count asks how many rows a cut takes: to ask costs little, to delete where
// nothing is to be deleted makes the server look at every part.
func (w *Writer) count(ctx context.Context, c cut) (int64, error) {
	var n uint64
	err := w.c.one(ctx, "SELECT count() FROM "+w.c.layout.spread(c.table)+" WHERE "+c.before, &n)
	return int64(n), err
}

var _ evidence.PrunePreviewer = (*Writer)(nil)

// Prunable counts the statements, records and refused rows that Prune would take.
func (w *Writer) Prunable(ctx context.Context, evidence, records time.Time) (n int64, err error) {
	if err := w.ensure(ctx); err != nil {
		return 0, told(w.c.place, err)
	}
	for _, cut := range cuts(evidence.UnixNano(), records.UnixNano()) {
		if cut.table != "spans" && cut.table != "events" && cut.table != "quarantine" {
			continue
		}
		rows, err := w.count(ctx, cut)
		if err != nil {
			return 0, told(w.c.place, err)
		}
		n += rows
	}
	return n, nil
}
