package sqlite

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/ledger"
)

// spansEnvironment overrides how many spans BenchmarkMillion has.
const spansEnvironment = "EVIDENCE_BENCH_SPANS"

// BenchmarkMillion asks a store of a million spans, made once, what a reviewer
// asks: a run of five linked traces, who links to a step and to a trace, the
// newest runs, and whether all of it is as it was recorded.
func BenchmarkMillion(b *testing.B) {
	spans := 1_000_000
	if text := os.Getenv(spansEnvironment); text != "" {
		if _, err := fmt.Sscan(text, &spans); err != nil {
			b.Fatal(err)
		}
	}
	path := filepath.Join(b.TempDir(), "evidence.db")
	w, err := Open(path, Settings{Now: time.Now})
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	const size = 4096
	batches := spans / size
	for n := range batches {
		batch := agentSpans(n, size)
		if n == batches/2 {
			linkFive(batch.Spans)
		}
		if _, err := w.Write(context.Background(), batch); err != nil {
			b.Fatal(err)
		}
	}
	r, err := OpenReader(path)
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	bytes, err := w.Size()
	if err != nil {
		b.Fatal(err)
	}
	b.Run("run of five traces", func(b *testing.B) {
		for b.Loop() {
			run, err := r.Find(b.Context(), "acme", evidence.TraceID{0xee, 3}.String())
			if err != nil || len(run.Spans) != 100 {
				b.Fatalf("%d spans, %v", len(run.Spans), err)
			}
		}
	})
	b.Run("run of a task", func(b *testing.B) {
		for b.Loop() {
			if run, err := r.Find(b.Context(), "acme", fmt.Sprintf("task-%08d", 77)); err != nil || len(run.Spans) != 32 {
				b.Fatalf("%d spans, %v", len(run.Spans), err)
			}
		}
	})
	for name, query := range map[string]string{
		"who links to a trace": "SELECT count(*) FROM links WHERE to_trace = ?1 AND ?2 NOTNULL",
		"who links to a step":  "SELECT count(*) FROM links WHERE to_trace = ?1 AND to_span = ?2",
	} {
		b.Run(name, func(b *testing.B) {
			to := evidence.StepID{Trace: evidence.TraceID{0xee, 1}, Span: evidence.SpanID{0xee, 1}}
			for b.Loop() {
				var n int
				if err := r.db.QueryRow(query, to.Trace[:], to.Span[:]).Scan(&n); err != nil || n != 4 {
					b.Fatalf("%d links, %v", n, err)
				}
			}
		})
	}
	b.Run("newest 50 runs", func(b *testing.B) {
		for b.Loop() {
			n := 0
			err := r.Recent(b.Context(), evidence.Query{AllTenants: true}, func(evidence.Run) bool { n++; return n < 50 })
			if err != nil || n != 50 {
				b.Fatalf("%d runs, %v", n, err)
			}
		}
	})
	keys, err := ledger.Verifiers([]string{w.c.log.key.Verifier})
	if err != nil {
		b.Fatal(err)
	}
	// Once is enough, and long.
	before, used := time.Now(), cpuNanos()
	var report ledger.Report
	err = r.Log(b.Context(), func(src ledger.Source) error {
		report, err = ledger.Verify(b.Context(), src, ledger.Question{Keys: keys})
		return err
	})
	if err != nil || !report.OK() {
		b.Fatalf("%v, %v", report.Findings, err)
	}
	took := time.Since(before)
	used = cpuNanos() - used
	b.Run("verify", func(b *testing.B) {
		for b.Loop() {
		}
		b.ReportMetric(took.Seconds(), "s")
		b.ReportMetric(float64(used)/1e9, "cpu-s")
		b.ReportMetric(float64(bytes)/float64(batches*size), "disk-B/span")
	})
}

// linkFive makes the first hundred spans five traces, each but the first linked
// to the first step of the first.
func linkFive(spans []evidence.Span) {
	for i := range 100 {
		s := &spans[i]
		n := byte(i/20 + 1)
		s.ID.Trace, s.Parent = evidence.TraceID{0xee, n}, evidence.SpanID{}
		s.Attrs["app.task.id"] = fmt.Sprintf("linked %d", n)
		if i%20 == 0 {
			s.ID.Span = evidence.SpanID{0xee, n}
			if n > 1 {
				s.Links = []evidence.Link{{To: evidence.StepID{Trace: evidence.TraceID{0xee, 1}, Span: evidence.SpanID{0xee, 1}}, Relation: "continues"}}
			}
		}
	}
}
