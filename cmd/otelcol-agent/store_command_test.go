package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/ledger"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/sqlite"
)

const subject = "0123456789abcdef0123"

// storeOf makes a store with these many spans, an hour apart, of which the first
// speaks of the subject.
func storeOf(t *testing.T, spans int) string {
	path := filepath.Join(t.TempDir(), "evidence.db")
	w, err := sqlite.Open(path, sqlite.Settings{Now: time.Now})
	require.NoError(t, err)
	var b evidence.Batch
	for i := range spans {
		at := time.Now().Add(-time.Duration(i) * time.Hour).UnixNano()
		s := evidence.Span{ID: evidence.StepID{Trace: evidence.TraceID{1}, Span: evidence.SpanID{byte(i + 1)}}, Name: "s", Start: at, End: at, Status: "unset", Attrs: evidence.Attrs{}}
		if i == 0 {
			s.Attrs["who"] = subject
		}
		b.Spans = append(b.Spans, s)
	}
	_, err = w.Write(context.Background(), b)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return path
}

func change(t *testing.T, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	defer db.Close()
	_, err = db.Exec(statement)
	require.NoError(t, err)
}

// run executes a command that must succeed, and reads its JSON into v if v is
// not nil.
func run(t *testing.T, v any, args ...string) string {
	t.Helper()
	stdout, _, err := execute(args...)
	require.NoError(t, err)
	if v != nil {
		require.NoError(t, json.Unmarshal([]byte(stdout), v), stdout)
	}
	return stdout
}

func TestStoreCommandsRefuseWrongUsage(t *testing.T) {
	for want, args := range map[string][]string{
		"store must be followed by":                   {"store"},
		`unknown command "more"`:                      {"store", "stats", "more"},
		"format must be text or json":                 {"store", "check", "--format", "xml"},
		"prune needs --evidence or --records":         {"store", "prune"},
		"evidence is a time to come":                  {"store", "prune", "--evidence", "2999-01-01"},
		"records is a time to come":                   {"store", "prune", "--records", "2999-01-01T00:00:00Z", "--dry-run"},
		"evidence must be a duration":                 {"store", "prune", "--evidence", "soon"},
		"subject must be a digest":                    {"store", "erase", "--subject", "short"},
		"unknown flag: --nope":                        {"verify", "--nope"},
		`unknown command "x" for "otelcol-agent ver`:  {"verify", "x"},
		"format must be text or json, found \"yaml\"": {"verify", "--format", "yaml"},
	} {
		_, _, err := execute(args...)
		var usage usageError
		require.True(t, errors.As(err, &usage), "%v: %v", args, err)
		require.ErrorContains(t, err, want)
	}
}

func TestStoreCommandsMakeNoStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mistyped.db")
	for _, args := range [][]string{
		{"store", "stats"}, {"store", "check"}, {"store", "migrate"}, {"store", "prune", "--evidence", "1d"},
		{"store", "erase", "--subject", subject}, {"verify"},
	} {
		_, _, err := execute(append(args, "--store", path)...)
		require.Error(t, err, args)
		var usage usageError
		require.False(t, errors.As(err, &usage), args)
		require.NoFileExists(t, path)
	}
}

func TestStoreStatsAndCheck(t *testing.T) {
	path := storeOf(t, 10)
	var s evidence.Stats
	run(t, &s, "store", "stats", "--store", path, "--format", "json")
	require.Equal(t, int64(10), s.Rows["spans"])
	require.Contains(t, run(t, nil, "store", "stats", "--store", path), "bytes a span")

	var damage []evidence.Damage
	run(t, &damage, "store", "check", "--store", path, "--format", "json")
	require.Empty(t, damage)
	require.Contains(t, run(t, nil, "store", "check", "--store", path), "nothing is damaged")
	change(t, path, "DELETE FROM runs")
	stdout, _, err := execute("store", "check", "--store", path)
	require.ErrorContains(t, err, "damage found in 1 places")
	require.Contains(t, stdout, "belongs to a run that is not there")
}

func TestStoreMigrate(t *testing.T) {
	path := storeOf(t, 1)
	require.Equal(t, "schema 4 is up to date\n", run(t, nil, "store", "migrate", "--store", path))
	change(t, path, "INSERT INTO schema_migrations VALUES (99, '0099_later.sql', 'x', NULL)")
	_, _, err := execute("store", "migrate", "--store", path)
	require.ErrorContains(t, err, "upgrade otelcol-agent")
}

func TestVerifyPruneErase(t *testing.T) {
	path := storeOf(t, 10)
	saved := filepath.Join(t.TempDir(), "checkpoint")
	require.Contains(t, run(t, nil, "verify", "--store", path, "--save", saved), "11 rows are as they were recorded")
	stdout, stderr, err := execute("verify", "--store", path, "--save", "-")
	require.NoError(t, err)
	b, err := os.ReadFile(saved)
	require.NoError(t, err)
	require.Equal(t, string(b), stdout)
	require.Contains(t, stderr, "leaves")

	for _, long := range []string{"1600-01-01", "0001-01-01T00:00:00Z", "60000d"} {
		require.Regexp(t, "^0 rows are too old", run(t, nil, "store", "prune", "--store", path, "--evidence", long, "--dry-run"), "nothing is older than %s", long)
	}
	require.Contains(t, run(t, nil, "store", "prune", "--store", path, "--evidence", "270m", "--dry-run"), "5 rows are too old")
	require.Contains(t, run(t, nil, "store", "prune", "--store", path, "--evidence", "270m"), "5 rows deleted (")
	var erased evidence.Erased
	run(t, &erased, "store", "erase", "--store", path, "--subject", subject, "--dry-run", "--format", "json")
	require.Equal(t, evidence.Erased{Spans: 1}, erased)
	require.Equal(t, "erased: 1 spans, 0 records, 0 facts, 0 quarantined rows\n", run(t, nil, "store", "erase", "--store", path, "--subject", subject))

	var report ledger.Report
	run(t, &report, "verify", "--store", path, "--since", saved, "--format", "json")
	require.Equal(t, int64(5), report.Retained)
	require.Equal(t, int64(1), report.Erased)
	require.Equal(t, int64(11), report.Since)
	require.Empty(t, report.Findings)

	change(t, path, "UPDATE spans SET end_ns = end_ns + 1 WHERE span_id = x'0300000000000000'")
	stdout, _, err = execute("verify", "--store", path, "--since", saved)
	require.ErrorContains(t, err, "not as it was recorded, in 1 places")
	require.Contains(t, stdout, "span 01000000000000000000000000000000/0300000000000000 (leaf 3): changed")
	before, err := os.Stat(saved)
	require.NoError(t, err)
	_, _, err = execute("verify", "--store", path, "--save", saved)
	require.Error(t, err)
	after, err := os.Stat(saved)
	require.NoError(t, err)
	require.Equal(t, before.ModTime(), after.ModTime(), "a checkpoint of a store that is wrong is not saved")
}

// A copy is verified where the key is not, with the key that came along.
func TestVerifyACopyElsewhere(t *testing.T) {
	path := storeOf(t, 3)
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	elsewhere := filepath.Join(t.TempDir(), "copy.db")
	require.NoError(t, os.WriteFile(elsewhere, b, 0o400))
	_, _, err = execute("verify", "--store", elsewhere)
	require.ErrorContains(t, err, "--key")
	public := ledger.PublicFile(sqlite.KeyFile(path))
	run(t, nil, "verify", "--store", elsewhere, "--key", public)
	run(t, nil, "verify", "--store", elsewhere, "--key", public, "--since", "4")
	_, _, err = execute("verify", "--store", elsewhere, "--key", public, "--since", "2")
	require.ErrorContains(t, err, "no checkpoint of that size")
	_, _, err = execute("verify", "--store", elsewhere, "--key", elsewhere)
	require.ErrorContains(t, err, "neither a verifier key nor a signing key")
	other := ledger.PublicFile(sqlite.KeyFile(storeOf(t, 1)))
	stdout, _, err := execute("verify", "--store", elsewhere, "--key", other)
	require.Error(t, err)
	require.Contains(t, stdout, "no known key has signed")
}
