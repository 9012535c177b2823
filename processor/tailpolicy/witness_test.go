package tailpolicy

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processortest"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"

	"github.com/otelcol-agent/otelcol-agent/processor/tailpolicy/internal/metadata"
	"github.com/otelcol-agent/otelcol-agent/processor/tailpolicy/internal/metadatatest"
)

// both makes the traces and the logs processor of one component id.
func both(t *testing.T, edit func(*Config), traces consumer.Traces, logs consumer.Logs) (processor.Traces, processor.Logs, *componenttest.Telemetry) {
	t.Helper()
	f := NewFactory()
	cfg := f.CreateDefaultConfig().(*Config)
	cfg.Baseline.Ratio = 0
	if edit != nil {
		edit(cfg)
	}
	tel := componenttest.NewTelemetry()
	set := processortest.NewNopSettings(metadata.Type)
	set.TelemetrySettings = tel.NewTelemetrySettings()
	l, err := f.CreateLogs(t.Context(), set, cfg, logs)
	require.NoError(t, err)
	p, err := f.CreateTraces(t.Context(), set, cfg, traces)
	require.NoError(t, err)
	require.NoError(t, l.Start(t.Context(), componenttest.NewNopHost()))
	require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
	return p, l, tel
}

// denial is a batch of a denial in the context of the span that one makes, and of
// a record that tells nothing.
func denial(trace, id byte) plog.Logs {
	ld := plog.NewLogs()
	records := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords()
	r := records.AppendEmpty()
	r.SetTraceID(pcommon.TraceID{trace})
	r.SetSpanID(pcommon.SpanID{trace, id})
	r.SetEventName("app.tool.decided")
	r.Attributes().PutStr("app.permission.decision", "deny")
	records.AppendEmpty().Body().SetStr("hello")
	return ld
}

func TestARecordProtectsTheRunOfItsTrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		traces, logs := &consumertest.TracesSink{}, &consumertest.LogsSink{}
		p, l, tel := both(t, nil, traces, logs)
		require.NoError(t, p.ConsumeTraces(t.Context(), one(1, 1, nil)))
		require.NoError(t, p.ConsumeTraces(t.Context(), one(2, 1, nil)))
		ld := denial(1, 1)
		want := plog.NewLogs()
		ld.CopyTo(want)
		require.NoError(t, l.ConsumeLogs(t.Context(), ld))
		require.Equal(t, []plog.Logs{want}, logs.AllLogs(), "records pass at once, as they are")
		pass(15 * time.Second)
		require.Equal(t, 1, traces.SpanCount())
		a := traces.AllTraces()[0].ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Attributes()
		class, _ := a.Get("app.sampling.class")
		proof, _ := a.Get("app.sampling.evidence")
		assert.Equal(t, "security_denial", class.Str())
		assert.Equal(t, "01000000000000000000000000000000/0101000000000000", proof.Str())
		metadatatest.AssertEqualProcessorTailpolicyRecordsJoined(t, tel, []metricdata.DataPoint[int64]{{Value: 1}}, metricdatatest.IgnoreTimestamp())
		require.NoError(t, l.Shutdown(t.Context()))
		stop(t, p, tel)
	})
}

func TestALateRecordIsALateAlarm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		traces := &consumertest.TracesSink{}
		p, l, tel := both(t, nil, traces, &consumertest.LogsSink{})
		require.NoError(t, p.ConsumeTraces(t.Context(), one(1, 1, nil)))
		pass(30 * time.Second)
		require.NoError(t, l.ConsumeLogs(t.Context(), denial(1, 1)))
		pass(30 * time.Second)
		require.NoError(t, p.ConsumeTraces(t.Context(), one(1, 2, nil)))
		pass(30 * time.Second)
		assert.Equal(t, 1, traces.SpanCount())
		metadatatest.AssertEqualProcessorTailpolicyRunsIncomplete(t, tel, []metricdata.DataPoint[int64]{
			{Value: 1, Attributes: attribute.NewSet(attribute.String("class", "security_denial"))},
		}, metricdatatest.IgnoreTimestamp())
		stop(t, p, tel)
	})
}

func TestWhatTheNextComponentRefusesIsNotHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, c := range map[string]struct {
			err  error
			kept int
		}{
			"retryable: it comes again": {errors.New("busy"), 0},
			"permanent: it does not":    {consumererror.NewPermanent(errors.New("never")), 1},
		} {
			traces := &consumertest.TracesSink{}
			p, l, tel := both(t, nil, traces, consumertest.NewErr(c.err))
			require.NoError(t, p.ConsumeTraces(t.Context(), one(1, 1, nil)))
			require.ErrorIs(t, l.ConsumeLogs(t.Context(), denial(1, 1)), c.err, name)
			pass(15 * time.Second)
			assert.Equal(t, c.kept, traces.SpanCount(), name)
			stop(t, p, tel)
		}
	})
}

func TestRecordsThatFindNoRoomAreRefusedRetryably(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		next, logs := &moody{}, &consumertest.LogsSink{}
		p, l, tel := both(t, func(c *Config) { c.MemoryMiB = 1 }, next, logs)
		next.set(errors.New("busy"))
		require.NoError(t, p.ConsumeTraces(t.Context(), one(1, 1, failed)))
		pass(15 * time.Second)
		ld := denial(2, 1)
		ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0).Attributes().PutStr("ballast", string(make([]byte, 1<<20)))
		err := l.ConsumeLogs(t.Context(), ld)
		require.ErrorIs(t, err, errFull)
		assert.False(t, consumererror.IsPermanent(err))
		assert.Zero(t, logs.LogRecordCount(), "a refused batch is not passed on")
		plain := plog.NewLogs()
		plain.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty().Body().SetStr("hello")
		require.NoError(t, l.ConsumeLogs(t.Context(), plain), "records that tell nothing need no room")
		next.set(nil)
		stop(t, p, tel)
	})
}

func TestLogsWithoutATracesPipelinePass(t *testing.T) {
	f := NewFactory()
	logs := &consumertest.LogsSink{}
	l, err := f.CreateLogs(t.Context(), processortest.NewNopSettings(metadata.Type), f.CreateDefaultConfig(), logs)
	require.NoError(t, err)
	require.NoError(t, l.ConsumeLogs(t.Context(), denial(1, 1)))
	assert.Equal(t, 2, logs.LogRecordCount())
}

func TestLogsPassAfterTheTracesPipelineHasStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		logs := &consumertest.LogsSink{}
		p, l, tel := both(t, nil, &consumertest.TracesSink{}, logs)
		stop(t, p, tel)
		require.NoError(t, l.ConsumeLogs(context.Background(), denial(1, 1)))
		assert.Equal(t, 2, logs.LogRecordCount())
	})
}

func TestOneIDServesOneTracesPipeline(t *testing.T) {
	f := NewFactory()
	cfg := f.CreateDefaultConfig()
	set := processortest.NewNopSettings(metadata.Type)
	p, err := f.CreateTraces(t.Context(), set, cfg, consumertest.NewNop())
	require.NoError(t, err)
	_, err = f.CreateTraces(t.Context(), set, cfg, consumertest.NewNop())
	require.ErrorContains(t, err, "found two")
	other, err := f.CreateTraces(t.Context(), set, f.CreateDefaultConfig(), consumertest.NewNop())
	require.NoError(t, err)
	require.NoError(t, p.Shutdown(t.Context()))
	require.NoError(t, other.Shutdown(t.Context()))
}

// TestARecordOutlivesTheProcess: it is on the disk before it is passed on. One that the
// next component refused is not: it comes again, or never.
func TestARecordOutlivesTheProcess(t *testing.T) {
	for name, c := range map[string]struct {
		refused error
		kept    int
	}{"taken": {nil, 1}, "refused": {errors.New("busy"), 0}} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "runs")
			synctest.Test(t, func(t *testing.T) {
				next, err := consumer.NewLogs(func(context.Context, plog.Logs) error { return c.refused })
				require.NoError(t, err)
				p, l, tel := both(t, stored(dir), &consumertest.TracesSink{}, next)
				require.ErrorIs(t, l.ConsumeLogs(t.Context(), denial(1, 1)), c.refused)
				pass(time.Second)
				after := crashed(t, dir)
				require.NoError(t, l.Shutdown(t.Context()))
				stop(t, p, tel)
				again := &consumertest.TracesSink{}
				p, tel = start(t, stored(after), again)
				require.NoError(t, p.ConsumeTraces(t.Context(), one(1, 1, nil)))
				pass(time.Minute)
				assert.Equal(t, c.kept, again.SpanCount())
				stop(t, p, tel)
			})
		})
	}
}

// TestARecordThatCannotBeKept is refused, and so not passed on: its sender has it.
func TestARecordThatCannotBeKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs")
	synctest.Test(t, func(t *testing.T) {
		logs := &consumertest.LogsSink{}
		p, l, tel := both(t, stored(dir), &consumertest.TracesSink{}, logs)
		log := p.(*tailProcessor).storage.Log
		log.Spoil(errors.New("no space left on device"))
		require.ErrorContains(t, l.ConsumeLogs(t.Context(), denial(1, 1)), "cannot be kept")
		assert.Zero(t, logs.LogRecordCount())
		log.Spoil(nil)
		require.NoError(t, l.ConsumeLogs(t.Context(), denial(1, 1)))
		assert.Equal(t, 2, logs.LogRecordCount())
		require.NoError(t, l.Shutdown(t.Context()))
		stop(t, p, tel)
	})
}
