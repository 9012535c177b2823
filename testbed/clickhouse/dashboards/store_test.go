package dashboards

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	driver "github.com/ClickHouse/clickhouse-go/v2"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/exporter/evidencestore"
	"github.com/otelcol-agent/otelcol-agent/testbed/clickhouse/instance"
)

func TestMain(m *testing.M) { os.Exit(instance.Main(m)) }

const database = "evidence"

// root is the folder of the repository.
const root = "../../.."

// exporters are those of the store in a server; they end with the test.
// A cluster's tables are Distributed ones.
func exporters(t *testing.T, server *instance.Instance, cluster string) (exporter.Traces, exporter.Logs) {
	t.Helper()
	factory := evidencestore.NewFactory()
	cfg := factory.CreateDefaultConfig()
	must(t, confmap.NewFromStringMap(map[string]any{
		"dsn":        server.DSN(database),
		"ledger":     map[string]any{"key_file": filepath.Join(server.Folder(), "key")},
		"clickhouse": map[string]any{"cluster": cluster},
		// The example has fixed dates.
		"retention": map[string]any{"evidence": "0s", "records": "0s"},
	}).Unmarshal(cfg))
	set := exportertest.NewNopSettings(factory.Type())
	traces, err := factory.CreateTraces(t.Context(), set, cfg)
	must(t, err)
	logs, err := factory.CreateLogs(t.Context(), set, cfg)
	must(t, err)
	host := componenttest.NewNopHost()
	must(t, traces.Start(t.Context(), host))
	must(t, logs.Start(t.Context(), host))
	t.Cleanup(func() {
		must(t, traces.Shutdown(context.Background()))
		must(t, logs.Shutdown(context.Background()))
	})
	return traces, logs
}

// export sends the requests of a folder through the exporter: one after the other,
// then all of a signal at once, so that rows come again in another block.
func export(t *testing.T, server *instance.Instance, folder string) {
	t.Helper()
	traces, logs := exporters(t, server, "")
	allTraces, allLogs := ptrace.NewTraces(), plog.NewLogs()
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s holds no requests: %v", folder, err)
	}
	for _, file := range files {
		body, err := os.ReadFile(file)
		must(t, err)
		if strings.HasSuffix(file, "-logs.json") {
			ld, err := (&plog.JSONUnmarshaler{}).UnmarshalLogs(body)
			must(t, err)
			must(t, logs.ConsumeLogs(t.Context(), ld))
			ld.ResourceLogs().MoveAndAppendTo(allLogs.ResourceLogs())
			continue
		}
		td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(body)
		must(t, err)
		must(t, traces.ConsumeTraces(t.Context(), td))
		td.ResourceSpans().MoveAndAppendTo(allTraces.ResourceSpans())
	}
	c := connect(t, server)
	for _, table := range []string{"spans", "events", "verdicts", "claims", "protocols", "controls", "event_decisions", "event_effects"} {
		must(t, c.Exec(t.Context(), "SYSTEM STOP MERGES "+table))
	}
	must(t, traces.ConsumeTraces(t.Context(), allTraces))
	must(t, logs.ConsumeLogs(t.Context(), allLogs))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// connect opens a connection over the native protocol, as Grafana's plugin does.
func connect(t *testing.T, server *instance.Instance) driver.Conn {
	t.Helper()
	opts, err := driver.ParseDSN(server.DSN(database))
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

// ask returns the rows of a query, each as its columns' texts.
func ask(t *testing.T, c driver.Conn, query string) (columns []string, rows [][]string, err error) {
	t.Helper()
	found, err := c.Query(t.Context(), query)
	if err != nil {
		return nil, nil, err
	}
	defer found.Close()
	columns = found.Columns()
	kinds := found.ColumnTypes()
	for found.Next() {
		dest := make([]any, len(columns))
		for i, kind := range kinds {
			dest[i] = reflect.New(kind.ScanType()).Interface()
		}
		if err := found.Scan(dest...); err != nil {
			return nil, nil, err
		}
		row := make([]string, len(columns))
		for i := range dest {
			row[i] = textOf(reflect.ValueOf(dest[i]).Elem())
		}
		rows = append(rows, row)
	}
	return columns, rows, found.Err()
}

// textOf writes a value; nothing for NULL.
func textOf(v reflect.Value) string {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return ""
		}
		v = v.Elem()
	}
	return fmt.Sprint(v.Interface())
}
