package store

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/sqlite"
	"github.com/otelcol-agent/otelcol-agent/testbed/clickhouse/instance"
)

// corpus reads every OTLP file of the testbed, as the agents sent it.
func corpus(t *testing.T) (batches []evidence.Batch) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join("..", "..", "corpus"), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".json") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var b evidence.Batch
		var docs map[string]json.RawMessage
		if json.Unmarshal(data, &docs) != nil {
			return nil
		}
		if _, ok := docs["resourceSpans"]; ok {
			if td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(data); err == nil {
				b.Spans = evidence.FromTraces(td)
			}
		}
		if _, ok := docs["resourceLogs"]; ok {
			if ld, err := (&plog.JSONUnmarshaler{}).UnmarshalLogs(data); err == nil {
				b.Records = evidence.FromLogs(ld)
			}
		}
		if len(b.Spans)+len(b.Records) > 0 {
			batches = append(batches, b)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return batches
}

// Both engines answer with the same bytes, for what real agents sent and for
// runs of several traces.
func TestSameJSONAsSQLite(t *testing.T) {
	server := instance.Start(t)
	ch := fresh(server)
	path := filepath.Join(t.TempDir(), "evidence.db")
	one, err := sqlite.Open(path, sqlite.Settings{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	two := ch.Writer(t, now)
	batches := append(corpus(t), agentSpans(0, 8), agentSpans(3, 9))
	if len(batches) < 10 {
		t.Fatalf("%d batches, the corpus was not found", len(batches))
	}
	for i, b := range batches {
		if a, b := write(t, one, b), write(t, two, b); a != b {
			t.Errorf("batch %d: SQLite says %+v, ClickHouse %+v", i, a, b)
		}
	}
	first, err := sqlite.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	answers := func(r evidence.Reader) (out [][]byte) {
		for _, run := range runs(t, r) {
			b, err := json.Marshal(evidence.NewReport(run, ""))
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, b)
		}
		// Runs that are equally young come in an order of the engine's own.
		slices.SortFunc(out, bytes.Compare)
		return out
	}
	want, got := answers(first), answers(ch.Reader(t))
	if len(want) < 10 || len(got) != len(want) {
		t.Fatalf("ClickHouse has %d runs, SQLite %d", len(got), len(want))
	}
	for i := range want {
		if !bytes.Equal(want[i], got[i]) {
			t.Fatalf("report %d:\nSQLite     %s\nClickHouse %s", i, want[i], got[i])
		}
	}
	run, err := ch.Reader(t).Find(context.Background(), "acme", "task-1")
	if err != nil || len(run.Spans) == 0 {
		t.Error(err)
	}
	t.Logf("%d reports of %d batches are equal byte for byte", len(want), len(batches))
	_, _ = one.Close(), two.Close()
}
