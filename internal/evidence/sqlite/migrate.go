package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	sqlite3 "modernc.org/sqlite/lib"
)

//go:embed schema/*.sql
var schemaFiles embed.FS

// applicationID marks the file as ours in SQLite's header: "otea".
const applicationID = 0x6f746561

const createMigrations = `CREATE TABLE IF NOT EXISTS schema_migrations (
  version  INTEGER PRIMARY KEY,
  name     TEXT NOT NULL,
  checksum TEXT NOT NULL, -- SHA-256 of the file
  applied  INTEGER        -- when, null without a clock
) STRICT`

// migration is one file of schema/, named NNNN_what.sql.
type migration struct {
	version        int
	name, checksum string
	sql            string
}

func migrations(files fs.FS) ([]migration, error) {
	names, err := fs.Glob(files, "schema/*.sql")
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	var out []migration
	for i, name := range names {
		b, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		number, _, _ := strings.Cut(path.Base(name), "_")
		version, err := strconv.Atoi(number)
		if err != nil || version != i+1 {
			return nil, fmt.Errorf("%s: migrations are numbered from 0001 without a gap", name)
		}
		sum := sha256.Sum256(b)
		out = append(out, migration{version: version, name: path.Base(name), checksum: hex.EncodeToString(sum[:]), sql: string(b)})
	}
	return out, nil
}

// querier is a connection or a transaction.
type querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// identify reports whether the database is empty, and refuses one that is not
// ours. It changes nothing.
func identify(ctx context.Context, q querier, file string) (empty bool, err error) {
	var id, tables int
	err = q.QueryRowContext(ctx, "PRAGMA application_id").Scan(&id)
	if err == nil {
		err = q.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables)
	}
	switch {
	case code(err) == sqlite3.SQLITE_NOTADB:
		return false, fmt.Errorf("%s is not an evidence store but some other kind of file; it was left as it is, name another file (the exporter's dsn, or --store)", file)
	case err != nil:
		return false, err
	case id == applicationID:
		return tables == 0, nil
	case id == 0 && tables == 0:
		return true, nil
	}
	return false, fmt.Errorf("%s is the SQLite database of another program (application id %#x); it was left as it is, name another file (the exporter's dsn, or --store)", file, uint32(id))
}

// applied returns the version of the database, 0 if it has none.
func applied(ctx context.Context, q querier, known []migration, file string) (int, error) {
	var there int
	err := q.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema WHERE name = 'schema_migrations'").Scan(&there)
	if err != nil || there == 0 {
		return 0, err
	}
	rows, err := q.QueryContext(ctx, "SELECT version, name, checksum FROM schema_migrations ORDER BY version")
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	version := 0
	for rows.Next() {
		var m migration
		if err := rows.Scan(&m.version, &m.name, &m.checksum); err != nil {
			return 0, err
		}
		version = m.version
		switch {
		case m.version < 1 || m.version > len(known):
			continue // counted below
		case known[m.version-1].checksum != m.checksum:
			return 0, fmt.Errorf("evidence store %s: migration %s was applied with other content than this otelcol-agent has; use the build that wrote it, or another file (the exporter's dsn, or --store)", file, m.name)
		}
	}
	if version > len(known) {
		err = fmt.Errorf("evidence store %s has schema %d, and this otelcol-agent knows no later one than %d; upgrade otelcol-agent, or point it at another file (the exporter's dsn, or --store)", file, version, len(known))
	}
	return version, errors.Join(err, rows.Err())
}

// migrate brings the database to the latest schema, one transaction a file.
// now is 0 without a clock.
func migrate(ctx context.Context, conn *sql.Conn, known []migration, file string, now int64) error {
	for {
		if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
			return err
		}
		done, err := migrateOne(ctx, conn, known, file, now)
		if err != nil {
			_, _ = conn.ExecContext(ctx, "ROLLBACK")
			return err
		}
		if _, err := conn.ExecContext(ctx, "COMMIT"); err != nil {
			return err
		}
		if done {
			return nil
		}
	}
}

// migrateOne asks again for the version inside the transaction: another
// process may be migrating the same file.
func migrateOne(ctx context.Context, conn *sql.Conn, known []migration, file string, now int64) (done bool, err error) {
	version, err := applied(ctx, conn, known, file)
	if err != nil || version == len(known) {
		return true, err
	}
	m := known[version]
	for _, statement := range []string{fmt.Sprintf("PRAGMA application_id = %d", applicationID), createMigrations, m.sql} {
		if _, err := conn.ExecContext(ctx, statement); err != nil {
			return false, fmt.Errorf("apply %s to %s: %w", m.name, file, err)
		}
	}
	_, err = conn.ExecContext(ctx, "INSERT INTO schema_migrations (version, name, checksum, applied) VALUES (?, ?, ?, ?)",
		m.version, m.name, m.checksum, orNull(now))
	return false, err
}
