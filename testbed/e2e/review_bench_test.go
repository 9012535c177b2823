package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence/sqlite"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/stopwatch"
)

// BenchmarkReview is a reviewer's question to a store of a million spans: start of
// the program, fetch and review of a run of 200 spans. EVIDENCE_BENCH_SPANS makes
// the store smaller.
func BenchmarkReview(b *testing.B) {
	spans := 1_000_000
	if text := os.Getenv("EVIDENCE_BENCH_SPANS"); text != "" {
		_, err := fmt.Sscan(text, &spans)
		require.NoError(b, err)
	}
	path := filepath.Join(b.TempDir(), "evidence.db")
	w, err := sqlite.Open(path, sqlite.Settings{Now: time.Now})
	require.NoError(b, err)
	const piece = 20
	runs := max(spans/stopwatch.Spans/piece, 1) * piece
	for first := 0; first < runs; first += piece {
		_, err := w.Write(context.Background(), stopwatch.Runs(first, piece))
		require.NoError(b, err)
	}
	require.NoError(b, w.Close())
	b.Run("sqlite", func(b *testing.B) { stopwatch.Review(b, binary, path, runs) })
}
