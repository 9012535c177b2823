package store

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/sqlite"
	"github.com/otelcol-agent/otelcol-agent/testbed/clickhouse/instance"
)

// A reviewer who puts two attempts side by side reads the same of both engines.
func TestAttemptsAreComparedTheSame(t *testing.T) {
	binary := os.Getenv("OTELCOL_AGENT_BIN")
	if binary == "" {
		t.Skip("OTELCOL_AGENT_BIN names no binary; make clickhouse builds one")
	}
	data, err := os.ReadFile(filepath.Join("..", "..", "corpus", "two_attempts.json"))
	if err != nil {
		t.Fatal(err)
	}
	td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(data)
	if err != nil {
		t.Fatal(err)
	}
	server := instance.Start(t)
	d := fresh(server)
	path := filepath.Join(t.TempDir(), "evidence.db")
	one, err := sqlite.Open(path, sqlite.Settings{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []evidence.Writer{one, d.Writer(t, now)} {
		write(t, w, evidence.Batch{Spans: evidence.FromTraces(td)})
	}
	if err := one.Close(); err != nil {
		t.Fatal(err)
	}
	for _, attempts := range [][]string{{"1", "2"}, {"push-7:1", "push-7:2"}} {
		var said [2]string
		for i, store := range []string{path, server.DSN(d.name)} {
			out, err := exec.Command(binary, "task", "t-fix", "--compare", attempts[0], attempts[1], "--store", store).CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %v\n%s", attempts, err, out)
			}
			said[i] = string(out)
		}
		if said[0] != said[1] || len(said[0]) < 300 {
			t.Errorf("%v\nSQLite:\n%s\nClickHouse:\n%s", attempts, said[0], said[1])
		}
	}
}
