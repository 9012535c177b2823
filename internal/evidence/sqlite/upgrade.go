package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// Migrate brings the store at path up to date, or with dry only says what it
// would apply. It makes no store.
func Migrate(ctx context.Context, path string, settings Settings, dry bool) (evidence.Migrated, error) {
	var m evidence.Migrated
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return m, fmt.Errorf("no evidence store at %s: the collector makes it when it starts with an evidencestore exporter", path)
	}
	known, err := migrations(schemaFiles)
	if err != nil {
		return m, err
	}
	m.To = len(known)
	if m.From, err = versionOf(ctx, path, known); err != nil {
		return m, err
	}
	for _, k := range known[min(m.From, len(known)):] {
		m.Steps = append(m.Steps, k.name)
	}
	if dry || m.From == m.To {
		return m, nil
	}
	w, err := Open(path, settings)
	if err != nil {
		return m, err
	}
	return m, w.Close()
}

// versionOf reads the schema's version and changes nothing.
func versionOf(ctx context.Context, path string, known []migration) (int, error) {
	name, err := uri(path, "ro", "busy_timeout(5000)", "query_only(1)")
	if err != nil {
		return 0, err
	}
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return 0, err
	}
	defer db.Close()
	if empty, err := identify(ctx, db, path); err != nil || empty {
		return 0, explain(path, err)
	}
	version, err := applied(ctx, db, known, path)
	return version, explain(path, err)
}
