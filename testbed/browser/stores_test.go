package browser

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/planted"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/sqlite"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/stopwatch"
)

// stored writes rows into a store of their own, past the collector: it would take
// out what some tests want in.
func stored(t *testing.T, b evidence.Batch) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "evidence.db")
	w, err := sqlite.Open(path, sqlite.Settings{Now: time.Now})
	require.NoError(t, err)
	_, err = w.Write(t.Context(), b)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return path
}

// fleet is one incident of every kind that can be planted.
func fleet() (b evidence.Batch) {
	for seed := range uint64(planted.Kinds()) {
		run := planted.New(seed).Run
		b.Spans, b.Records = append(b.Spans, run.Spans...), append(b.Records, run.Records...)
	}
	return b
}

// fleetAndMore has ordinary runs of sessions too.
func fleetAndMore() evidence.Batch {
	b, more := fleet(), stopwatch.Runs(0, 3)
	b.Spans = append(b.Spans, more.Spans...)
	return b
}

func nothing() evidence.Batch { return evidence.Batch{} }
