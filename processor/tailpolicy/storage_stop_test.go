package tailpolicy

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"
	"go.uber.org/zap"

	"github.com/otelcol-agent/otelcol-agent/internal/tail"
	"github.com/otelcol-agent/otelcol-agent/internal/tail/runlog"
	"github.com/otelcol-agent/otelcol-agent/processor/tailpolicy/internal/metadatatest"
)

// TestFsyncAlways: no batch is acknowledged before it is on the disk, also one without a
// class.
func TestFsyncAlways(t *testing.T) {
	for fsync, want := range map[string]bool{fsyncAlways: true, "1m": false} {
		synctest.Test(t, func(t *testing.T) {
			p, tel := start(t, func(c *Config) {
				stored(filepath.Join(t.TempDir(), "runs"))(c)
				c.Storage.Fsync = fsync
			}, &consumertest.TracesSink{})
			log := p.(*tailProcessor).storage.Log
			log.Divert((*os.File).WriteAt, func(*os.File) error { return errors.New("the disk is gone") })
			assert.Equal(t, want, p.ConsumeTraces(t.Context(), one(1, 1, nil)) != nil, fsync)
			require.Error(t, p.ConsumeTraces(t.Context(), one(1, 2, failed)))
			log.Spoil(nil)
			stop(t, p, tel)
		})
	}
}

// TestMaxMiBIsNoFault: a batch that finds the files full is refused like one that finds
// the budget full.
func TestMaxMiBIsNoFault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, tel, logs := startLogged(t, stored(filepath.Join(t.TempDir(), "runs")), &consumertest.TracesSink{})
		log := p.(*tailProcessor).storage.Log
		var err error
		for err == nil {
			err = log.Append([]tail.Piece{{Data: make([]byte, 1<<20), Spans: 1}}, time.Now(), false)
		}
		require.ErrorIs(t, err, runlog.ErrFull)
		err = p.ConsumeTraces(t.Context(), one(1, 1, func(s ptrace.Span) { s.Attributes().PutStr("ballast", string(make([]byte, 1<<20))) }))
		require.ErrorIs(t, err, errMaxMiB)
		metadatatest.AssertEqualProcessorTailpolicyBatchesRefused(t, tel, []metricdata.DataPoint[int64]{point(1, labels())}, metricdatatest.IgnoreTimestamp())
		assert.Empty(t, logs.FilterLevelExact(zap.ErrorLevel).All())
		stop(t, p, tel)
	})
}

// TestABatchThatMeetsTheStop is refused, and so not there at the next start: its sender
// has it.
func TestABatchThatMeetsTheStop(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs")
	synctest.Test(t, func(t *testing.T) {
		p, tel := start(t, stored(dir), &consumertest.TracesSink{})
		inner := p.(*tailProcessor)
		inner.storage.Divert(func(f *os.File, b []byte, at int64) (int, error) {
			inner.mu.Lock()
			defer inner.mu.Unlock()
			inner.closed = true
			return f.WriteAt(b, at)
		}, (*os.File).Sync)
		require.ErrorIs(t, p.ConsumeTraces(t.Context(), one(1, 1, failed)), errStopped)
		stop(t, p, tel)

		again := &consumertest.TracesSink{}
		p, tel = start(t, stored(dir), again)
		pass(time.Minute)
		assert.Zero(t, again.SpanCount())
		stop(t, p, tel)
	})
}

// TestAStopWithStorageBeginsNothing: what waits to be sent is left to the next start, and
// the stop takes no longer than what is out.
func TestAStopWithStorageBeginsNothing(t *testing.T) {
	const runs = 40
	dir := filepath.Join(t.TempDir(), "runs")
	synctest.Test(t, func(t *testing.T) {
		var sent atomic.Int64
		slow, err := consumer.NewTraces(func(_ context.Context, td ptrace.Traces) error {
			time.Sleep(2 * time.Second)
			sent.Add(int64(td.SpanCount()))
			return nil
		})
		require.NoError(t, err)
		p, tel := start(t, stored(dir), slow)
		for trace := range byte(runs) {
			require.NoError(t, p.ConsumeTraces(t.Context(), one(1+trace, 1, func(s ptrace.Span) {
				failed(s)
				s.Attributes().PutStr("ballast", string(make([]byte, 400<<10)))
			})))
		}
		pass(11 * time.Second)
		began := time.Now()
		stop(t, p, tel)
		assert.LessOrEqual(t, time.Since(began), 5*time.Second)
		assert.Less(t, sent.Load(), int64(runs))
		first := sent.Load()

		again := &consumertest.TracesSink{}
		p, tel = start(t, stored(dir), again)
		pass(time.Minute)
		assert.EqualValues(t, runs, first+int64(again.SpanCount()))
		stop(t, p, tel)
	})
}
