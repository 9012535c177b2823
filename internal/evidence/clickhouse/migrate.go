package clickhouse

import (
	"context"
	"errors"
	"fmt"
)

// Migrations live in one table: a row for every statement that was run, so that
// a migration that broke off goes on where it stopped. Every statement can be
// run twice, as two collectors that start together will. On a cluster all shards
// hold the same rows, whichever of its servers is asked.
func (l layout) createMigrations() []string {
	return []string{
		"CREATE DATABASE IF NOT EXISTS " + quoteName(l.database) + l.onCluster(),
		"CREATE TABLE IF NOT EXISTS " + l.spread("schema_migrations") + l.onCluster() + ` (
  version UInt32,
  step UInt32,
  steps UInt32,
  name String,
  checksum String,
  applied_ns Int64
) ENGINE = ` + l.migrationsEngine() + "\nORDER BY (version, step)",
	}
}

func (l layout) migrationsEngine() string {
	if l.cluster == "" {
		return l.engine("Replacing", "")
	}
	return "ReplicatedReplacingMergeTree('/clickhouse/tables/{database}/{table}', '{shard}_{replica}')"
}

// progress is how far a database has come.
type progress struct {
	version int // last migration begun; 0 is none
	step    int // statements of it that were run
	steps   int // of how many
}

func (p progress) whole() bool { return p.step == p.steps }

// progress reads how far the database has come and refuses one that is newer, or
// that was migrated with other files. A database that is not there is at 0.
func (c *client) progress(ctx context.Context) (p progress, err error) {
	err = c.each(ctx, "SELECT version, max(step), any(steps), any(name), any(checksum) FROM "+c.layout.spread("schema_migrations")+
		" GROUP BY version ORDER BY version", func(scan func(...any) error) error {
		var version, step, steps uint32
		var name, checksum string
		if err := scan(&version, &step, &steps, &name, &checksum); err != nil {
			return err
		}
		p = progress{int(version), int(step), int(steps)}
		if p.version <= len(c.known) && c.known[p.version-1].checksum != checksum {
			return fmt.Errorf("evidence store %s: migration %s was applied with other content than this otelcol-agent has; use the build that wrote it, or another database (the exporter's dsn, or --store)", c.place, name)
		}
		return nil
	})
	if n := code(err); n == codeUnknownDatabase || n == codeUnknownTable {
		return progress{}, nil
	}
	if err == nil && p.version > len(c.known) {
		err = fmt.Errorf("evidence store %s has schema %d, and this otelcol-agent knows no later one than %d; upgrade otelcol-agent, or point it at another database (the exporter's dsn, or --store)", c.place, p.version, len(c.known))
	}
	return p, err
}

// step is one statement of a migration.
type step struct {
	migration migration
	n, of     int
	statement string
}

// pending returns the statements that bring the database to the latest schema.
func (c *client) pending(p progress) (out []step, err error) {
	for _, m := range c.known {
		if m.version < p.version || m.version == p.version && p.whole() {
			continue
		}
		statements, err := m.statements(c.layout)
		if err != nil {
			return nil, err
		}
		from := 0
		if m.version == p.version {
			from = p.step
		}
		for i := from; i < len(statements); i++ {
			out = append(out, step{m, i + 1, len(statements), statements[i]})
		}
	}
	return out, nil
}

// migrate runs what is pending.
func (c *client) migrate(ctx context.Context, now int64) error {
	p, err := c.progress(ctx)
	if err != nil {
		return err
	}
	steps, err := c.pending(p)
	if err != nil || len(steps) == 0 {
		return err
	}
	for _, statement := range c.layout.createMigrations() {
		if err := c.exec(ctx, statement); err != nil {
			return err
		}
	}
	for _, s := range steps {
		if err := c.exec(ctx, s.statement); err != nil {
			return fmt.Errorf("apply %s, statement %d of %d, to %s: %w", s.migration.name, s.n, s.of, c.place, err)
		}
		if err := c.exec(ctx, c.ran(s, now)); err != nil {
			return err
		}
	}
	return nil
}

// Migrate brings the schema up to date. With dry it only returns the statements
// that it would run.
func Migrate(ctx context.Context, s Settings, dry bool) (statements []string, err error) {
	c, err := connect(&s)
	if err != nil {
		return nil, err
	}
	defer c.close()
	p, err := c.progress(ctx)
	if err != nil {
		return nil, told(c.place, err)
	}
	steps, err := c.pending(p)
	if err != nil {
		return nil, err
	}
	if p.version == 0 && len(steps) > 0 {
		statements = append(statements, c.layout.createMigrations()...)
	}
	for _, s := range steps {
		statements = append(statements, s.statement)
	}
	if dry {
		return statements, nil
	}
	return statements, told(c.place, c.migrate(ctx, s.now()))
}

// told explains errors of the server and leaves those that say enough.
func told(place string, err error) error {
	var done *storeError
	if err == nil || errors.As(err, &done) || code(err) == 0 && !unreachable(err) {
		return err
	}
	return explain(place, err)
}
