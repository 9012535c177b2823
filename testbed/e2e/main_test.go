package e2e

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/sqlite"
	"github.com/otelcol-agent/otelcol-agent/internal/listing"
	"github.com/otelcol-agent/otelcol-agent/testbed/collector"
	"github.com/otelcol-agent/otelcol-agent/testbed/replay"
)

// binary is the program under test.
var binary string

// keepForever keeps evidence of fixed dates from growing too old for a test.
const keepForever = "exporters::evidencestore::retention: {evidence: 0s, records: 0s}"

func TestMain(m *testing.M) { os.Exit(build(m)) }

func build(m *testing.M) int {
	dir, err := os.MkdirTemp("", "otelcol-agent-e2e-")
	if err == nil {
		defer os.RemoveAll(dir)
		binary, err = collector.Build(context.Background(), "../..", dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// machine is a fresh user's machine: a home and what runs in it.
type machine struct {
	*testing.T
	set collector.Settings
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	return &machine{t, collector.Settings{Binary: binary, Home: t.TempDir()}}
}

func (m *machine) context() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	m.Cleanup(cancel)
	return ctx
}

// start runs the collector and ends it with the test if the test has not.
func (m *machine) start(args ...string) *collector.Process {
	m.Helper()
	set := m.set
	set.Args = append([]string{"--config=yaml:" + keepForever}, args...)
	p, err := collector.Start(m.context(), set)
	require.NoError(m, err)
	m.Cleanup(p.Kill)
	return p
}

// send posts requests that are in memory.
func (m *machine) send(p *collector.Process, bodies ...[]byte) {
	m.Helper()
	for i, body := range bodies {
		r, err := replay.Parse(fmt.Sprintf("request %d", i), body)
		require.NoError(m, err)
		require.NoError(m, replay.Send(m.context(), p.Endpoint, r))
	}
}

// run runs a command that must succeed and returns what it printed.
func (m *machine) run(args ...string) string {
	m.Helper()
	out := m.try(args...)
	require.Zero(m, out.Code, out.Stderr)
	return out.Stdout
}

func (m *machine) try(args ...string) collector.Result {
	m.Helper()
	out, err := collector.Run(m.context(), m.set, args...)
	require.NoError(m, err)
	return out
}

func (m *machine) tasks(args ...string) []listing.Row {
	m.Helper()
	var rows []listing.Row
	require.NoError(m, json.Unmarshal([]byte(m.run(append([]string{"tasks", "--format=json"}, args...)...)), &rows))
	return rows
}

func (m *machine) report(id string, args ...string) evidence.Report {
	m.Helper()
	var r evidence.Report
	require.NoError(m, json.Unmarshal([]byte(m.run(append([]string{"task", id, "--format=json"}, args...)...)), &r))
	return r
}

// store is the path of the evidence in the machine's data folder.
func (m *machine) store() string {
	return filepath.Join(m.set.Home, "data", "otelcol-agent", "evidence.db")
}

// runs reads everything that is stored.
func (m *machine) runs() []evidence.Run {
	m.Helper()
	reader, err := sqlite.OpenReader(m.store())
	require.NoError(m, err)
	defer reader.Close()
	var runs []evidence.Run
	require.NoError(m, reader.Recent(m.context(), evidence.Query{AllTenants: true}, func(r evidence.Run) bool {
		runs = append(runs, r)
		return true
	}))
	return runs
}

// count counts the rows of a table: also of what belongs to no run.
func (m *machine) count(table string) int {
	m.Helper()
	db, err := sql.Open("sqlite", "file:"+m.store()+"?mode=ro")
	require.NoError(m, err)
	defer db.Close()
	var n int
	require.NoError(m, db.QueryRow("SELECT count(*) FROM "+table).Scan(&n))
	return n
}

func corpus(t *testing.T, file string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "corpus", file))
	require.NoError(t, err)
	return b
}
