package sqlite

import (
	"context"
	"database/sql"
	"os"
	"slices"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

var (
	_ evidence.Statser = (*Reader)(nil)
	_ evidence.Checker = (*Reader)(nil)
)

// countedTables are the tables that Stats counts.
var countedTables = slices.Concat([]string{"runs", "tasks", "spans", "links", "events", "quarantine", "log_entries", "checkpoints", "names", "sources"}, factTables)

// Stats counts rows and bytes. Counting reads an index of every table, which
// takes a second or so for some million spans.
func (r *Reader) Stats(ctx context.Context) (evidence.Stats, error) {
	s := evidence.Stats{Engine: "sqlite", Rows: map[string]int64{}}
	err := r.view(ctx, func(v *view) error {
		one := func(query string, to any) error { return v.conn.QueryRowContext(ctx, query).Scan(to) }
		for _, t := range countedTables {
			var n int64
			if err := one("SELECT count(*) FROM "+t, &n); err != nil {
				return err
			}
			s.Rows[t] = n
		}
		var oldest, newest sql.NullInt64
		var page, free int64
		for _, q := range []struct {
			text string
			to   any
		}{
			{"SELECT max(version) FROM schema_migrations", &s.Schema},
			{"SELECT min(oldest) FROM run_keys", &oldest},
			{"SELECT max(latest) FROM runs", &newest},
			{"SELECT coalesce(max(size), 0) FROM checkpoints", &s.Leaves},
			{"PRAGMA page_size", &page},
			{"PRAGMA freelist_count", &free},
		} {
			if err := one(q.text, q.to); err != nil {
				return err
			}
		}
		s.Free = page * free
		if oldest.Valid {
			s.Oldest = time.Unix(0, oldest.Int64).UTC()
		}
		if newest.Valid {
			s.Newest = time.Unix(0, newest.Int64).UTC()
		}
		return nil
	})
	if err != nil {
		return s, err
	}
	s.Bytes, err = sizeOf(r.path)
	return s, err
}

// sizeOf adds up the database and its write-ahead log.
func sizeOf(path string) (int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	size := info.Size()
	if log, err := os.Stat(path + "-wal"); err == nil {
		size += log.Size()
	}
	return size, nil
}
