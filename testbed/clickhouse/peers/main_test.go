// Package peers puts the evidence store beside the stock ClickHouse exporter: same
// engine, same spans, both over HTTP. The stock exporter is nowhere else.
package peers

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/open-telemetry/opentelemetry-collector-contrib/exporter/clickhouseexporter"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/exporter/evidencestore"
	"github.com/otelcol-agent/otelcol-agent/testbed/clickhouse/instance"
)

func TestMain(m *testing.M) { os.Exit(instance.Main(m)) }

// batches is how many of them each peer is sent, those that warm up counted.
var batches = flag.Int("batches", 12, "batches of 8192 spans; the figures of docs/benchmarks.md are of 24")

const (
	batchSpans = 8192
	senders    = 6 // at the same time, as the consumers of a queue are
)

// agentTraces is one batch of redacted agent telemetry: traces of sixteen spans,
// two to a task, a tool call with decision and effect among every four.
func agentTraces(batch int) ptrace.Traces {
	start := time.Now().Add(-time.Hour).UnixNano() + int64(batch)*10e9
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	for k, v := range map[string]string{"service.name": "coder", "service.version": "2.1.0", "tenant.id": "acme", "host.arch": "amd64", "os.type": "linux", "telemetry.sdk.name": "opentelemetry"} {
		rs.Resource().Attributes().PutStr(k, v)
	}
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName("agentevents")
	for i := range batchSpans {
		n := batch*batchSpans + i
		var trace [16]byte
		binary.BigEndian.PutUint64(trace[:], uint64(n/16+1)*0x9e3779b97f4a7c15)
		binary.BigEndian.PutUint64(trace[8:], uint64(n/16+1)*0xc2b2ae3d27d4eb4f)
		id := func(n int) (out [8]byte) {
			binary.BigEndian.PutUint64(out[:], uint64(n+1)*0xbf58476d1ce4e5b9)
			return out
		}
		s := ss.Spans().AppendEmpty()
		s.SetTraceID(trace)
		s.SetSpanID(id(n))
		if n%16 != 0 {
			s.SetParentSpanID(id(n / 16 * 16))
		} else if n/16%2 == 1 {
			l := s.Links().AppendEmpty()
			var before [16]byte
			binary.BigEndian.PutUint64(before[:], uint64(n/16)*0x9e3779b97f4a7c15)
			binary.BigEndian.PutUint64(before[8:], uint64(n/16)*0xc2b2ae3d27d4eb4f)
			l.SetTraceID(before)
			l.SetSpanID(id(n - 16))
			l.Attributes().PutStr("app.link.relation", "continues")
		}
		s.SetKind(ptrace.SpanKindInternal)
		at := start + int64(i)*1e6
		s.SetStartTimestamp(pcommon.Timestamp(at))
		s.SetEndTimestamp(pcommon.Timestamp(at + 731_512_931 + int64(n%977)*10_007))
		a := s.Attributes()
		a.PutStr("app.task.id", fmt.Sprintf("task-%08d", n/32))
		a.PutStr("gen_ai.agent.name", "coder")
		a.PutStr("gen_ai.conversation.id", fmt.Sprintf("6f1c2d3e-4b5a-4c7d-8e9f-%012d", n/32))
		a.PutStr("app.session.id", fmt.Sprintf("6f1c2d3e-4b5a-4c7d-8e9f-%012d", n/32))
		a.PutStr("app.turn.id", fmt.Sprintf("turn-%08d", n/16))
		a.PutStr("app.harness.name", "a-harness")
		a.PutStr("app.harness.version", "2.1.0")
		a.PutStr("app.mapping.snapshot", "genai-2026-08-15")
		a.PutStr("app.redaction.policy", "9b1e0c7a55d14f0c")
		a.PutInt("app.redaction.count", 3)
		a.PutEmptySlice("app.mapping.inferred").AppendEmpty().SetStr("gen_ai.operation.name")
		if i%4 == 0 {
			s.SetName("execute_tool Bash")
			a.PutStr("gen_ai.operation.name", "execute_tool")
			a.PutStr("gen_ai.tool.name", "Bash")
			a.PutStr("gen_ai.tool.call.id", fmt.Sprintf("toolu_01%020d", n))
			a.PutStr("app.tool.effect_class", "write")
			a.PutStr("app.permission.decision", "allow")
			a.PutStr("app.permission.decided_by", "user")
			a.PutStr("app.effect.stage", "acked")
			a.PutStr("app.effect.request.digest", fmt.Sprintf("%032x", uint64(n)*0x94d049bb133111eb))
			continue
		}
		s.SetName("chat a-model-4")
		a.PutStr("gen_ai.operation.name", "chat")
		a.PutStr("gen_ai.provider.name", "a-provider")
		a.PutStr("gen_ai.request.model", "a-model-4")
		a.PutStr("gen_ai.response.id", fmt.Sprintf("msg_01%020d", n))
		a.PutInt("gen_ai.usage.input_tokens", int64(1000+n%7001))
		a.PutInt("gen_ai.usage.output_tokens", int64(10+n%503))
		a.PutDouble("app.cost.usd", float64(n%1009)/997)
	}
	return td
}

// peer is one of the two.
type peer struct {
	name, database string
	exporter       exporter.Traces
	wall           time.Duration
	here, there    time.Duration // of processors, in this process and in the server
}

// processorTime is what this process has used so far: other work on the machine
// does not count.
func processorTime(t *testing.T) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func newPeer(t testing.TB, f exporter.Factory, name, database string, config map[string]any) *peer {
	t.Helper()
	cfg := f.CreateDefaultConfig()
	if err := confmap.NewFromStringMap(config).Unmarshal(cfg); err != nil {
		t.Fatal(err)
	}
	e, err := f.CreateTraces(context.Background(), exportertest.NewNopSettings(f.Type()), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Start(context.Background(), componenttest.NewNopHost()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Shutdown(context.Background()) })
	return &peer{name: name, database: database, exporter: e}
}

// TestBesideTheStockExporter writes the same batches with both, in turns, and
// compares time and bytes on disk after all parts were merged.
func TestBesideTheStockExporter(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	server := instance.Start(t)
	ours := newPeer(t, evidencestore.NewFactory(), "evidencestore without its log", "ours", map[string]any{"dsn": server.DSN("ours"), "timeout": "60s",
		"ledger": map[string]any{"enabled": false}})
	logged := newPeer(t, evidencestore.NewFactory(), "evidencestore", "logged", map[string]any{"dsn": server.DSN("logged"), "timeout": "60s",
		"ledger": map[string]any{"key_file": filepath.Join(t.TempDir(), "ledger.key")}})
	stock := newPeer(t, clickhouseexporter.NewFactory(), "stock exporter", "stock", map[string]any{
		"endpoint": "http://" + server.Addr, "username": instance.Writer, "password": instance.WriterPassword, "database": "stock",
		"create_schema": true, "async_insert": false, "compress": "lz4", "timeout": "60s", "sending_queue": map[string]any{"enabled": false},
	})
	opts, err := driver.ParseDSN(server.DSN(""))
	if err != nil {
		t.Fatal(err)
	}
	conn, err := driver.Open(opts)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	// Merges of one would be counted for the other.
	if err := conn.Exec(context.Background(), "SYSTEM STOP MERGES"); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < *batches; i += senders {
		for _, p := range []*peer{ours, logged, stock} {
			var data []ptrace.Traces
			for n := range senders {
				data = append(data, agentTraces(i+n))
			}
			began, here, there := time.Now(), processorTime(t), server.ProcessorTime(t)
			var wg sync.WaitGroup
			for _, td := range data {
				wg.Go(func() {
					if err := p.exporter.ConsumeTraces(context.Background(), td); err != nil {
						t.Error(p.name, err)
					}
				})
			}
			wg.Wait()
			if i > 0 { // the first ones warm up
				p.wall += time.Since(began)
				p.here += processorTime(t) - here
				p.there += server.ProcessorTime(t) - there
			}
		}
	}
	if err := conn.Exec(context.Background(), "SYSTEM START MERGES"); err != nil {
		t.Fatal(err)
	}
	spans := float64((*batches - senders) * batchSpans)
	ourBytes, ourAll := size(t, conn, ours)
	loggedBytes, loggedAll := size(t, conn, logged)
	stockBytes, _ := size(t, conn, stock)
	for _, p := range []*peer{ours, logged, stock} {
		t.Logf("%s: %.0f spans/s by the clock; a span costs %.1f µs of a core here and %.1f µs in the server", p.name, spans/p.wall.Seconds(),
			p.here.Seconds()*1e6/spans, p.there.Seconds()*1e6/spans)
	}
	for _, p := range []*peer{ours, logged} {
		t.Logf("%s: %.2f times the spans of the stock exporter for the same work, %.2f times by the clock", p.name,
			float64(stock.here+stock.there)/float64(p.here+p.there), stock.wall.Seconds()/p.wall.Seconds())
	}
	t.Logf("bytes a span on disk: spans with their links %.1f (with the log %.1f), all tables %.1f (with the log %.1f), the stock exporter's %.1f",
		ourBytes, loggedBytes, ourAll, loggedAll, stockBytes)
	// What is measured is written in docs/benchmarks.md. Time decides nothing here.
	if max(ourBytes, loggedBytes) > stockBytes {
		t.Errorf("spans take %.1f B on disk, %.1f with the log, more than the %.1f of the stock exporter", ourBytes, loggedBytes, stockBytes)
	}
	// The stock exporter keeps nothing like the log, which is digests and does not compress.
	if loggedAll-ourAll > 60 {
		t.Errorf("the log takes %.1f B a span", loggedAll-ourAll)
	}
	if ourAll > stockBytes {
		t.Errorf("all tables take %.1f B a span, more than the %.1f of the stock exporter", ourAll, stockBytes)
	}
}

// size merges all parts of a peer's tables and returns the bytes a span takes:
// what the stock exporter keeps too (spans and links), and everything.
func size(t *testing.T, conn driver.Conn, p *peer) (same, all float64) {
	t.Helper()
	each := func(query string, f func(scan func(...any) error) error) {
		t.Helper()
		rows, err := conn.Query(context.Background(), query)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			if err := f(rows.Scan); err != nil {
				t.Fatal(err)
			}
		}
	}
	var tables []string
	each("SELECT name FROM system.tables WHERE database = '"+p.database+"' AND engine LIKE '%MergeTree'", func(scan func(...any) error) error {
		var name string
		err := scan(&name)
		tables = append(tables, name)
		return err
	})
	for _, name := range tables {
		if err := conn.Exec(context.Background(), "OPTIMIZE TABLE "+p.database+"."+name+" FINAL"); err != nil {
			t.Fatal(err)
		}
	}
	var detail []string
	each("SELECT table, sum(bytes_on_disk), sum(rows) FROM system.parts WHERE active AND database = '"+p.database+"' GROUP BY table ORDER BY 2 DESC",
		func(scan func(...any) error) error {
			var name string
			var b, n uint64
			err := scan(&name, &b, &n)
			share := float64(b) / float64(*batches*batchSpans)
			all += share
			if name == "spans" || name == "links" || p.name == "stock exporter" {
				same += share
			}
			detail = append(detail, fmt.Sprintf("%s %.1f B of %d rows", name, share, n))
			return err
		})
	t.Logf("%s: %s", p.name, strings.Join(detail, ", "))
	return same, all
}
