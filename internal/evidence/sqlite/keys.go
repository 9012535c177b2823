package sqlite

import (
	"database/sql"
	"errors"
	"math"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// Kinds of keys.
const (
	keyTrace = 0
	keyTask  = 1
)

// keyName names a key before it has a number.
type keyName struct {
	kind   int64
	key    string // the id's bytes
	tenant string
}

// keyRow is a row of run_keys, and what one batch does to it.
type keyRow struct {
	name           keyName
	id, run        int64
	fresh          bool
	oldest, latest int64 // of the rows that this batch stored, none if oldest > latest
	above          *keyRow
}

// keySet holds the keys of one batch. Keys are joined here first, then with the
// runs that the store already knows.
type keySet struct {
	c    *connection
	rows map[keyName]*keyRow
	all  []*keyRow // in order of first use, so that ids do not depend on map order
}

func (c *connection) keySet() *keySet { return &keySet{c: c, rows: map[keyName]*keyRow{}} }

func (s *keySet) get(kind int64, key, tenant string) *keyRow {
	name := keyName{kind, key, tenant}
	r := s.rows[name]
	if r == nil {
		r = &keyRow{name: name, oldest: math.MaxInt64, latest: math.MinInt64}
		s.rows[name] = r
		s.all = append(s.all, r)
	}
	return r
}

// top returns the key that stands for all that were joined with r.
func (r *keyRow) top() *keyRow {
	for r.above != nil {
		if r.above.above != nil {
			r.above = r.above.above
		}
		r = r.above
	}
	return r
}

func join(a, b *keyRow) {
	if a, b = a.top(), b.top(); a != b {
		b.above = a
	}
}

// span returns the key of a span and joins what the span says belongs to it. A
// link that only says which turn came before joins nothing.
func (s *keySet) span(sp *evidence.Span) *keyRow {
	r := s.get(keyTrace, string(sp.ID.Trace[:]), sp.Tenant)
	s.tasks(r, sp.Attrs, sp.Tenant)
	for i := range sp.Links {
		l := &sp.Links[i]
		if l.Relation != semconv.AppLinkRelationFollows && l.To.Trace != (evidence.TraceID{}) {
			join(r, s.get(keyTrace, string(l.To.Trace[:]), sp.Tenant))
		}
	}
	return r
}

// record returns the key of a record: its trace, else its task, else nil.
func (s *keySet) record(rec *evidence.Record) *keyRow {
	if rec.Step.Trace != (evidence.TraceID{}) {
		r := s.get(keyTrace, string(rec.Step.Trace[:]), rec.Tenant)
		s.tasks(r, rec.Attrs, rec.Tenant)
		return r
	}
	return s.tasks(nil, rec.Attrs, rec.Tenant)
}

// tasks joins r with the task, parent and root that attrs name and returns r,
// or the first of them if r is nil.
func (s *keySet) tasks(r *keyRow, attrs evidence.Attrs, tenant string) *keyRow {
	for _, key := range [...]string{semconv.AppTaskID, semconv.AppTaskParentID, semconv.AppTaskRootID} {
		id := attrs.Str(key)
		if id == "" {
			continue
		}
		task := s.get(keyTask, id, tenant)
		if r == nil {
			r = task
		}
		join(r, task)
	}
	return r
}

// stored notes that a row of this age was stored under r.
func (r *keyRow) stored(age int64, evidenceRow, latest bool) {
	if evidenceRow {
		r.oldest = min(r.oldest, age)
	}
	if latest {
		r.latest = max(r.latest, age)
	}
}

// resolve gives every key its number and its run.
func (s *keySet) resolve() error {
	inRun := map[int64]*keyRow{}
	for _, r := range s.all {
		err := s.c.row("SELECT id, run FROM run_keys WHERE kind = ? AND key = ? AND tenant = ?",
			[]any{r.name.kind, []byte(r.name.key), r.name.tenant}, &r.id, &r.run)
		if errors.Is(err, sql.ErrNoRows) {
			r.id, r.fresh = s.c.number("run_keys"), true
		} else if err != nil {
			return err
		}
		if r.fresh {
			continue
		}
		if other := inRun[r.run]; other != nil {
			join(other, r) // or one group could absorb the run of another
		}
		inRun[r.run] = r
	}
	groups := map[*keyRow][]*keyRow{}
	for _, r := range s.all {
		groups[r.top()] = append(groups[r.top()], r)
	}
	for _, r := range s.all {
		if r.above == nil {
			if err := s.c.joinRuns(groups[r]); err != nil {
				return err
			}
		}
	}
	return nil
}

// joinRuns puts all keys of a group into one run. The run with most keys stays,
// so that a key is re-pointed at most as often as its run can double.
func (c *connection) joinRuns(group []*keyRow) error {
	var target, most, fresh int64
	others := map[int64]bool{}
	for _, r := range group {
		if r.fresh {
			fresh++
		} else {
			others[r.run] = true
		}
	}
	for run := range others {
		var size int64
		if len(others) > 1 {
			if err := c.row("SELECT size FROM runs WHERE id = ?", []any{run}, &size); err != nil {
				return err
			}
		}
		if target == 0 || size > most || size == most && run < target {
			target, most = run, size
		}
	}
	delete(others, target)
	if target == 0 {
		target = c.number("runs")
		if _, err := c.exec("INSERT INTO runs (id, tenant, size) VALUES (?, ?, ?)", target, group[0].name.tenant, fresh); err != nil {
			return err
		}
	} else if fresh > 0 {
		if _, err := c.exec("UPDATE runs SET size = size + ? WHERE id = ?", fresh, target); err != nil {
			return err
		}
	}
	for run := range others {
		if err := c.absorb(target, run); err != nil {
			return err
		}
	}
	for _, r := range group {
		r.run = target
	}
	return nil
}

func (c *connection) absorb(target, run int64) error {
	_, err := c.exec(`UPDATE runs SET size = runs.size + o.size,
		latest = max(coalesce(runs.latest, o.latest), coalesce(o.latest, runs.latest))
		FROM runs AS o WHERE runs.id = ? AND o.id = ?`, target, run)
	if err == nil {
		_, err = c.exec("UPDATE run_keys SET run = ? WHERE run = ?", target, run)
	}
	if err == nil {
		_, err = c.exec("DELETE FROM runs WHERE id = ?", run)
	}
	return err
}

var insertKeys = insertInto("run_keys", "id, kind, key, tenant, run, oldest, latest", "")

// flush writes new keys, and the times of those that got rows.
func (s *keySet) flush() error {
	var flat []any
	latest := map[int64]int64{}
	var order []int64
	for _, r := range s.all {
		var oldestOrNull, latestOrNull any
		if r.oldest != math.MaxInt64 {
			oldestOrNull = r.oldest
		}
		if r.latest != math.MinInt64 {
			latestOrNull = r.latest
			if l, ok := latest[r.run]; !ok {
				order = append(order, r.run)
				latest[r.run] = r.latest
			} else {
				latest[r.run] = max(l, r.latest)
			}
		}
		if r.fresh {
			flat = append(flat, r.id, r.name.kind, []byte(r.name.key), r.name.tenant, r.run, oldestOrNull, latestOrNull)
		} else if oldestOrNull != nil || latestOrNull != nil {
			if _, err := s.c.exec(`UPDATE run_keys SET
				oldest = min(coalesce(oldest, ?1), coalesce(?1, oldest)),
				latest = max(coalesce(latest, ?2), coalesce(?2, latest)) WHERE id = ?3`,
				oldestOrNull, latestOrNull, r.id); err != nil {
				return err
			}
		}
	}
	if err := s.c.insert(insertKeys, flat); err != nil {
		return err
	}
	for _, run := range order {
		if _, err := s.c.exec("UPDATE runs SET latest = ?1 WHERE id = ?2 AND (latest IS NULL OR latest < ?1)", latest[run], run); err != nil {
			return err
		}
	}
	return nil
}
