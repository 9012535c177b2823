package web

import (
	"sync"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/review"
)

// rows remembers the rows of lists: lists are read again and again by every reviewer
// who has one open, and most runs of a list have ended. A row is good as long as its
// run's version is what it was.
type rows struct {
	mu   sync.Mutex
	kept map[rowName]keptRow
}

// rowName is where a run stands in lists of one term: the row tells which step states
// it.
type rowName struct {
	tenant string
	at     evidence.Place
	term   evidence.Term
}

type keptRow struct {
	version evidence.Version
	row     review.Row
}

// maxRows bounds what is remembered.
const maxRows = 4000

// forget forgets all: the runs are those of another store.
func (r *rows) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept = nil
}

// glance is one look at the rows.
type glance struct {
	rows *rows
	term evidence.Term
	got  map[rowName]review.Row       // remembered
	seen map[rowName]evidence.Version // of those that are not
}

func (r *rows) glance(term evidence.Term) *glance {
	return &glance{rows: r, term: term, got: map[rowName]review.Row{}, seen: map[rowName]evidence.Version{}}
}

// may reports whether the row of a run is remembered, in whatever version.
func (g *glance) may(tenant string, at evidence.Place) bool {
	g.rows.mu.Lock()
	defer g.rows.mu.Unlock()
	_, ok := g.rows.kept[rowName{tenant, at, g.term}]
	return ok
}

// has reports whether the row of a run in this version is remembered.
func (g *glance) has(tenant string, at evidence.Place, version evidence.Version) bool {
	name := rowName{tenant, at, g.term}
	g.rows.mu.Lock()
	defer g.rows.mu.Unlock()
	k, ok := g.rows.kept[name]
	if ok = ok && k.version == version; ok {
		g.got[name] = k.row
	} else {
		g.seen[name] = version
	}
	return ok
}

// of returns the row of a run, which comes without rows of its own if has said so.
func (g *glance) of(run *evidence.Run, at evidence.Place) review.Row {
	name := rowName{run.Tenant, at, g.term}
	if row, ok := g.got[name]; ok && len(run.Spans)+len(run.Records) == 0 {
		return row
	}
	row := review.RowOf(evidence.Read(*run))
	row.Find(run, g.term)
	version, known := g.seen[name]
	if !known {
		return row
	}
	g.rows.mu.Lock()
	defer g.rows.mu.Unlock()
	if g.rows.kept == nil || len(g.rows.kept) >= maxRows {
		g.rows.kept = map[rowName]keptRow{}
	}
	g.rows.kept[name] = keptRow{version, row}
	return row
}
