package tailpolicy

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processortest"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"

	"github.com/otelcol-agent/otelcol-agent/internal/tail"
	"github.com/otelcol-agent/otelcol-agent/internal/tail/runlog"
	"github.com/otelcol-agent/otelcol-agent/processor/tailpolicy/internal/metadata"
	"github.com/otelcol-agent/otelcol-agent/processor/tailpolicy/internal/metadatatest"
)

func stored(dir string) func(*Config) {
	return func(c *Config) { c.Storage = &StorageConfig{Directory: dir, MaxMiB: 64, Fsync: "200ms"} }
}

// crashed copies what is on the disk at this moment, as a killed process leaves it.
func crashed(t *testing.T, dir string) string {
	after := filepath.Join(t.TempDir(), "after")
	require.NoError(t, os.CopyFS(after, os.DirFS(dir)))
	return after
}

func TestStorageOutlivesTheProcess(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs")
	synctest.Test(t, func(t *testing.T) {
		sink := &consumertest.TracesSink{}
		p, tel := start(t, stored(dir), sink)
		require.NoError(t, p.ConsumeTraces(t.Context(), one(1, 1, failed)))
		require.NoError(t, p.ConsumeTraces(t.Context(), one(2, 1, nil)))
		pass(11 * time.Second)
		require.NoError(t, p.ConsumeTraces(t.Context(), one(3, 1, failed)))
		pass(time.Second)
		after := crashed(t, dir)
		stop(t, p, tel)
		require.Equal(t, 1, sink.SpanCount(), "a stop decides nothing early")

		again := &consumertest.TracesSink{}
		p, tel = start(t, stored(after), again)
		require.NoError(t, p.ConsumeTraces(t.Context(), one(1, 2, nil)))
		pass(12 * time.Second)
		require.Equal(t, 2, again.SpanCount(), "what was pending, and a late span of a kept run")
		stop(t, p, tel)
	})
}

func TestPermanentlyRefusedRunsCanBeRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs")
	synctest.Test(t, func(t *testing.T) {
		next := &moody{}
		next.set(consumererror.NewPermanent(errors.New("never")))
		p, tel := start(t, stored(dir), next)
		require.NoError(t, p.ConsumeTraces(t.Context(), one(1, 1, failed)))
		pass(12 * time.Second)
		stop(t, p, tel)
	})
	data, err := os.ReadFile(filepath.Join(dir, "rejected.jsonl"))
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(data), "\n"))
	var u ptrace.JSONUnmarshaler
	td, err := u.UnmarshalTraces(data)
	require.NoError(t, err)
	assert.Equal(t, 1, td.SpanCount())
	class, _ := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Attributes().Get("app.sampling.class")
	assert.Equal(t, "error", class.Str())
}

func TestStopKeepsInStorageWhatCannotBeSent(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs")
	synctest.Test(t, func(t *testing.T) {
		next := &moody{}
		next.set(errors.New("busy"))
		p, tel := start(t, stored(dir), next)
		require.NoError(t, p.ConsumeTraces(t.Context(), one(1, 1, failed)))
		stop(t, p, tel)
		next.set(nil)
		p, tel = start(t, stored(dir), next)
		pass(12 * time.Second)
		assert.Equal(t, 1, next.SpanCount())
		stop(t, p, tel)
	})
}

func TestLateAlarmBringsADroppedRunBack(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs")
	synctest.Test(t, func(t *testing.T) {
		sink := &consumertest.TracesSink{}
		p, tel := start(t, stored(dir), sink)
		require.NoError(t, p.ConsumeTraces(t.Context(), one(1, 1, nil)))
		pass(12 * time.Second)
		require.NoError(t, p.ConsumeTraces(t.Context(), one(1, 2, failed)))
		pass(12 * time.Second)
		require.Equal(t, 2, sink.SpanCount())
		for _, td := range sink.AllTraces() {
			for _, rs := range td.ResourceSpans().All() {
				_, incomplete := rs.ScopeSpans().At(0).Spans().At(0).Attributes().Get("app.sampling.incomplete")
				assert.False(t, incomplete)
			}
		}
		stop(t, p, tel)
	})
}

// TestDiskThatTakesNothing: a batch that cannot be kept is refused, and is not held.
func TestDiskThatTakesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs")
	synctest.Test(t, func(t *testing.T) {
		sink := &consumertest.TracesSink{}
		p, tel := start(t, stored(dir), sink)
		require.NoError(t, p.ConsumeTraces(t.Context(), one(1, 1, failed)))
		inner := p.(*tailProcessor)
		inner.storage.Log.Spoil(errors.New("no space left on device"))
		err := p.ConsumeTraces(t.Context(), one(2, 1, failed))
		require.ErrorContains(t, err, "storage: the batch cannot be kept: no space left on device")
		assert.False(t, consumererror.IsPermanent(err))
		inner.storage.Log.Spoil(nil)
		require.NoError(t, p.ConsumeTraces(t.Context(), one(3, 1, failed)))
		pass(12 * time.Second)
		assert.Equal(t, 2, sink.SpanCount(), "what was acknowledged, and nothing else")
		stop(t, p, tel)
	})
}

// TestLimboThatTakesNothing: that a dropped run cannot be brought back is counted.
func TestLimboThatTakesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs")
	synctest.Test(t, func(t *testing.T) {
		p, tel := start(t, stored(dir), &consumertest.TracesSink{})
		require.NoError(t, p.ConsumeTraces(t.Context(), one(1, 1, nil)))
		p.(*tailProcessor).storage.Log.Spoil(errors.New("no space left on device"))
		pass(12 * time.Second)
		metadatatest.AssertEqualProcessorTailpolicyLimboSkipped(t, tel, []metricdata.DataPoint[int64]{point(1, labels())}, metricdatatest.IgnoreTimestamp())
		p.(*tailProcessor).storage.Log.Spoil(nil)
		stop(t, p, tel)
	})
}

// TestWhatCannotBeReadIsLostOnce: a piece that no version of the collector can read is
// counted, and is not there at the next start.
func TestWhatCannotBeReadIsLostOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs")
	log, _, _, err := runlog.Open(runlog.Settings{Directory: dir, MaxBytes: 16 << 20, Remember: 10}, func([]tail.Key, tail.Decision) {})
	require.NoError(t, err)
	require.NoError(t, log.Append([]tail.Piece{{Data: []byte("no protobuf"), Spans: 3}}, time.Now(), true))
	require.NoError(t, log.Close())
	synctest.Test(t, func(t *testing.T) {
		for n, lost := range []int64{3, 0} {
			p, tel := start(t, stored(dir), &consumertest.TracesSink{})
			if lost > 0 {
				metadatatest.AssertEqualProcessorTailpolicySpansDropped(t, tel, []metricdata.DataPoint[int64]{point(lost, labels("reason", "undecodable"))}, metricdatatest.IgnoreTimestamp())
			} else {
				_, err := tel.GetMetric("otelcol_processor_tailpolicy_spans_dropped")
				require.Error(t, err, "start %d", n)
			}
			pass(time.Second)
			stop(t, p, tel)
		}
	})
}

func TestStorageThatCannotBeOpened(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	cfg := createDefaultConfig().(*Config)
	stored(filepath.Join(file, "below"))(cfg)
	p, err := NewFactory().CreateTraces(t.Context(), processortest.NewNopSettings(metadata.Type), cfg, consumertest.NewNop())
	require.NoError(t, err)
	require.ErrorContains(t, p.Start(t.Context(), componenttest.NewNopHost()), "storage.directory")
	require.NoError(t, p.Shutdown(context.Background()))
}
