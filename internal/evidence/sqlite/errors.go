package sqlite

import (
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence/intake"
)

// ErrClosed says that the writer was closed before the batch was taken.
var ErrClosed = errors.New("evidence store is closed")

// code returns SQLite's primary result code, or 0 if err is not SQLite's.
func code(err error) int {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return 0
	}
	return e.Code() & 0xff
}

// poison returns the reason if err means that a row, not the store, is at
// fault. The text is ours: SQLite's could quote the row.
func poison(err error) (reason string, ok bool) {
	var bad *intake.RowError
	if errors.As(err, &bad) {
		return bad.Reason, true
	}
	switch c := code(err); c {
	case sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_MISMATCH:
		return fmt.Sprintf("a constraint of the schema refuses the row (SQLite code %d)", c), true
	case sqlite3.SQLITE_TOOBIG:
		return "row is longer than SQLite takes", true
	}
	return "", false
}

// broken reports whether the connection should be opened anew before the next
// batch: what was wrong may have been repaired since.
func broken(err error) bool {
	switch code(err) {
	case sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY,
		sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return true
	}
	return false
}

// explain adds the path, and what to do, to an error of SQLite about a whole
// file. Other errors, and nil, come back as they are.
func explain(path string, err error) error {
	const elsewhere = "or name another file (the exporter's dsn, or --store)"
	switch code(err) {
	case sqlite3.SQLITE_CORRUPT:
		return fmt.Errorf("evidence store %s is damaged: %w; it was left as it is: copy it away with its -wal file, then restore a backup, %s", path, err, elsewhere)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		return unwritable(path, err)
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return fmt.Errorf("evidence store %s is locked by another program: %w; end that program, %s", path, err, elsewhere)
	case sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL:
		return fmt.Errorf("evidence store %s: %w; look at the disk, %s", path, err, elsewhere)
	}
	return err
}
