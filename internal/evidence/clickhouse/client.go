package clickhouse

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/ClickHouse/ch-go/compress"
	driver "github.com/ClickHouse/clickhouse-go/v2"
)

// client asks one server, or one cluster through a server of it.
type client struct {
	conn   driver.Conn
	place  string
	layout layout
	known  []migration
	tables map[string]*insertTable
	http   bool
	// reading are settings of the questions of a reader who may have some.
	reading driver.Settings
	// anyIndex says that one question may ask for columns of several indexes, joined by
	// OR, and still read few rows.
	anyIndex bool
	// compressor makes one, nil if blocks are not compressed one by one.
	compressor func() *compress.Writer
}

// insertTable is a table as inserts see it.
type insertTable struct {
	columns []driver.ColumnNameAndType
	query   string

	mu     sync.Mutex
	blocks []*block // to be used again
}

// connect makes a client; it does not ask the server yet.
func connect(s *Settings) (*client, error) {
	opts, l, err := s.driverOptions()
	if err != nil {
		return nil, err
	}
	known, err := migrations(schemaFiles)
	if err != nil {
		return nil, err
	}
	conn, err := driver.Open(opts)
	if err != nil {
		return nil, fmt.Errorf("evidence store %s: the settings of the connection do not fit each other", s.Place())
	}
	c := &client{conn: conn, place: s.Place(), layout: l, known: known, tables: map[string]*insertTable{}, http: opts.Protocol == driver.HTTP}
	if m := opts.Compression.Method; m == driver.CompressionLZ4 || m == driver.CompressionZSTD {
		c.compressor = func() *compress.Writer {
			return compress.NewWriter(compress.Level(opts.Compression.Level), compress.Method(m))
		}
	}
	all, err := objects(known, layout{database: l.database})
	if err != nil {
		return nil, err
	}
	for _, o := range all {
		t := &insertTable{}
		var names []string
		for _, col := range o.columns {
			if !col.computed {
				t.columns = append(t.columns, driver.ColumnNameAndType{Name: col.name, Type: col.kind})
				names = append(names, col.name)
			}
		}
		t.query = "INSERT INTO " + l.spread(o.name) + " (" + strings.Join(names, ", ") + ")"
		c.tables[o.name] = t
	}
	return c, nil
}

func (c *client) close() error { return c.conn.Close() }

// exec runs a statement that answers nothing.
func (c *client) exec(ctx context.Context, statement string) error {
	return c.conn.Exec(ctx, statement)
}

// undated is ctx without its deadline, which still ends when ctx does. The
// driver makes a setting of a deadline, and a user who may only read may not
// change settings.
func undated(ctx context.Context) (context.Context, context.CancelFunc) {
	out, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })
	return out, func() { stop(); cancel(nil) }
}

// each calls f for every row; f scans it.
func (c *client) each(ctx context.Context, query string, f func(scan func(...any) error) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	outer := ctx
	ctx, cancel := undated(ctx)
	defer cancel()
	if c.reading != nil {
		ctx = driver.Context(ctx, driver.WithSettings(c.reading))
	}
	err := c.read(ctx, query, f)
	if err != nil && outer.Err() != nil {
		return outer.Err()
	}
	return err
}

func (c *client) read(ctx context.Context, query string, f func(scan func(...any) error) error) error {
	rows, err := c.conn.Query(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := f(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

var leaving = driver.Settings{"cancel_http_readonly_queries_on_client_close": 1}

// stopWhenLeft has the server stop a question whose asker has gone. Over the native
// protocol the driver says so itself; over HTTP the server has to be asked to look, which
// a user who may change no setting cannot do.
func (c *client) stopWhenLeft(ctx context.Context) error {
	if !c.http {
		return nil
	}
	return c.each(ctx, "SELECT toUInt64(getSetting('readonly'))", func(scan func(...any) error) error {
		var readonly uint64
		err := scan(&readonly)
		if readonly != 1 {
			c.reading = leaving
		}
		return err
	})
}

// askIndexes finds out what the server's indexes can do. Older servers cannot say.
func (c *client) askIndexes(ctx context.Context) error {
	var n uint64
	err := c.one(ctx, "SELECT count() FROM system.settings WHERE name = 'use_skip_indexes_for_disjunctions' AND value IN ('1', 'true')", &n)
	c.anyIndex = n == 1
	return err
}

// insertSettings make the server know a block again by its token, also behind
// materialized views, and answer only when it is stored. It need not merge the
// rows of a block: rows come once a block, and readers merge.
func (c *client) insertSettings(token string) driver.Settings {
	s := driver.Settings{
		"insert_deduplicate":                                 1,
		"insert_deduplication_token":                         token,
		"deduplicate_blocks_in_dependent_materialized_views": 1,
		"async_insert":                                       0,
		"optimize_on_insert":                                 0,
	}
	if c.layout.cluster != "" {
		s["distributed_foreground_insert"] = 1
	}
	return s
}
