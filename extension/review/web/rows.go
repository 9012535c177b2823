package web

import (
	"sync"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/review"
)

// rows remembers the rows of lists for a moment: lists are read again and again by
// every reviewer who has one open, and most runs of a list have ended.
type rows struct {
	mu   sync.Mutex
	kept map[string]keptRow
}

type keptRow struct {
	row   review.Row
	until time.Time
}

const (
	// freshFor is how long the row of a run is shown that may still grow unseen: rows
	// older than its latest do not move it. oldFor is that of a run whose latest row
	// is oldAfter old.
	freshFor = 5 * time.Second
	oldFor   = time.Minute
	oldAfter = 10 * time.Minute
	maxRows  = 4000
)

// forget forgets all: the runs are those of another store.
func (r *rows) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept = nil
}

// glance is one look at the rows, at one time.
type glance struct {
	rows *rows
	now  time.Time
	got  map[string]review.Row // found so far
}

func (r *rows) at(now time.Time) *glance { return &glance{r, now, map[string]review.Row{}} }

// has reports whether the row of a run is remembered.
func (g *glance) has(tenant string, at evidence.Place) bool {
	name := tenant + "\x00" + string(at)
	g.rows.mu.Lock()
	defer g.rows.mu.Unlock()
	k, ok := g.rows.kept[name]
	if ok = ok && g.now.Before(k.until); ok {
		g.got[name] = k.row
	}
	return ok
}

// of returns the row of a run, which comes without rows of its own if has said so.
func (g *glance) of(run *evidence.Run, at evidence.Place) review.Row {
	name := run.Tenant + "\x00" + string(at)
	if row, ok := g.got[name]; ok && len(run.Spans)+len(run.Records) == 0 {
		return row
	}
	row := review.RowOf(evidence.Read(*run))
	k := keptRow{row, g.now.Add(freshFor)}
	if row.Ended() < g.now.Add(-oldAfter).UnixNano() {
		k.until = g.now.Add(oldFor)
	}
	g.rows.mu.Lock()
	defer g.rows.mu.Unlock()
	if g.rows.kept == nil || len(g.rows.kept) >= maxRows {
		g.rows.kept = map[string]keptRow{}
	}
	g.rows.kept[name] = k
	return row
}
