package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"strings"
)

// connection is the writer's side of the file: prepared statements and what is
// remembered of the tables between transactions. One goroutine uses it.
type connection struct {
	db    *sql.DB // holds conn and nothing else
	conn  *sql.Conn
	stmts map[string]*sql.Stmt
	bulk  map[string]driver.StmtExecContext // of insert
	args  []driver.NamedValue
	// random is asked for the name of a new log.
	random io.Reader

	// What follows mirrors committed rows. It is read again after a rollback
	// and when another process wrote to the file.
	version int64 // PRAGMA data_version that it was read at
	names   *dictionary
	sources map[[16]byte]*sourceRow
	next    map[string]int64 // next id of the tables that number their rows
	log     rowLog
}

// uninterrupted is not a caller's: a transaction serves several callers, and none of them
// may interrupt it.
var uninterrupted = context.Background()

func newConnection(db *sql.DB, conn *sql.Conn, random io.Reader) *connection {
	return &connection{db: db, conn: conn, stmts: map[string]*sql.Stmt{}, bulk: map[string]driver.StmtExecContext{}, random: random}
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

// begin opens a transaction; now is 0 without a clock.
func (c *connection) begin(now int64) error {
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
	if err := c.load(); err != nil {
		return err
	}
	return c.loadLog(now, c.random)
}

// commit signs what the transaction recorded, and ends it.
func (c *connection) commit(now int64) error {
	if err := c.sign(now); err != nil {
		return err
	}
	_, err := c.exec("COMMIT")
	return err
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
	_ = c.conn.Raw(func(any) error {
		for _, s := range c.bulk {
			_ = s.(driver.Stmt).Close()
		}
		return nil
	})
	return errors.Join(c.conn.Close(), c.db.Close())
}

// execBulk hands the values to the driver as they are, which database/sql would
// convert one by one: they must be of the driver's own types.
func (c *connection) execBulk(query string, values []any) error {
	c.args = c.args[:0]
	for i, v := range values {
		c.args = append(c.args, driver.NamedValue{Ordinal: i + 1, Value: v})
	}
	return c.conn.Raw(func(raw any) error {
		s := c.bulk[query]
		if s == nil {
			prepared, err := raw.(driver.ConnPrepareContext).PrepareContext(uninterrupted, query)
			if err != nil {
				return err
			}
			s = prepared.(driver.StmtExecContext)
			c.bulk[query] = s
		}
		_, err := s.ExecContext(uninterrupted, c.args)
		return err
	})
}

// insertion is the text of one table's insert, and its number of columns.
type insertion struct {
	names, head, row, tail string
	columns                int
}

func insertInto(table, columns, tail string) insertion {
	n := strings.Count(columns, ",") + 1
	return insertion{
		names:   columns,
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
			if err := c.execBulk(query, flat[:size*t.columns]); err != nil {
				return err
			}
			flat = flat[size*t.columns:]
		}
	}
	return nil
}
