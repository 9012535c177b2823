package store

import (
	"testing"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence/clickhouse"
	"github.com/otelcol-agent/otelcol-agent/testbed/clickhouse/instance"
)

// What the log costs is told, against the same rows without it.
func TestWhatTheLogCosts(t *testing.T) {
	const batches, traces = 5, 250
	type cost struct {
		bytes, log float64
		server     time.Duration
	}
	server := instance.Start(t)
	store := func(logged bool) (c cost) {
		d := fresh(server)
		s := d.settings(now)
		if !logged {
			s.KeyFile = ""
		}
		w, err := clickhouse.Open(short(t), s)
		if err != nil {
			t.Fatal(whole(err))
		}
		defer w.Close()
		from := server.ProcessorTime(t)
		spans := 0
		for i := range batches {
			b := agentSpans(i*traces, traces)
			b.Records = nil
			spans += len(b.Spans)
			write(t, w, b)
		}
		c.server = server.ProcessorTime(t) - from
		for _, table := range column[string](t, d, "SELECT name FROM system.tables WHERE database = '"+d.name+"' AND engine LIKE '%MergeTree'") {
			run(t, d, "OPTIMIZE TABLE %s."+table+" FINAL")
		}
		bytes := func(where string) float64 {
			return float64(count(t, d, "SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = '"+d.name+"'"+where)) / float64(spans)
		}
		c.bytes, c.log = bytes(""), bytes(" AND table IN ('log_leaves', 'log_heads')")
		return c
	}
	store(true) // what a server does once
	without, with := store(false), store(true)
	t.Logf("without a log: %.0f bytes a span, %s of the server; with one: %.0f bytes, of these %.1f its own, %s of the server",
		without.bytes, without.server, with.bytes, with.log, with.server)
	if without.log != 0 || with.log < 32 || with.log > 80 {
		t.Errorf("a log of %.1f bytes a span, want 32 to 80; %.1f without one", with.log, without.log)
	}
}
