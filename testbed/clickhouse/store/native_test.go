package store

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"os"
	"strings"
	"testing"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence/clickhouse"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/storetest"
	"github.com/otelcol-agent/otelcol-agent/testbed/clickhouse/instance"
)

// All of it passes too, and takes some minutes more.
func TestContractNative(t *testing.T) {
	t.Parallel()
	p := &pool{server: instance.Start(t), reach: func(d *database) { d.native = true }}
	storetest.Run(t, func(t *testing.T) storetest.Store { return p.lend(t) }, contractPart...)
}

// The native protocol in every way that a DSN can ask for: compressed or not, in
// the clear or over TLS, whose certificate is trusted, not looked at, or refused.
func TestNativeConnections(t *testing.T) {
	server := instance.Start(t)
	secure := strings.Replace(server.NativeDSN(""), server.Native, server.Secure, 1)
	pem, err := os.ReadFile(server.Certificate())
	if err != nil {
		t.Fatal(err)
	}
	trusted := x509.NewCertPool()
	if !trusted.AppendCertsFromPEM(pem) {
		t.Fatal("no certificate")
	}
	for name, c := range map[string]struct {
		dsn  func(database string) string
		tls  *tls.Config
		fail bool
	}{
		"lz4":             {dsn: func(db string) string { return server.NativeDSN(db) }},
		"zstd":            {dsn: func(db string) string { return server.NativeDSN(db) + "?compress=zstd" }},
		"not compressed":  {dsn: func(db string) string { return server.NativeDSN(db) + "?compress=none" }},
		"secure":          {dsn: func(db string) string { return secure + db + "?secure=true&skip_verify=true" }},
		"clickhouses":     {dsn: func(db string) string { return strings.Replace(secure, "clickhouse://", "clickhouses://", 1) + db }, tls: &tls.Config{RootCAs: trusted}},
		"TLS of settings": {dsn: func(db string) string { return secure + db }, tls: &tls.Config{RootCAs: trusted}},
		"not trusted":     {dsn: func(db string) string { return secure + db + "?secure=true" }, fail: true},
	} {
		t.Run(name, func(t *testing.T) {
			d := fresh(server)
			s := d.settings(now)
			s.DSN, s.TLS = c.dsn(d.name), c.tls
			w, err := clickhouse.Open(short(t), s)
			if c.fail {
				if err == nil {
					_ = w.Close()
					t.Fatal("a certificate that nobody vouches for is taken")
				}
				if !strings.Contains(err.Error(), "certificate") {
					t.Errorf("%v, want what is wrong with the certificate", err)
				}
				return
			}
			if err != nil {
				t.Fatal(whole(err))
			}
			defer w.Close()
			b := agentSpans(0, 2)
			for _, want := range []int{34, 0} {
				if res := write(t, w, b); res.Stored != want {
					t.Errorf("stored %+v, want %d", res, want)
				}
			}
			// Known by its token, which goes as a setting of the query.
			if n := count(t, d, "SELECT count() FROM "+d.name+".spans"); n != 32 {
				t.Errorf("%d rows of 32 spans that came twice", n)
			}
			r, err := clickhouse.OpenReader(short(t), s)
			if err != nil {
				t.Fatal(whole(err))
			}
			defer r.Close()
			if got := runs(t, r); len(got) != 1 || len(got[0].Spans) != 32 || len(got[0].Records) != 2 {
				t.Errorf("%d runs", len(got))
			}
		})
	}
}

// What clients rely on, beside what the store uses.
func TestServerSpeaksNative(t *testing.T) {
	server := instance.Start(t)
	conn := func(user, password string) driver.Conn {
		t.Helper()
		c, err := driver.Open(&driver.Options{Addr: []string{server.Native}, Auth: driver.Auth{Username: user, Password: password}, Compression: &driver.Compression{Method: driver.CompressionLZ4}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	code := func(err error) int32 {
		var e *driver.Exception
		if x, ok := err.(*driver.Exception); ok {
			e = x
			return e.Code
		}
		return 0
	}
	writer, reader := conn(instance.Writer, instance.WriterPassword), conn(instance.Reader, instance.ReaderPassword)
	if err := writer.Ping(context.Background()); err != nil {
		t.Fatal(err)
	}
	v, err := writer.ServerVersion()
	if err != nil || v.Revision < 54460 || v.Version.Major != 26 {
		t.Errorf("%+v, %v", v, err)
	}
	for name, c := range map[string]struct {
		conn      driver.Conn
		statement string
		settings  driver.Settings
		code      int32
	}{
		"syntax":           {writer, "SELEC 1", nil, 62},
		"no such table":    {writer, "SELECT 1 FROM system.nothing", nil, 60},
		"no such setting":  {writer, "SELECT 1", driver.Settings{"nothing_like_it": 1}, 115},
		"reader writes":    {reader, "CREATE DATABASE x", nil, 164},
		"reader may write": {reader, "SELECT 1", driver.Settings{"readonly": 0}, 164},
		"nobody":           {conn("nobody", ""), "SELECT 1", nil, 516},
	} {
		ctx := driver.Context(context.Background(), driver.WithSettings(c.settings))
		if err := c.conn.Exec(ctx, c.statement); code(err) != c.code {
			t.Errorf("%s: %v, want code %d", name, err, c.code)
		}
	}
	for query, want := range map[string]int{
		"SELECT number FROM numbers(200000)": 200000, "SELECT number FROM numbers(3) WHERE number > 5": 0, "SELECT 1": 1,
	} {
		rows, err := writer.Query(context.Background(), query)
		if err != nil {
			t.Errorf("%s: %v", query, err)
			continue
		}
		n := 0
		for rows.Next() {
			n++
		}
		if n != want || rows.Err() != nil || len(rows.Columns()) != 1 {
			t.Errorf("%s: %d rows, want %d, %v", query, n, want, rows.Err())
		}
	}
	// After an insert that is refused the connection goes on.
	if err := writer.Exec(context.Background(), "CREATE DATABASE native"); err != nil {
		t.Fatal(err)
	}
	if err := writer.Exec(context.Background(), "CREATE TABLE native.t (a UInt8, CONSTRAINT few CHECK a < 10) ENGINE = MergeTree ORDER BY a"); err != nil {
		t.Fatal(err)
	}
	for value, want := range map[uint8]int32{1: 0, 20: 469} {
		batch, err := writer.PrepareBatch(context.Background(), "INSERT INTO native.t (a)")
		if err == nil {
			err = batch.Append(value)
		}
		if err == nil {
			err = batch.Send()
		}
		if code(err) != want {
			t.Errorf("insert of %d: %v, want code %d", value, err, want)
		}
	}
	var n uint64
	if err := writer.QueryRow(context.Background(), "SELECT count() FROM native.t").Scan(&n); err != nil || n != 1 {
		t.Errorf("%d rows, %v", n, err)
	}
}
