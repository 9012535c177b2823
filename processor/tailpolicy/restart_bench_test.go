//go:build unix

package tailpolicy

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-agent/otelcol-agent/processor/tailpolicy/internal/metadata"
)

// BenchmarkStartOnAGiB starts on a directory in which 1 GiB of runs is pending,
// as a killed process leaves them: agent spans of 3.5 KB, ten a run.
func BenchmarkStartOnAGiB(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "runs")
	cfg := createDefaultConfig().(*Config)
	cfg.DecisionWait, cfg.MaxWait = time.Hour, time.Hour
	stored(dir)(cfg)
	cfg.Storage.MaxMiB = 4096
	p := started(b, cfg)
	text := strings.Repeat("I look at the failing test first. ", 66)
	const runs = 1 << 30 / 35_000
	for run := range runs {
		td := ptrace.NewTraces()
		spans := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
		for i := range 10 {
			s := spans.AppendEmpty()
			var id pcommon.TraceID
			binary.BigEndian.PutUint64(id[:], uint64(run+1))
			s.SetTraceID(id)
			s.SetSpanID(pcommon.SpanID{1, byte(i)})
			for k := range 28 {
				s.Attributes().PutStr(fmt.Sprintf("house.attribute.%02d", k), "call_8fJ2k1Lq")
			}
			s.Attributes().PutStr("gen_ai.input.messages", text)
		}
		require.NoError(b, p.ConsumeTraces(b.Context(), td))
	}
	require.NoError(b, p.storage.Flush(time.Now()))
	defer func() { require.NoError(b, p.Shutdown(b.Context())) }()
	var used time.Duration
	for b.Loop() {
		b.StopTimer()
		after := filepath.Join(b.TempDir(), "after")
		require.NoError(b, os.CopyFS(after, os.DirFS(dir)))
		cfg := *cfg
		stored(after)(&cfg)
		cfg.Storage.MaxMiB = 4096
		before := processorTime()
		b.StartTimer()
		next := started(b, &cfg)
		b.StopTimer()
		used += processorTime() - before
		require.Equal(b, runs, next.state.Runs())
		next.giveUp() // the shutdown keeps in the storage what is not sent at once
		require.NoError(b, next.Shutdown(b.Context()))
		require.NoError(b, os.RemoveAll(after))
		b.StartTimer()
	}
	b.ReportMetric(used.Seconds()/float64(b.N), "cpu-s/op")
}

func processorTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func started(b *testing.B, cfg *Config) *tailProcessor {
	p, err := NewFactory().CreateTraces(b.Context(), processortest.NewNopSettings(metadata.Type), cfg, consumertest.NewNop())
	require.NoError(b, err)
	require.NoError(b, p.Start(b.Context(), componenttest.NewNopHost()))
	return p.(*tailProcessor)
}
