package sqlite

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

func open(t *testing.T, path string) *Writer {
	t.Helper()
	w, err := Open(path, Settings{Now: time.Now})
	require.NoError(t, err)
	t.Cleanup(func() { _ = w.Close() })
	return w
}

func newPath(t *testing.T) string { return filepath.Join(t.TempDir(), "data", "evidence.db") }

// made is a store that a writer made and left.
func made(t *testing.T) string {
	path := newPath(t)
	w := open(t, path)
	write(t, w, agentSpans(0, 4))
	require.NoError(t, w.Close())
	return path
}

func write(t *testing.T, w *Writer, b evidence.Batch) evidence.WriteResult {
	t.Helper()
	res, err := w.Write(context.Background(), b)
	require.NoError(t, err)
	return res
}

// plain opens a file with SQLite alone.
func plain(t *testing.T, path string, statements ...string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	for _, s := range statements {
		_, err := db.Exec(s)
		require.NoError(t, err, s)
	}
	return db
}

func TestFilesAreForTheirUserOnly(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes are not for Windows")
	}
	path := newPath(t)
	w := open(t, path)
	write(t, w, agentSpans(0, 4))
	for name, mode := range map[string]os.FileMode{
		filepath.Dir(path): 0o700, path: 0o600, path + "-wal": 0o600, path + "-shm": 0o600,
	} {
		info, err := os.Stat(name)
		require.NoError(t, err)
		require.Equal(t, mode, info.Mode().Perm(), name)
	}
}

func TestPragmas(t *testing.T) {
	w := open(t, newPath(t))
	for pragma, want := range map[string]string{
		"journal_mode": "wal", "synchronous": "2", "auto_vacuum": "2", "page_size": "8192",
	} {
		var got string
		require.NoError(t, w.do(&request{ctx: t.Context(), step: func(c *connection) error {
			return c.row("PRAGMA "+pragma, nil, &got)
		}}))
		require.Equal(t, want, got, pragma)
	}
}

func TestWhatIsNoStoreIsRefusedAndLeftAlone(t *testing.T) {
	newer := made(t)
	plain(t, newer, "INSERT INTO schema_migrations VALUES (99, '0099_later.sql', 'x', NULL)").Close()
	changed := made(t)
	plain(t, changed, "UPDATE schema_migrations SET checksum = 'other'").Close()
	foreign := newPath(t)
	require.NoError(t, os.MkdirAll(filepath.Dir(foreign), 0o700))
	plain(t, foreign, "CREATE TABLE accounts (id)", "INSERT INTO accounts VALUES (1)").Close()
	marked := newPath(t)
	require.NoError(t, os.MkdirAll(filepath.Dir(marked), 0o700))
	plain(t, marked, "PRAGMA application_id = 1234", "CREATE TABLE t (id)", "DROP TABLE t").Close()
	text := newPath(t)
	require.NoError(t, os.MkdirAll(filepath.Dir(text), 0o700))
	require.NoError(t, os.WriteFile(text, make([]byte, 5000), 0o600))

	for name, c := range map[string]struct {
		path string
		says []string
	}{
		"a later schema":            {newer, []string{"schema 99", "upgrade otelcol-agent", "another file"}},
		"another migration 1":       {changed, []string{"0001_evidence.sql", "another file"}},
		"another program's":         {foreign, []string{"another program", "another file"}},
		"marked by another program": {marked, []string{"0x4d2", "another file"}},
		"no database":               {text, []string{"not an evidence store", "another file"}},
		"a folder":                  {filepath.Dir(text), []string{"is a folder"}},
	} {
		t.Run(name, func(t *testing.T) {
			before, _ := os.ReadFile(c.path)
			_, err := Open(c.path, Settings{})
			require.ErrorContains(t, err, c.path)
			for _, s := range c.says {
				require.ErrorContains(t, err, s)
			}
			_, err = OpenReader(c.path)
			require.ErrorContains(t, err, c.path)
			after, _ := os.ReadFile(c.path)
			require.Equal(t, before, after, "the file was changed")
			if name != "a later schema" && name != "another migration 1" {
				require.NoFileExists(t, KeyFile(c.path), "nothing is left beside what is not ours")
			}
		})
	}
}

func TestUnwritablePathSaysWhatToDo(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := Open(filepath.Join(file, "below", "evidence.db"), Settings{})
	require.ErrorContains(t, err, file)
	require.ErrorContains(t, err, "cannot be written")
	require.ErrorContains(t, err, "--store")
}

func TestADamagedOrLockedStoreSaysWhatToDo(t *testing.T) {
	damaged := made(t)
	b, err := os.ReadFile(damaged)
	require.NoError(t, err)
	for i := 100; i < len(b); i++ { // all but the header
		b[i] = 0xa5
	}
	require.NoError(t, os.WriteFile(damaged, b, 0o600))
	_, err = Open(damaged, Settings{})
	require.ErrorContains(t, err, damaged)
	require.ErrorContains(t, err, "damaged")
	require.ErrorContains(t, err, "backup")

	locked := made(t)
	db := plain(t, locked, "PRAGMA locking_mode = EXCLUSIVE", "BEGIN IMMEDIATE")
	defer db.Close()
	_, err = Open(locked, Settings{BusyTimeout: time.Millisecond})
	require.ErrorContains(t, err, locked)
	require.ErrorContains(t, err, "locked by another program")
}

func TestEmptyFileBecomesAStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "evidence.db")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	_, err := OpenReader(path)
	require.ErrorContains(t, err, "is empty")
	write(t, open(t, path), agentSpans(0, 4))
}

func TestReaderMakesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "evidence.db")
	_, err := OpenReader(path)
	require.ErrorContains(t, err, "the collector makes it when it starts")
	require.NoFileExists(t, path)

	r, err := OpenReader(made(t))
	require.NoError(t, err)
	defer r.Close()
	_, err = r.db.Exec("DELETE FROM spans")
	require.Error(t, err, "a reader could write")
}

func TestReaderRefusesAnOlderSchema(t *testing.T) {
	path := made(t)
	known, err := migrations(schemaFiles)
	require.NoError(t, err)
	_, err = openReader(path, "ro", append(known, migration{version: len(known) + 1}))
	require.ErrorContains(t, err, "reads schema 5")
	require.ErrorContains(t, err, "start its collector")
}

func TestReaderOfAClosedStoreOnAReadOnlyDisk(t *testing.T) {
	path := made(t)
	require.True(t, atRest(path))
	known, err := migrations(schemaFiles)
	require.NoError(t, err)
	r, err := openReader(path, "immutable", known)
	require.NoError(t, err)
	defer r.Close()
	_, err = r.Find(t.Context(), "acme", "task-00000000")
	require.NoError(t, err)
	require.NoFileExists(t, path+"-wal")
}

func TestMigrations(t *testing.T) {
	path := made(t)
	known, err := migrations(schemaFiles)
	require.NoError(t, err)
	known = slices.Clip(known)
	next := append(known, migration{version: len(known) + 1, name: "0005_next.sql", checksum: "c", sql: "CREATE TABLE added (id); INSERT INTO added VALUES (7)"})
	broken := append(known, migration{version: len(known) + 1, name: "0005_broken.sql", checksum: "c", sql: "CREATE TABLE half (id); CREATE TABLE half (id)"})

	settings := Settings{}
	settings.defaults(path)
	_, err = connect(path, broken, &settings)
	require.ErrorContains(t, err, "apply 0005_broken.sql")
	require.ErrorContains(t, err, path)
	c, err := connect(path, known, &settings)
	require.NoError(t, err, "a migration that failed left the store as it was")
	require.NoError(t, c.close())
	for range 2 {
		c, err = connect(path, next, &settings)
		require.NoError(t, err)
		var n int
		require.NoError(t, c.row("SELECT count(*) FROM added", nil, &n))
		require.Equal(t, 1, n)
		require.NoError(t, c.close())
	}

	_, err = migrations(fstest.MapFS{"schema/0001_a.sql": {}, "schema/0003_c.sql": {}})
	require.ErrorContains(t, err, "without a gap")
}

func TestDefaultPathAndDSN(t *testing.T) {
	env := func(pairs ...string) func(string) string {
		return func(key string) string {
			for i := 0; i < len(pairs); i += 2 {
				if pairs[i] == key {
					return pairs[i+1]
				}
			}
			return ""
		}
	}
	for dsn, want := range map[string]string{
		"":                   "/home/me/.local/share/otelcol-agent/evidence.db",
		"a/b.db":             "a/b.db",
		"sqlite:a/b.db":      "a/b.db",
		"sqlite:/a/b c?.db":  "/a/b c?.db",
		"sqlite:///a/b.db":   "/a/b.db",
		"SQLite:x":           "x",
		`C:\data\b.db`:       `C:\data\b.db`,
		`sqlite:C:\data\b.b`: `C:\data\b.b`,
		"./odd:name":         "./odd:name",
	} {
		got, err := PathOf(dsn, env("HOME", "/home/me"))
		require.NoError(t, err, dsn)
		require.Equal(t, want, filepath.ToSlash(got), dsn)
	}
	for _, dsn := range []string{"clickhouse://u:hunter2@h", "https://h", "sqlite:", "~/x", "sqlite:~"} {
		_, err := PathOf(dsn, env("HOME", "/home/me"))
		require.Error(t, err, dsn)
		require.NotContains(t, err.Error(), "hunter2")
	}
	got, err := DefaultPath(env("XDG_DATA_HOME", "/data", "HOME", "/home/me"))
	require.NoError(t, err)
	require.Equal(t, "/data/otelcol-agent/evidence.db", filepath.ToSlash(got))
	got, err = DefaultPath(env("XDG_DATA_HOME", "relative", "HOME", "/home/me"))
	require.NoError(t, err)
	require.Equal(t, "/home/me/.local/share/otelcol-agent/evidence.db", filepath.ToSlash(got))
	_, err = DefaultPath(env())
	require.ErrorContains(t, err, "--store")
}
