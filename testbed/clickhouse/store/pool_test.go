package store

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/otelcol-agent/otelcol-agent/testbed/clickhouse/instance"
)

// pool lends the databases of a server. One that comes back is emptied and lent again:
// to make the tables is most of what a small test takes. A test that changes tables
// themselves takes a fresh one.
type pool struct {
	server *instance.Instance
	reach  func(*database) // sets how the store gets to one, nil for HTTP
	free   []*database
	lent   int
}

func (p *pool) lend(t *testing.T) *database {
	t.Helper()
	var d *database
	if last := len(p.free) - 1; last >= 0 {
		d, p.free = p.free[last], p.free[:last]
	} else {
		d = fresh(p.server)
		if p.reach != nil {
			p.reach(d)
		}
	}
	p.lent++
	d.key = filepath.Join(p.server.Folder(), fmt.Sprintf("%s_%d.key", d.name, p.lent))
	t.Cleanup(func() {
		if t.Failed() {
			return
		}
		d.empty(t)
		p.free = append(p.free, d)
	})
	return d
}

// empty takes all rows away.
func (d *database) empty(t *testing.T) {
	t.Helper()
	conn := d.conn(t)
	for _, table := range column[string](t, d, "SELECT name FROM system.tables WHERE database = '"+d.name+"' AND engine LIKE '%MergeTree' AND name != 'schema_migrations'") {
		if err := conn.Exec(context.Background(), "TRUNCATE TABLE "+d.name+"."+table); err != nil {
			t.Fatal(err)
		}
	}
}
