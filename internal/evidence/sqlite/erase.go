package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/ledger"
)

// eraseRows is the most rows looked at in one step.
const eraseRows = 500

var _ evidence.Eraser = (*Writer)(nil)

// Erase deletes the spans and records that mention the subject, with links and
// facts, facts whose record is gone, and rows that were set aside; then names,
// sources and tasks that mention it. What was deleted is overwritten. Every step
// logs which leaves it took. Batches are written between its steps.
func (w *Writer) Erase(ctx context.Context, what evidence.Erasure) (evidence.Erased, error) {
	if len(what.Subject) < evidence.MinSubject {
		return evidence.Erased{}, fmt.Errorf("subject must have at least %d bytes, found %d; give the whole digest", evidence.MinSubject, len(what.Subject))
	}
	e := &erasing{what: what, now: w.settings.now, runs: map[int64]bool{}, touched: map[int64]bool{}}
	scans := []func(*connection) error{e.spans, e.events}
	if what.WholeRuns {
		e.looking = true
		if err := e.take(ctx, w, scans); err != nil {
			return e.total, err
		}
		e.looking = false
	}
	if err := e.take(ctx, w, append(scans, e.facts, e.refused)); err != nil || what.DryRun {
		return e.total, err
	}
	for _, last := range []func(*connection) error{e.terms, e.rest} {
		if err := w.do(&request{ctx: ctx, step: e.step(last)}); err != nil {
			return e.total, err
		}
	}
	return e.total, w.do(&request{ctx: ctx, step: func(*connection) error { return nil }, after: e.emptyLog})
}

// erasing is one run of Erase.
type erasing struct {
	what    evidence.Erasure
	now     func() int64
	looking bool           // only find runs
	runs    map[int64]bool // of which all rows go
	after   int64          // last row that was looked at
	more    bool
	leaves  []int64 // taken in this step
	keys    []int64 // touched in this step
	touched map[int64]bool
	total   evidence.Erased
}

func (e *erasing) take(ctx context.Context, w *Writer, scans []func(*connection) error) error {
	for _, scan := range scans {
		e.after = -1 << 63
		for e.more = true; e.more; {
			e.more = false
			if err := w.do(&request{ctx: ctx, step: e.step(scan)}); err != nil {
				return err
			}
		}
	}
	return nil
}

// step is one scan with what is to be done around it.
func (e *erasing) step(scan func(*connection) error) func(*connection) error {
	return func(c *connection) (err error) {
		e.leaves, e.keys = e.leaves[:0], e.keys[:0]
		pragma := func(value string) error {
			return c.each("PRAGMA secure_delete = "+value, nil, func(*sql.Rows) error { return nil })
		}
		if err := pragma("ON"); err != nil {
			return err
		}
		defer func() {
			if off := pragma("OFF"); err == nil {
				err = off
			}
		}()
		if err := scan(c); err != nil {
			return err
		}
		slices.Sort(e.keys)
		for _, key := range slices.Compact(e.keys) {
			e.touched[key] = true
			if err := c.remeasure(key, 0); err != nil {
				return err
			}
		}
		if len(e.leaves) == 0 {
			return nil
		}
		slices.Sort(e.leaves)
		return c.logEntry(ledger.Entry{What: ledger.Erasure, Erased: &ledger.ErasedSet{
			Subject: ledger.SubjectHash(e.what.Subject), Leaves: slices.Compact(e.leaves),
		}}, e.now())
	}
}

// goes says whether a row is to be deleted, and remembers the runs to be looked
// for.
func (e *erasing) goes(run int64, mentioned bool) bool {
	if e.looking {
		if mentioned && run != 0 {
			e.runs[run] = true
		}
		return false
	}
	return mentioned || e.runs[run]
}

const (
	someSpans = "SELECT s.rowid, k.run, k.key, k.tenant, s.key, s.span_id, s.parent_id, s.source, s.name, s.kind, s.start_ns, s.end_ns, s.status, " +
		"s.status_message, s.trace_state, s.task_id, s.operation, s.agent, s.tool, s.attrs, s.events, s.links, s.facts, s.seen, s.leaf " +
		"FROM spans s JOIN run_keys k ON k.id = s.key WHERE s.rowid > ? ORDER BY s.rowid LIMIT ?"
	someEvents = "SELECT e.rowid, k.run, NULL, o.tenant, e.time_ns, e.record, e.key, e.span_id, e.source, e.observed_ns, e.event, e.severity, " +
		"e.body, e.attrs, e.seen, e.leaf FROM events e LEFT JOIN run_keys k ON k.id = e.key LEFT JOIN sources o ON o.id = e.source " +
		"WHERE e.rowid > ? ORDER BY e.rowid LIMIT ?"
	beforeColumns = 4
)

// rows reads the next rows of a scan.
func (e *erasing) rows(c *connection, query string, columns int) (rows [][]any, err error) {
	err = c.each(query, []any{e.after, eraseRows}, func(r *sql.Rows) error {
		row, err := scanColumns(r, beforeColumns+columns)
		rows = append(rows, row)
		return err
	})
	if n := len(rows); n > 0 {
		e.after, _ = rows[n-1][0].(int64)
		e.more = n == eraseRows
	}
	return rows, err
}

func (e *erasing) spans(c *connection) error {
	rows, err := e.rows(c, someSpans, insertSpans.columns)
	if err != nil {
		return err
	}
	x := c.texts()
	for _, row := range rows {
		run, _ := row[1].(int64)
		trace, _ := row[2].([]byte)
		tenant, _ := row[3].(string)
		enc := encodedSpan{row: row[beforeColumns:]}
		key, _ := enc.row[0].(int64)
		id, _ := enc.row[1].([]byte)
		if enc.row[spanFacts-1] != int64(0) {
			err := c.each(selectLink, []any{key, id}, func(r *sql.Rows) error {
				link, err := scanColumns(r, insertLinks.columns)
				enc.links = append(enc.links, link...)
				return err
			})
			if err != nil {
				return err
			}
		}
		sp, err := x.span(tenant, traceID(trace), enc)
		if err != nil {
			return err
		}
		if !e.goes(run, sp.Mentions(e.what.Subject)) {
			continue
		}
		facts, _ := enc.row[spanFacts].(int64)
		e.total.Spans++
		e.total.Facts += facts
		if e.what.DryRun {
			continue
		}
		if _, _, err := c.deleteSpan(key, id, facts != 0); err != nil {
			return err
		}
		e.took(key, enc.row[spanLeaf])
	}
	return nil
}

func (e *erasing) took(key int64, leaf any) {
	if key != 0 {
		e.keys = append(e.keys, key)
	}
	if n, ok := leaf.(int64); ok {
		e.leaves = append(e.leaves, n)
	}
}

func (e *erasing) events(c *connection) error {
	rows, err := e.rows(c, someEvents, insertEvents.columns)
	if err != nil {
		return err
	}
	x := c.texts()
	for _, row := range rows {
		run, _ := row[1].(int64)
		tenant, _ := row[3].(string)
		columns := row[beforeColumns:]
		rec, err := x.record(tenant, evidence.TraceID{}, columns)
		if err != nil {
			return err
		}
		if !e.goes(run, rec.Mentions(e.what.Subject)) {
			continue
		}
		e.total.Records++
		key, _ := columns[2].(int64)
		if err := e.factsOf(c, key, rec.ID[:]); err != nil {
			return err
		}
		if e.what.DryRun {
			continue
		}
		if _, err := c.exec("DELETE FROM events WHERE rowid = ?", row[0]); err != nil {
			return err
		}
		e.took(key, columns[eventLeaf])
	}
	return nil
}

// factsOf deletes what one record states.
func (e *erasing) factsOf(c *connection, key int64, source []byte) error {
	for _, t := range factTables {
		var leaves []any
		err := c.each("SELECT leaf FROM "+t+" WHERE key = ? AND source = ?", []any{key, source}, func(r *sql.Rows) error {
			row, err := scanColumns(r, 1)
			leaves = append(leaves, row...)
			return err
		})
		if err != nil {
			return err
		}
		e.total.Facts += int64(len(leaves))
		if e.what.DryRun || len(leaves) == 0 {
			continue
		}
		if _, err := c.exec("DELETE FROM "+t+" WHERE key = ? AND source = ?", key, source); err != nil {
			return err
		}
		for _, leaf := range leaves {
			e.took(key, leaf)
		}
	}
	return nil
}

// emptyLog moves everything out of the write-ahead log, so that no old page
// stays there.
func (e *erasing) emptyLog(c *connection) error {
	var busy, pages, moved int64
	err := c.row("PRAGMA wal_checkpoint(TRUNCATE)", nil, &busy, &pages, &moved)
	e.total.Lingering = busy != 0
	return err
}
