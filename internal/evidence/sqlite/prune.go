package sqlite

import (
	"context"
	"database/sql"
	"strconv"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence/ledger"
)

const (
	// pruneRows is the most rows of one step: a few milliseconds in which no
	// batch can be written.
	pruneRows = 200
	// pruneKeys is the most keys looked at in one step.
	pruneKeys = 50
	// freePages is how many pages a step gives back to the file system.
	freePages = 256
)

// Prune deletes spans older than evidence with their links and facts, facts of
// records likewise, and records older than records. A row whose own time cannot
// be true is as old as its arrival. Names, sources and runs that nothing uses
// any more go with the rest. It returns the number of spans, links, facts and
// records deleted; batches are written between its steps.
func (w *Writer) Prune(ctx context.Context, evidence, records time.Time) (int64, error) {
	p := &pruning{evidence: evidence.UnixNano(), records: records.UnixNano(), now: w.settings.now}
	for _, step := range []func(*connection) error{p.announce, p.spans, p.looseFacts, p.events, p.terms, p.rest} {
		for p.more = true; p.more; {
			p.more = false
			if err := w.do(&request{ctx: ctx, step: step}); err != nil {
				return p.deleted, err
			}
		}
	}
	return p.deleted, nil
}

// pruning is one run of Prune; a step sets more if it is to be taken again. A
// step that is rolled back may have counted rows that are still there.
type pruning struct {
	evidence, records int64
	now               func() int64
	deleted           int64
	slice             int64 // of the terms, the next
	more              bool
}

// announce logs what retention is about to take, so that what is gone is
// explained even if the pruning does not come to its end.
func (p *pruning) announce(c *connection) error {
	var old bool
	err := c.row(`SELECT EXISTS (SELECT 1 FROM run_keys WHERE oldest < ?1)
		OR EXISTS (SELECT 1 FROM events WHERE time_ns < ?2 AND seen IS NULL) OR EXISTS (SELECT 1 FROM events WHERE seen IS NOT NULL AND seen < ?2)
		OR EXISTS (SELECT 1 FROM quarantine WHERE seen IS NOT NULL AND seen < ?1)`, []any{p.evidence, p.records}, &old)
	for _, t := range factTables {
		if err == nil && !old {
			err = c.row("SELECT EXISTS (SELECT 1 FROM "+t+" AS f WHERE key = 0 AND "+oldFact+")", []any{p.evidence}, &old)
		}
	}
	if err != nil || !old {
		return err
	}
	return c.logEntry(ledger.Entry{What: ledger.Retention, Old: &ledger.Retained{
		Evidence: time.Unix(0, p.evidence).UTC(), Records: time.Unix(0, p.records).UTC(),
	}}, p.now())
}

// spans takes the keys that hold something too old, oldest first.
func (p *pruning) spans(c *connection) error {
	var keys []int64
	err := c.each("SELECT id FROM run_keys WHERE oldest < ? ORDER BY oldest LIMIT ?", []any{p.evidence, pruneKeys}, ints(&keys))
	if err != nil {
		return err
	}
	left := pruneRows
	for i, key := range keys {
		if left <= 0 {
			p.more = true
			return c.giveBack()
		}
		done, err := p.key(c, key, &left)
		if err != nil {
			return err
		}
		p.more = p.more || !done || i == pruneKeys-1
	}
	return c.giveBack()
}

// oldFact is true of a fact that a record states and that is too old. One
// without a time stays as long as its record.
const oldFact = "(f.time_ns > 0 AND f.time_ns < ?1 OR f.time_ns <= 0 AND NOT EXISTS " +
	"(SELECT 1 FROM events e WHERE e.time_ns = f.time_ns AND e.record = f.source))"

// key deletes at most left old spans of a key and reports whether that were all.
func (p *pruning) key(c *connection, key int64, left *int) (done bool, err error) {
	type victim struct {
		id    []byte
		facts int64
	}
	var victims []victim
	err = c.each("SELECT span_id, facts FROM spans WHERE key = ? AND coalesce(seen, max(start_ns, end_ns)) < ? LIMIT ?",
		[]any{key, p.evidence, *left}, func(rows *sql.Rows) error {
			var v victim
			err := rows.Scan(&v.id, &v.facts)
			victims = append(victims, v)
			return err
		})
	if err != nil {
		return false, err
	}
	for _, v := range victims {
		links, facts, err := c.deleteSpan(key, v.id, v.facts != 0)
		if err != nil {
			return false, err
		}
		p.deleted += 1 + links + facts
	}
	if *left -= len(victims); *left <= 0 {
		return false, nil
	}
	for _, t := range factTables {
		n, err := c.exec("DELETE FROM "+t+" AS f WHERE key = ?2 AND length(source) = 16 AND "+oldFact, p.evidence, key)
		if err != nil {
			return false, err
		}
		p.deleted += n
	}
	return true, c.remeasure(key, p.evidence)
}

// remeasure sets the times of a key, and of its run, from the rows left. A fact
// of a record whose time is older than floor has just been deleted, so floor
// bounds what may be wrong with a time that cannot be true.
func (c *connection) remeasure(key, floor int64) error {
	var oldest, latest sql.NullInt64
	note := func(o, l sql.NullInt64) {
		if o.Valid && (!oldest.Valid || o.Int64 < oldest.Int64) {
			oldest = o
		}
		if l.Valid && (!latest.Valid || l.Int64 > latest.Int64) {
			latest = l
		}
	}
	var o, l, run sql.NullInt64
	err := c.row("SELECT min(coalesce(seen, max(start_ns, end_ns))), max(coalesce(seen, max(start_ns, end_ns))) FROM spans WHERE key = ?",
		[]any{key}, &o, &l)
	if err != nil {
		return err
	}
	note(o, l)
	if err := c.row("SELECT max(coalesce(seen, time_ns)) FROM events WHERE key = ?", []any{key}, &l); err != nil {
		return err
	}
	note(sql.NullInt64{}, l)
	for _, t := range factTables {
		if err := c.row("SELECT min(max(time_ns, ?)) FROM "+t+" WHERE key = ? AND length(source) = 16", []any{floor, key}, &o); err != nil {
			return err
		}
		note(o, sql.NullInt64{})
	}
	if _, err := c.exec("UPDATE run_keys SET oldest = ?, latest = ? WHERE id = ?", oldest, latest, key); err != nil {
		return err
	}
	if err := c.row("SELECT run FROM run_keys WHERE id = ?", []any{key}, &run); err != nil {
		return err
	}
	return c.tidyRun(run.Int64)
}

// tidyRun sets a run's latest time, and removes a run that holds nothing.
func (c *connection) tidyRun(run int64) error {
	var oldest, latest sql.NullInt64
	err := c.row("SELECT min(oldest), max(latest) FROM run_keys WHERE run = ?", []any{run}, &oldest, &latest)
	if err != nil {
		return err
	}
	if oldest.Valid || latest.Valid {
		_, err = c.exec("UPDATE runs SET latest = ? WHERE id = ?", latest, run)
		return err
	}
	for _, statement := range []string{
		"DELETE FROM tasks WHERE key IN (SELECT id FROM run_keys WHERE run = ?)",
		"DELETE FROM run_keys WHERE run = ?",
		"DELETE FROM runs WHERE id = ?",
	} {
		if _, err := c.exec(statement, run); err != nil {
			return err
		}
	}
	return nil
}

// looseFacts takes facts of records without trace and task.
func (p *pruning) looseFacts(c *connection) error {
	for _, t := range factTables {
		n, err := c.exec("DELETE FROM "+t+" WHERE (key, source, n) IN (SELECT key, source, n FROM "+t+
			" AS f WHERE key = 0 AND "+oldFact+" LIMIT ?2)", p.evidence, pruneRows)
		if err != nil {
			return err
		}
		p.deleted += n
		p.more = p.more || n == pruneRows
	}
	return nil
}

const deleteEvents = "DELETE FROM events WHERE rowid IN (SELECT rowid FROM events WHERE "

// events takes records, by their time and, where that cannot be true, by when
// they came.
func (p *pruning) events(c *connection) error {
	keys := map[int64]bool{}
	for _, which := range []string{
		"time_ns < ?1 AND seen IS NULL ORDER BY time_ns LIMIT ?2) RETURNING key",
		"seen IS NOT NULL AND seen < ?1 LIMIT ?2) RETURNING key",
	} {
		n := 0
		err := c.each(deleteEvents+which, []any{p.records, pruneRows}, func(rows *sql.Rows) error {
			var key sql.NullInt64
			n++
			err := rows.Scan(&key)
			if key.Valid {
				keys[key.Int64] = true
			}
			return err
		})
		if err != nil {
			return err
		}
		p.deleted += int64(n)
		p.more = p.more || n == pruneRows
	}
	for key := range keys {
		if err := c.remeasure(key, p.evidence); err != nil {
			return err
		}
	}
	return c.giveBack()
}

// rest removes what no row can use any more.
func (p *pruning) rest(c *connection) error {
	oldest := min(p.evidence, p.records)
	for _, statement := range []string{
		"DELETE FROM sources WHERE latest < ?",
		"DELETE FROM names WHERE latest < ?",
	} {
		if _, err := c.exec(statement, oldest); err != nil {
			return err
		}
	}
	n, err := c.exec("DELETE FROM quarantine WHERE seen IS NOT NULL AND seen < ?", p.evidence)
	p.deleted += n
	c.next = nil // remembered names and sources may be among those deleted
	return err
}

// giveBack returns pages that became free to the file system, which SQLite does
// not do by itself.
func (c *connection) giveBack() error {
	return c.each("PRAGMA incremental_vacuum("+strconv.Itoa(freePages)+")", nil, func(*sql.Rows) error { return nil })
}

func ints(to *[]int64) func(*sql.Rows) error {
	return func(rows *sql.Rows) error {
		var n int64
		err := rows.Scan(&n)
		*to = append(*to, n)
		return err
	}
}
