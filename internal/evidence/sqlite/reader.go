package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/codec"
	sqlite3 "modernc.org/sqlite/lib"
)

//go:embed queries/*.sql
var queryFiles embed.FS

func query(name string) string {
	b, err := queryFiles.ReadFile("queries/" + name + ".sql")
	if err != nil {
		panic(err) // the files are part of the binary
	}
	return string(b)
}

var (
	runSpans     = query("run_spans")
	runLinks     = query("run_links")
	runEvents    = query("run_events")
	runVersion   = query("run_version")
	findKey      = query("find_key")
	recentAll    = query("recent")
	recentTenant = query("recent_tenant")
	pageRecent   = query("page")
	pageTenant   = query("page_tenant")
	pageTerm     = query("page_term")
	pageCommon   = query("page_common_term")
)

// Reader looks at a store without changing it. It is safe for concurrent use,
// and works beside a Writer of this or another process.
type Reader struct {
	path string
	file os.FileInfo // of the path when it was opened
	db   *sql.DB

	mu      sync.Mutex
	names   map[int64]string
	sources map[int64]*origin
}

var (
	_ evidence.Reader  = (*Reader)(nil)
	_ evidence.Movable = (*Reader)(nil)
)

// maxRemembered bounds the names and sources that a reader keeps in memory.
const maxRemembered = 20000

// OpenReader opens the store at path for reading. It neither makes nor migrates
// one; the error says how a missing or older store comes to be.
func OpenReader(path string) (*Reader, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("no evidence store at %s: the collector makes it when it starts with an evidencestore exporter; start it, or name the file it writes (--store)", path)
	case err != nil:
		return nil, fmt.Errorf("read evidence store: %w", err)
	case info.IsDir():
		return nil, fmt.Errorf("evidence store %s is a folder; name the file in it", path)
	}
	known, err := migrations(schemaFiles)
	if err != nil {
		return nil, err
	}
	r, err := openReader(path, "ro", known)
	if c := code(err); c == sqlite3.SQLITE_CANTOPEN || c == sqlite3.SQLITE_READONLY {
		// A store in a folder that cannot be written to, such as a copy on a
		// read-only disk: the files that readers share cannot be made, and need
		// not be if nothing writes.
		if atRest(path) {
			return openReader(path, "immutable", known)
		}
		return nil, fmt.Errorf("%w; a write-ahead log lies beside it, as a collector leaves that runs or crashed, and reading that needs write access to the folder: copy the file and the one with -wal behind its name to another folder", err)
	}
	return r, err
}

// Moved reports whether another file, or none, is at the path. Whoever has the old
// one open goes on reading it, however long it is gone.
func (r *Reader) Moved() bool {
	now, err := os.Stat(r.path)
	return errors.Is(err, os.ErrNotExist) || err == nil && !os.SameFile(r.file, now)
}

// atRest reports whether no write-ahead log lies beside the file.
func atRest(path string) bool {
	_, err := os.Stat(filepath.Clean(path) + "-wal")
	return errors.Is(err, os.ErrNotExist)
}

func openReader(path, mode string, known []migration) (*Reader, error) {
	name, err := uri(path, mode, "busy_timeout(5000)", "query_only(1)")
	if err != nil {
		return nil, err
	}
	file, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(4)
	r := &Reader{path: path, file: file, db: db, names: map[int64]string{}, sources: map[int64]*origin{}}
	if err := r.check(known); err != nil {
		_ = db.Close()
		return nil, err
	}
	return r, nil
}

func (r *Reader) check(known []migration) error {
	empty, err := identify(uninterrupted, r.db, r.path)
	if err != nil {
		return fmt.Errorf("read evidence store %s: %w", r.path, err)
	}
	if empty {
		return fmt.Errorf("evidence store %s is empty: the collector has not finished making it; start it, or name the file it writes (--store)", r.path)
	}
	version, err := applied(uninterrupted, r.db, known, r.path)
	if err == nil && version < len(known) {
		err = fmt.Errorf("evidence store %s has schema %d, this otelcol-agent reads schema %d; start its collector on the file once, or run `otelcol-agent store migrate`, which migrates it", r.path, version, len(known))
	}
	return err
}

// Close ends all reading.
func (r *Reader) Close() error { return r.db.Close() }

// view runs f on one state of the store, whatever is written meanwhile.
func (r *Reader) view(ctx context.Context, f func(v *view) error) error {
	conn, err := r.db.Conn(ctx)
	if err != nil {
		return r.failed(err)
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, "BEGIN"); err != nil {
		return r.failed(err)
	}
	// The caller's context may have ended; the transaction has to end anyway.
	defer func() { _, _ = conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK") }()
	err = f(&view{r: r, ctx: ctx, conn: conn})
	if err == nil || errors.Is(err, evidence.ErrNotFound) || code(err) == 0 {
		return err
	}
	return r.failed(err)
}

func (r *Reader) failed(err error) error {
	return fmt.Errorf("read evidence store %s: %w", r.path, err)
}

// view is one state of the store.
type view struct {
	r    *Reader
	ctx  context.Context
	conn *sql.Conn
}

func (v *view) each(query string, columns int, f func(row []any) error, args ...any) error {
	rows, err := v.conn.QueryContext(v.ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		row, err := scanColumns(rows, columns)
		if err == nil {
			err = f(row)
		}
		if err != nil {
			return err
		}
	}
	return rows.Err()
}

func (v *view) texts() *texts { return &texts{name: v.name, source: v.source} }

// name looks a name up, first in memory: a number never gets another meaning.
func (v *view) name(id int64) (string, error) {
	v.r.mu.Lock()
	name, ok := v.r.names[id]
	v.r.mu.Unlock()
	if ok {
		return name, nil
	}
	err := v.conn.QueryRowContext(v.ctx, "SELECT name FROM names WHERE id = ?", id).Scan(&name)
	if errors.Is(err, sql.ErrNoRows) {
		return "", fmt.Errorf("%w: no name %d", codec.ErrCorrupt, id)
	}
	if err == nil {
		v.r.mu.Lock()
		if len(v.r.names) >= maxRemembered {
			clear(v.r.names)
		}
		v.r.names[id] = name
		v.r.mu.Unlock()
	}
	return name, err
}

func (v *view) source(id int64) (*origin, error) {
	v.r.mu.Lock()
	o := v.r.sources[id]
	v.r.mu.Unlock()
	if o != nil {
		return o, nil
	}
	err := v.each(selectSource, 5, func(row []any) (err error) {
		o, err = readSource(row, v.name)
		return err
	}, id)
	if err == nil && o == nil {
		err = fmt.Errorf("%w: no source %d", codec.ErrCorrupt, id)
	}
	if err == nil {
		v.r.mu.Lock()
		if len(v.r.sources) >= maxRemembered {
			clear(v.r.sources)
		}
		v.r.sources[id] = o
		v.r.mu.Unlock()
	}
	return o, err
}
