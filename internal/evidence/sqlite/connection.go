package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"strings"
)

// connection is the writer's side of the file: prepared statements and what is
// remembered of the tables between transactions. One goroutine uses it.
type connection struct {
	db    *sql.DB // holds conn and nothing else
	conn  *sql.Conn
	stmts map[string]*sql.Stmt

	// What follows mirrors committed rows. It is read again after a rollback
	// and when another process wrote to the file.
	version int64 // PRAGMA data_version that it was read at
	names   *dictionary
	sources map[[16]byte]*sourceRow
	next    map[string]int64 // next id of the tables that number their rows
}

// uninterrupted is not a caller's: a transaction serves several callers, and none of them
// may interrupt it.
var uninterrupted = context.Background()

func newConnection(db *sql.DB, conn *sql.Conn) *connection {
	return &connection{db: db, conn: conn, stmts: map[string]*sql.Stmt{}}
}

func (c *connection) stmt(query string) (*sql.Stmt, error) {
	if s := c.stmts[query]; s != nil {
		return s, nil
	}
	s, err := c.conn.PrepareContext(uninterrupted, query)
	if err == nil {
		c.stmts[query] = s
	}
	return s, err
}

func (c *connection) exec(query string, args ...any) (int64, error) {
	s, err := c.stmt(query)
	if err != nil {
		return 0, err
	}
	res, err := s.ExecContext(uninterrupted, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// row reads one row; sql.ErrNoRows if there is none.
func (c *connection) row(query string, args []any, dest ...any) error {
	s, err := c.stmt(query)
	if err != nil {
		return err
	}
	return s.QueryRowContext(uninterrupted, args...).Scan(dest...)
}

// each calls scan for every row.
func (c *connection) each(query string, args []any, scan func(*sql.Rows) error) error {
	s, err := c.stmt(query)
	if err != nil {
		return err
	}
	rows, err := s.QueryContext(uninterrupted, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (c *connection) begin() error {
	if _, err := c.exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	var version int64
	if err := c.row("PRAGMA data_version", nil, &version); err != nil {
		return err
	}
	if c.next != nil && version == c.version {
		return nil
	}
	c.version = version
	return c.load()
}

// rollback also serves when SQLite has rolled back by itself.
func (c *connection) rollback() {
	_, _ = c.exec("ROLLBACK")
	c.next = nil
}

func (c *connection) load() error {
	c.next = map[string]int64{"names": 1, "sources": 1, "runs": 1, "run_keys": 1}
	err := c.each("SELECT name, seq FROM sqlite_sequence", nil, func(rows *sql.Rows) error {
		var name string
		var seq int64
		err := rows.Scan(&name, &seq)
		c.next[name] = seq + 1
		return err
	})
	if err != nil {
		return err
	}
	c.sources = map[[16]byte]*sourceRow{}
	c.names = newDictionary(c.number)
	return c.each("SELECT id, kind, name, latest FROM names", nil, c.names.load)
}

// number hands out the next id of a table. Ids are never used twice, so that
// readers may remember what they mean.
func (c *connection) number(table string) int64 {
	id := c.next[table]
	c.next[table]++
	return id
}

func (c *connection) close() error {
	for _, s := range c.stmts {
		_ = s.Close()
	}
	return errors.Join(c.conn.Close(), c.db.Close())
}

// insertion is the text of one table's insert, and its number of columns.
type insertion struct {
	head, row, tail string
	columns         int
}

func insertInto(table, columns, tail string) insertion {
	n := strings.Count(columns, ",") + 1
	return insertion{
		head:    "INSERT INTO " + table + " (" + columns + ") VALUES ",
		row:     "(" + strings.TrimSuffix(strings.Repeat("?,", n), ",") + ")",
		tail:    tail,
		columns: n,
	}
}

// maxRows is the most rows of one statement. Fewer rows go in powers of two, so
// that there are few statements to keep prepared.
const maxRows = 64

// insert stores the rows whose columns follow each other in flat.
func (c *connection) insert(t insertion, flat []any) error {
	for size := maxRows; size > 0; size /= 2 {
		for len(flat) >= size*t.columns {
			query := t.head + strings.TrimSuffix(strings.Repeat(t.row+",", size), ",") + t.tail
			if _, err := c.exec(query, flat[:size*t.columns]...); err != nil {
				return err
			}
			flat = flat[size*t.columns:]
		}
	}
	return nil
}
