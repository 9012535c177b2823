// Package store takes the ClickHouse evidence store through its contract, its
// faults and its speed, against the real engine.
package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/clickhouse"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/ledger"
	"github.com/otelcol-agent/otelcol-agent/testbed/clickhouse/instance"
)

func TestMain(m *testing.M) { os.Exit(instance.Main(m)) }

var databases atomic.Int64

// database is a fresh database of a server.
type database struct {
	server *instance.Instance
	name   string
	key    string // file of the key that signs its log
}

func fresh(server *instance.Instance) *database {
	name := fmt.Sprintf("evidence_%d", databases.Add(1))
	return &database{server, name, filepath.Join(server.Folder(), name+".key")}
}

func (d *database) settings(now func() time.Time) clickhouse.Settings {
	return clickhouse.Settings{DSN: d.server.DSN(d.name), CreateSchema: true, Now: now, KeyFile: d.key}
}

// Verifier is the public half of the key that signs.
func (d *database) Verifier(t *testing.T) string {
	t.Helper()
	key, err := ledger.LoadVerifier(ledger.PublicFile(d.key))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func (d *database) Writer(t *testing.T, now func() time.Time) evidence.Writer {
	t.Helper()
	w, err := clickhouse.Open(context.Background(), d.settings(now))
	if err != nil {
		t.Fatal(whole(err))
	}
	return w
}

func (d *database) Reader(t *testing.T) evidence.Reader {
	t.Helper()
	r, err := clickhouse.OpenReader(context.Background(), d.settings(nil))
	if err != nil {
		t.Fatal(whole(err))
	}
	return r
}

func (d *database) Quarantine(t *testing.T) (reasons []string) {
	t.Helper()
	return column[string](t, d, "SELECT reason FROM "+d.name+".quarantine FINAL")
}

// query gives a test its own connection.
func (d *database) conn(t testing.TB) driver.Conn {
	t.Helper()
	opts, err := driver.ParseDSN(d.server.DSN(""))
	if err != nil {
		t.Fatal(err)
	}
	opts.Compression = &driver.Compression{Method: driver.CompressionLZ4}
	c, err := driver.Open(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func column[T any](t testing.TB, d *database, query string) (out []T) {
	t.Helper()
	rows, err := d.conn(t).Query(context.Background(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var v T
		if err := rows.Scan(&v); err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// whole is an error with the text of the server, which the store keeps to
// itself.
func whole(err error) error {
	for e := err; e != nil; {
		if x, ok := e.(*driver.Exception); ok {
			return fmt.Errorf("%w: %s", err, x.Message)
		}
		u, ok := e.(interface{ Unwrap() error })
		if !ok {
			return fmt.Errorf("%w: %v", err, e)
		}
		e = u.Unwrap()
	}
	return err
}
