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

func TestMain(m *testing.M) {
	if dsn := os.Getenv(childDSN); dsn != "" {
		writeUntilKilled(dsn)
	}
	os.Exit(instance.Main(m))
}

var databases atomic.Int64

// database is a fresh database of a server.
type database struct {
	server *instance.Instance
	name   string
	key    string // file of the key that signs its log
	native bool   // whether the store speaks the native protocol to it
	// cluster is the option of the store.
	cluster string
}

func fresh(server *instance.Instance) *database {
	name := fmt.Sprintf("evidence_%d", databases.Add(1))
	return &database{server: server, name: name, key: filepath.Join(server.Folder(), name+".key")}
}

// overBoth runs a test over HTTP and over the native protocol, each with a server
// of its own.
func overBoth(t *testing.T, test func(t *testing.T, server *instance.Instance, d *database)) {
	for name, native := range map[string]bool{"http": false, "native": true} {
		t.Run(name, func(t *testing.T) {
			d := fresh(instance.Start(t))
			d.native = native
			test(t, d.server, d)
		})
	}
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

// addr is where the store finds the server.
func (d *database) addr() string {
	if d.native {
		return d.server.Native
	}
	return d.server.Addr
}

func (d *database) settings(now func() time.Time) clickhouse.Settings {
	s := clickhouse.Settings{DSN: d.server.DSN(d.name), CreateSchema: true, Now: now, Cluster: d.cluster, KeyFile: d.key}
	if d.native {
		s.DSN = d.server.NativeDSN(d.name)
	}
	return s
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
