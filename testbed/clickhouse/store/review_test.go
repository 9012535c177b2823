package store

import (
	"fmt"
	"os"
	"testing"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence/clickhouse"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/stopwatch"
	"github.com/otelcol-agent/otelcol-agent/testbed/clickhouse/instance"
)

// BenchmarkReview is a reviewer's question to a store of a million spans: start of
// the program, fetch and review of a run of 200 spans. EVIDENCE_BENCH_SPANS makes
// the store smaller.
func BenchmarkReview(b *testing.B) {
	program := os.Getenv("OTELCOL_AGENT_BIN")
	if program == "" {
		b.Skip("OTELCOL_AGENT_BIN names no binary; make build makes one")
	}
	spans := 1_000_000
	if text := os.Getenv("EVIDENCE_BENCH_SPANS"); text != "" {
		if _, err := fmt.Sscan(text, &spans); err != nil {
			b.Fatal(err)
		}
	}
	server := instance.Start(b)
	d := fresh(server)
	w, err := clickhouse.Open(b.Context(), d.settings(now))
	if err != nil {
		b.Fatal(whole(err))
	}
	const piece = 40
	runs := max(spans/stopwatch.Spans/piece, 1) * piece
	for first := 0; first < runs; first += piece {
		write(b, w, stopwatch.Runs(first, piece))
	}
	b.Run("clickhouse", func(b *testing.B) {
		before := server.ProcessorTime(b)
		stopwatch.Review(b, program, server.DSN(d.name), runs)
		b.ReportMetric((server.ProcessorTime(b)-before).Seconds()*1e3/float64(b.N), "server-cpu-ms")
	})
}
