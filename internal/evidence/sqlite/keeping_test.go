package sqlite

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

func check(t *testing.T, path string) (found []evidence.Damage) {
	t.Helper()
	r, err := OpenReader(path)
	require.NoError(t, err)
	defer r.Close()
	require.NoError(t, r.Check(t.Context(), func(d evidence.Damage) { found = append(found, d) }))
	return found
}

func TestCheckFindsWhatDoesNotFitTogether(t *testing.T) {
	for detail, sql := range map[string]string{
		"":                                   "SELECT 1",
		"hangs on a key that is not there":   "UPDATE spans SET key = 9999 WHERE rowid = 1",
		"has a source that is not there":     "UPDATE events SET source = 9999",
		"has not as many links as it says":   "DELETE FROM links WHERE n = 1",
		"hangs on a span that is not there":  "DELETE FROM spans WHERE links > 0",
		"belongs to a run that is not there": "DELETE FROM runs",
		"belongs to another tenant's run":    "UPDATE runs SET tenant = 'x'",
		"has no key":                         "DELETE FROM run_keys WHERE kind = 1",
		"cannot be read":                     "UPDATE spans SET attrs = x'0103' WHERE rowid = 1",
	} {
		t.Run(detail, func(t *testing.T) {
			path := newPath(t)
			w := open(t, path)
			write(t, w, many())
			require.NoError(t, w.Close())
			plain(t, path, sql).Close()
			found := check(t, path)
			if detail == "" {
				require.Empty(t, found)
				return
			}
			require.NotEmpty(t, found)
			var all []string
			for _, d := range found {
				all = append(all, d.Detail)
			}
			require.Contains(t, all, detail)
		})
	}
}

func TestCheckFindsDamagedPages(t *testing.T) {
	path := newPath(t)
	w := open(t, path)
	for i := range 4 {
		write(t, w, agentSpans(i, 64))
	}
	require.NoError(t, w.Close())
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	for i := len(b) - 3*pageSize; i < len(b)-2*pageSize; i++ {
		b[i] ^= 0x5a
	}
	require.NoError(t, os.WriteFile(path, b, 0o600))
	require.NotEmpty(t, check(t, path))
}

func TestStats(t *testing.T) {
	path := newPath(t)
	w := open(t, path)
	b := many()
	write(t, w, b)
	r, err := OpenReader(path)
	require.NoError(t, err)
	defer r.Close()
	s, err := r.Stats(t.Context())
	require.NoError(t, err)
	require.Equal(t, "sqlite", s.Engine)
	require.Equal(t, 4, s.Schema)
	require.Equal(t, int64(len(b.Spans)-1), s.Rows["spans"])
	require.Equal(t, int64(len(b.Records)), s.Rows["events"])
	require.Equal(t, int64(1), s.Rows["quarantine"])
	require.Equal(t, int64(len(b.Spans)+len(b.Records)+1), s.Leaves)
	require.Positive(t, s.Bytes)
	require.Equal(t, b.Spans[0].Start/1e9, s.Oldest.Unix())
	require.False(t, s.Newest.Before(s.Oldest))
}

// older is a store of schema 1, as the first release made it.
func older(t *testing.T) string {
	path := newPath(t)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	known, err := migrations(schemaFiles)
	require.NoError(t, err)
	db := plain(t, path, fmt.Sprintf("PRAGMA application_id = %d", applicationID), createMigrations, known[0].sql)
	_, err = db.Exec("INSERT INTO schema_migrations VALUES (1, ?, ?, NULL)", known[0].name, known[0].checksum)
	require.NoError(t, err)
	_, err = db.Exec(`INSERT INTO runs VALUES (1, 'acme', 1, 5); INSERT INTO run_keys VALUES (1, 0, x'01010101010101010101010101010101', 'acme', 1, 5, 5);
		INSERT INTO sources VALUES (1, x'00', 'acme', NULL, NULL, NULL, NULL, NULL, 9);
		INSERT INTO spans (key, span_id, source, name, kind, start_ns, end_ns, status, links, facts) VALUES (1, x'0101010101010101', 1, 'old', 0, 4, 5, 0, 0, 0)`)
	require.NoError(t, err)
	require.NoError(t, db.Close())
	return path
}

func TestMigrateSaysWhatItDoes(t *testing.T) {
	path := older(t)
	want := evidence.Migrated{From: 1, To: 4, Steps: []string{"0002_ledger.sql", "0003_terms.sql", "0004_search.sql"}}
	_, err := OpenReader(path)
	require.ErrorContains(t, err, "store migrate")
	for range 2 {
		m, err := Migrate(t.Context(), path, Settings{}, true)
		require.NoError(t, err)
		require.Equal(t, want, m)
	}
	m, err := Migrate(t.Context(), path, Settings{}, false)
	require.NoError(t, err)
	require.Equal(t, want, m)
	m, err = Migrate(t.Context(), path, Settings{}, false)
	require.NoError(t, err)
	require.Equal(t, evidence.Migrated{From: 4, To: 4}, m)
	readable(t, path, 1)
	require.Empty(t, check(t, path))
	report := verify(t, path, nil)
	require.True(t, report.OK(), "%v", report.Findings)
	require.Equal(t, int64(1), report.Unlogged)

	_, err = Migrate(t.Context(), path+"2", Settings{}, false)
	require.ErrorContains(t, err, "no evidence store at")
	require.NoFileExists(t, path+"2")
	plain(t, path, "INSERT INTO schema_migrations VALUES (99, '0099_later.sql', 'x', NULL)").Close()
	_, err = Migrate(t.Context(), path, Settings{}, true)
	require.ErrorContains(t, err, "upgrade otelcol-agent")
}

// An older store is migrated by the collector that opens it, and what it held
// grows on.
func TestOlderStoreIsMigratedOnStart(t *testing.T) {
	path := older(t)
	w := open(t, path)
	grown := evidence.Span{Tenant: "acme", ID: evidence.StepID{}, Name: "old", Start: 4, End: 9, Status: "unset", Attrs: evidence.Attrs{"a": int64(1)}}
	copy(grown.ID.Trace[:], strings.Repeat("\x01", 16))
	copy(grown.ID.Span[:], strings.Repeat("\x01", 8))
	require.Equal(t, 1, write(t, w, evidence.Batch{Spans: []evidence.Span{grown}}).Stored)
	require.Equal(t, 1, spans(t, path))
	report := verify(t, path, nil)
	require.True(t, report.OK(), "%v", report.Findings)
	require.Zero(t, report.Unlogged)
}

// A file that a crashed process left, with its write-ahead log, is whole again
// after opening; so is a copy of both.
func TestFilesOfACrashedProcessOpenElsewhere(t *testing.T) {
	path := newPath(t)
	w, err := Open(path, Settings{Now: time.Now})
	require.NoError(t, err)
	_, err = w.Write(context.Background(), agentSpans(0, 64))
	require.NoError(t, err)
	elsewhere := filepath.Join(t.TempDir(), "copy.db")
	for _, suffix := range []string{"", "-wal"} { // as they lie on disk, not closed
		b, err := os.ReadFile(path + suffix)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(elsewhere+suffix, b, 0o600))
	}
	require.NoError(t, w.Close())
	readable(t, elsewhere, 64)
	require.Empty(t, check(t, elsewhere))
	require.Equal(t, 16, write(t, open(t, elsewhere), agentSpans(4, 16)).Stored)
	require.Equal(t, 1, count1(t, elsewhere, "SELECT count(*) FROM log_entries WHERE body LIKE '%new_key%'"), "the key stayed behind")
}
