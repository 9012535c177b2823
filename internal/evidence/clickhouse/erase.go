package clickhouse

import (
	"context"
	"fmt"
	"slices"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/ledger"
)

// eraseRows is how many spans that may speak of the subject are looked at in one
// go.
const eraseRows = 1000

var _ evidence.Eraser = (*Writer)(nil)

// Erase deletes the spans and records that mention the subject, in all their
// statements, with links and facts, facts whose record is gone, rows that were
// set aside, and the sources, keys and names that mention it. It is noted in the
// table erasures before and after. The server rewrites the parts that held the
// rows; it drops the old ones by itself some minutes later. What is written
// meanwhile is not looked at.
func (w *Writer) Erase(ctx context.Context, what evidence.Erasure) (evidence.Erased, error) {
	if len(what.Subject) < evidence.MinSubject {
		return evidence.Erased{}, fmt.Errorf("subject must have at least %d bytes, found %d; give the whole digest", evidence.MinSubject, len(what.Subject))
	}
	w.mu.RLock()
	closed := w.closed
	w.mu.RUnlock()
	if closed {
		return evidence.Erased{}, ErrClosed
	}
	err := w.ensure(ctx)
	var total evidence.Erased
	if err == nil {
		total, err = w.erase(ctx, what)
	}
	return total, told(w.c.place, err)
}

// erasing is one run of Erase.
type erasing struct {
	c       *client
	reader  *Reader
	what    evidence.Erasure
	now     func() int64
	tables  map[string]object
	deletes []deletion
	total   evidence.Erased
	rows    []string     // names of what goes that leaves are of
	sources []*sourceRow // that go
}

// deletion is rows of one table that go.
type deletion struct{ table, where string }

func (w *Writer) erase(ctx context.Context, what evidence.Erasure) (evidence.Erased, error) {
	e := &erasing{c: w.c, reader: &Reader{c: w.c, sources: map[sourceID]*sourceRow{}}, what: what, now: w.settings.now, tables: map[string]object{}}
	all, err := objects(w.c.known, layout{database: w.c.layout.database})
	if err != nil {
		return e.total, err
	}
	for _, o := range all {
		e.tables[o.name] = o
	}
	tenants, err := e.c.tenants(ctx, append([]string{"spans", "events", "links"}, factTables...)...)
	if err != nil {
		return e.total, err
	}
	for _, tenant := range tenants {
		v, err := e.find(ctx, tenant)
		if err == nil {
			err = e.planKeys(ctx, tenant, v)
		}
		if err == nil {
			err = e.plan(ctx, tenant, v)
		}
		if err != nil {
			return e.total, err
		}
	}
	if err := e.planShared(ctx); err != nil || what.DryRun || len(e.deletes) == 0 {
		return e.total, err
	}
	// Leaves that are settled while this deletes were there to be erased too.
	for _, step := range []func() error{
		func() error { return w.logErasure(ctx, e) }, func() error { return e.note(ctx, "begun") }, func() error { return e.run(ctx) },
		func() error { return w.logErasure(ctx, e) }, func() error { return e.note(ctx, "done") }, func() error { return e.restoreSources(ctx) },
	} {
		if err := step(); err != nil {
			return e.total, err
		}
	}
	return e.total, w.countPrunings(ctx)
}

// tenants returns all tenants that have a row in one of the tables.
func (c *client) tenants(ctx context.Context, tables ...string) (out []string, err error) {
	query := ""
	for _, t := range tables {
		if query != "" {
			query += " UNION DISTINCT "
		}
		query += "SELECT DISTINCT toString(tenant) FROM " + c.layout.spread(t)
	}
	err = c.each(ctx, query, func(scan func(...any) error) error {
		var tenant string
		err := scan(&tenant)
		out = append(out, tenant)
		return err
	})
	return out, err
}

// plan notes what goes of one tenant, and counts it. What depends on a row goes
// before it, so that an erasure that broke off finds the rest again.
func (e *erasing) plan(ctx context.Context, tenant string, v *victims) error {
	e.total.Spans += int64(len(v.spans))
	e.total.Records += int64(len(v.records))
	var spans, links, records, tasks, facts []string
	for id := range v.spans {
		e.rows = append(e.rows, ledger.Name(ledger.Span, idOfSpan(id)))
		spans = append(spans, place(id))
		facts = append(facts, fmt.Sprintf("(%s,%s)", literal(id.Trace[:]), literal(id.Span[:])))
	}
	for id := range v.links {
		links = append(links, place(id))
	}
	for id := range v.records {
		var name ledger.ID
		copy(name[:], id[:])
		e.rows = append(e.rows, ledger.Name(ledger.Record, name))
		records = append(records, literal(id[:]))
	}
	for place := range v.facts {
		facts = append(facts, fmt.Sprintf("(%s,%s)", literal(place[0]), literal(place[1])))
	}
	for task := range v.tasks {
		tasks = append(tasks, literal(task))
	}
	in := func(table, columns string, names []string) {
		for _, list := range lists(names) {
			e.deletes = append(e.deletes, deletion{table, "tenant = " + literal(tenant) + " AND " + columns + " IN (" + list + ")"})
		}
	}
	for _, t := range factTables {
		before := e.deletes
		e.deletes = nil
		in(t, "(trace_id, source)", facts)
		in(t, "source", records)
		in(t, "task_id", tasks)
		some, err := e.countFacts(ctx, e.deletes)
		if err != nil {
			return err
		}
		e.deletes = append(before, some...)
	}
	in("events", "record", records)
	in("spans", "(trace_id, span_id)", spans)
	for _, t := range []string{"links", "links_rev"} {
		in(t, "(trace_id, span_id)", append(spans, links...))
	}
	return nil
}

func place(id evidence.StepID) string {
	return fmt.Sprintf("(%s,%s)", literal(id.Trace[:]), literal(id.Span[:]))
}

// countFacts counts rows of one table, each once however many lists name it, and
// returns the deletions that delete something.
func (e *erasing) countFacts(ctx context.Context, of []deletion) (some []deletion, err error) {
	seen := map[string]bool{}
	for _, d := range of {
		found := false
		err := e.c.each(ctx, "SELECT DISTINCT concat(task_id, '/', lower(hex(trace_id)), '/', lower(hex(source)), '/', toString(fact)) FROM "+e.c.layout.spread(factName(d.table))+" WHERE "+d.where,
			func(scan func(...any) error) error {
				var id string
				err := scan(&id)
				seen[id], found = true, true
				return err
			})
		if err == nil && found && factName(d.table) != d.table { // some go with their spans
			var n uint64
			err = e.c.one(ctx, "SELECT count() FROM "+e.c.layout.spread(d.table)+" WHERE "+d.where, &n)
			found = n > 0
		}
		if err != nil {
			return nil, err
		}
		if found {
			some = append(some, d)
		}
	}
	e.total.Facts += int64(len(seen))
	return some, nil
}

// planShared notes what no tenant's row holds by itself.
func (e *erasing) planShared(ctx context.Context) error {
	for _, t := range []string{"quarantine", "sources", "run_keys", "run_edges", "run_roots"} {
		where := mentionedIn(e.tables[t], e.what.Subject)
		final := " FINAL"
		var n uint64
		if err := e.c.one(ctx, "SELECT count() FROM "+e.c.layout.spread(t)+final+" WHERE "+where, &n); err != nil {
			return err
		}
		if t == "quarantine" {
			e.total.Refused = int64(n)
			if err := e.nameRefused(ctx, where); err != nil {
				return err
			}
		}
		if t == "sources" && n > 0 {
			if err := e.keepSources(ctx, where); err != nil {
				return err
			}
		}
		if n > 0 {
			e.deletes = append(e.deletes, deletion{t, where})
		}
	}
	return nil
}

func (e *erasing) nameRefused(ctx context.Context, where string) error {
	query := "SELECT tenant, toString(kind), trace_id, id, reason, body FROM " + e.c.layout.spread("quarantine") + " WHERE " + where
	return e.c.each(ctx, query, func(scan func(...any) error) error {
		var tenant, kind, trace, id, reason, body string
		err := scan(&tenant, &kind, &trace, &id, &reason, &body)
		_, name := refusedRow(tenant, kind, []byte(trace), []byte(id), reason, []byte(body))
		e.rows = append(e.rows, ledger.Name(ledger.Refused, name))
		return err
	})
}

// logErasure signs what the erasure takes, and of which logs how much was there.
func (w *Writer) logErasure(ctx context.Context, e *erasing) error {
	if w.log == nil {
		return nil
	}
	set := &ledger.ErasedSet{Subject: ledger.SubjectHash(e.what.Subject), Leaves: []int64{}, Rows: slices.Compact(slices.Sorted(slices.Values(e.rows))), Until: map[string]int64{}}
	err := w.c.each(ctx, "SELECT toString(log), max(size) FROM "+w.c.layout.spread("log_heads")+" GROUP BY log", func(scan func(...any) error) error {
		var origin string
		var size int64
		err := scan(&origin, &size)
		set.Until[origin] = size
		return err
	})
	if err != nil {
		return err
	}
	return w.log.record(ctx, ledger.Entry{What: ledger.Erasure, Erased: set})
}

// note logs the erasure, with what it takes.
func (e *erasing) note(ctx context.Context, state string) error {
	return e.c.exec(ctx, fmt.Sprintf("INSERT INTO %s SELECT %s, %s, %t, %d, %d, %d, %d, %d", e.c.layout.spread("erasures"), quoteText(state),
		quoteText(ledger.SubjectHash(e.what.Subject)), e.what.WholeRuns, e.total.Spans, e.total.Records, e.total.Facts, e.total.Refused, e.now()))
}

// run deletes. Unlike retention it has the server write the parts anew, without
// the rows, and waits for that.
func (e *erasing) run(ctx context.Context) error {
	alter := func(table, change string) error {
		return e.c.exec(ctx, "ALTER TABLE "+e.c.layout.stored(table)+e.c.layout.onCluster()+" "+change+" SETTINGS mutations_sync = 2")
	}
	// Rows that retention took are hidden until their part is merged.
	masked := map[string]bool{}
	for _, d := range e.deletes {
		if err := alter(d.table, "DELETE WHERE "+d.where); err != nil {
			return err
		}
		if !masked[d.table] {
			masked[d.table] = true
			if err := alter(d.table, "APPLY DELETED MASK"); err != nil {
				return err
			}
		}
	}
	// Rows that stay may be of a run that the subject's task gave its name.
	for _, t := range []string{"spans", "events"} {
		named := holds("String", "root_task_id", literal(e.what.Subject))
		var n uint64
		if err := e.c.one(ctx, "SELECT count() FROM "+e.c.layout.spread(t)+" WHERE "+named, &n); err != nil {
			return err
		}
		if n > 0 {
			if err := alter(t, "UPDATE root_task_id = '' WHERE "+named); err != nil {
				return err
			}
		}
	}
	return nil
}
