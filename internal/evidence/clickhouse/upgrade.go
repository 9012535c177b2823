package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// Upgrade makes the tables or brings them up to date, or with dry only says what
// it would run. A migration that broke off goes on where it stopped.
//
// Tables that are made get the retention of the settings. Those that are there keep
// theirs, unless retain gives it to them too; the log then says so first.
func Upgrade(ctx context.Context, s Settings, dry, retain bool) (evidence.Migrated, error) {
	m, err := upgrade(ctx, s, dry, retain)
	if err != nil || dry || !retain || m.Retained == 0 {
		return m, err
	}
	s.CreateSchema = true
	w, err := Open(ctx, s)
	if err != nil {
		return m, err
	}
	if !w.Ready() {
		err = errors.New("evidence store " + s.Place() + " went away before its tables had the retention; run it again")
	}
	return m, errors.Join(err, w.Close())
}

func upgrade(ctx context.Context, s Settings, dry, retain bool) (evidence.Migrated, error) {
	m := evidence.Migrated{Steps: []string{}}
	c, err := connect(&s)
	if err != nil {
		return m, err
	}
	defer c.close()
	p, err := c.progress(ctx)
	if err != nil {
		return m, told(c.place, err)
	}
	steps, err := c.pending(p)
	if err != nil {
		return m, err
	}
	m.From, m.To = p.version, len(c.known)
	if p.version > 0 && !p.whole() {
		m.From--
	}
	if p.version == 0 {
		m.Statements = c.layout.createMigrations()
	}
	for _, s := range steps {
		if n := len(m.Steps); n == 0 || m.Steps[n-1] != s.migration.name {
			m.Steps = append(m.Steps, s.migration.name)
		}
		m.Statements = append(m.Statements, s.statement, c.ran(s, 0))
	}
	if retain {
		changes, err := c.changeTTL(ctx)
		if err != nil {
			return m, told(c.place, err)
		}
		m.Retained = len(changes)
		m.Statements = append(m.Statements, changes...)
	}
	if dry {
		return m, nil
	}
	m.Statements = nil
	if len(steps) == 0 {
		return m, nil
	}
	return m, told(c.place, c.migrate(ctx, s.now()))
}

// ran is the statement that notes that a step was taken.
func (c *client) ran(s step, now int64) string {
	return fmt.Sprintf("INSERT INTO %s SELECT %d, %d, %d, %s, %s, %d", c.layout.spread("schema_migrations"),
		s.migration.version, s.n, s.of, quoteText(s.migration.name), quoteText(s.migration.checksum), now)
}

var distributedPattern = regexp.MustCompile(`^Distributed\('?([A-Za-z_][A-Za-z0-9_]*)'?,`)

// ClusterOf returns the name of the cluster that a store's tables are spread
// over, "" if they are on one server or not there.
func ClusterOf(ctx context.Context, s Settings) (cluster string, err error) {
	c, err := connect(&s)
	if err != nil {
		return "", err
	}
	defer c.close()
	query := "SELECT engine_full FROM system.tables WHERE database = " + quoteText(c.layout.database) + " AND name = 'spans'"
	err = c.each(ctx, query, func(scan func(...any) error) error {
		var engine string
		err := scan(&engine)
		if m := distributedPattern.FindStringSubmatch(engine); m != nil {
			cluster = m[1]
		}
		return err
	})
	return cluster, told(c.place, err)
}
