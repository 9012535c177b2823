package tailpolicy

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"
	"go.uber.org/zap"

	"github.com/otelcol-agent/otelcol-agent/processor/tailpolicy/internal/metadatatest"
)

func dropping(c *Config) { c.MemoryMiB, c.Overflow = 1, overflowDrop }

// TestOverflowDrops: no sender is refused or waits, and what is given up is counted.
func TestOverflowDrops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		next := &moody{}
		p, tel := start(t, dropping, next)
		next.set(errors.New("busy"))
		began := time.Now()
		for trace := range byte(6) {
			require.NoError(t, p.ConsumeTraces(t.Context(), one(1+trace, 1, func(s ptrace.Span) {
				failed(s)
				s.Attributes().PutStr("ballast", string(make([]byte, 280<<10)))
			})))
		}
		assert.Zero(t, time.Since(began))
		metadatatest.AssertEqualProcessorTailpolicySpansDropped(t, tel, []metricdata.DataPoint[int64]{point(3, labels("reason", "overflow"))}, metricdatatest.IgnoreTimestamp())
		next.set(nil)
		pass(time.Minute)
		assert.Equal(t, 3, next.SpanCount())
		stop(t, p, tel)
	})
}

// TestOverflowDropsRecords: a record that the next component does not take is given up,
// and what it states of its run is not.
func TestOverflowDropsRecords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		traces := &consumertest.TracesSink{}
		full, err := consumer.NewLogs(func(context.Context, plog.Logs) error { return errors.New("sending queue is full") })
		require.NoError(t, err)
		p, l, tel := both(t, dropping, traces, full)
		require.NoError(t, p.ConsumeTraces(t.Context(), one(1, 1, nil)))
		require.NoError(t, l.ConsumeLogs(t.Context(), denial(1, 1)))
		metadatatest.AssertEqualProcessorTailpolicyRecordsDropped(t, tel, []metricdata.DataPoint[int64]{point(2, labels())}, metricdatatest.IgnoreTimestamp())
		pass(time.Minute)
		assert.Equal(t, 1, traces.SpanCount())
		require.NoError(t, l.Shutdown(t.Context()))
		stop(t, p, tel)
	})
}

// TestOverflowPassesRecordsOn that there is no room to remember.
func TestOverflowPassesRecordsOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		next, logs := &moody{}, &consumertest.LogsSink{}
		p, l, tel := both(t, dropping, next, logs)
		next.set(errors.New("busy"))
		for trace := range byte(6) {
			require.NoError(t, p.ConsumeTraces(t.Context(), one(1+trace, 1, func(s ptrace.Span) {
				failed(s)
				s.Attributes().PutStr("ballast", string(make([]byte, 280<<10)))
			})))
		}
		big := denial(1, 1)
		big.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0).Attributes().PutStr("ballast", string(make([]byte, 280<<10)))
		require.NoError(t, l.ConsumeLogs(t.Context(), big))
		assert.Equal(t, 2, logs.LogRecordCount())
		next.set(nil)
		pass(time.Minute)
		stop(t, p, tel)
	})
}

// TestOverflowTellsThatItStops: its sender has the batch, and sends it again.
func TestOverflowTellsThatItStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, tel := start(t, dropping, &consumertest.TracesSink{})
		stop(t, p, tel)
		require.ErrorIs(t, p.ConsumeTraces(context.Background(), one(1, 1, nil)), errStopped)
	})
}

// TestWhatGoesOnIsToldOnceAMinute, with what it came to since; when it is over it is
// told no more.
func TestWhatGoesOnIsToldOnceAMinute(t *testing.T) {
	for overflow, want := range map[string]string{
		overflowRefuse: "batches are refused; their senders have to keep them",
		overflowDrop:   "spans are dropped, as overflow is drop",
	} {
		synctest.Test(t, func(t *testing.T) {
			next := &moody{}
			p, tel, logs := startLogged(t, func(c *Config) { dropping(c); c.Overflow = overflow }, next)
			next.set(errors.New("busy"))
			began := time.Now()
			for n := byte(0); time.Since(began) < 150*time.Second; n++ {
				err := p.ConsumeTraces(t.Context(), one(1+n, 1, func(s ptrace.Span) {
					failed(s)
					s.Attributes().PutStr("ballast", string(make([]byte, 280<<10)))
				}))
				require.Equal(t, n > 2 && overflow == overflowRefuse, err != nil)
				pass(10 * time.Second)
			}
			next.set(nil)
			pass(5 * time.Minute)
			told := logs.FilterMessage(want).All()
			require.Len(t, told, 3)
			assert.Equal(t, zap.WarnLevel, told[0].Level)
			assert.Nil(t, told[0].ContextMap()["times"])
			assert.Positive(t, told[1].ContextMap()["times"])
			if overflow == overflowDrop {
				assert.EqualValues(t, 1, told[0].ContextMap()["items"])
				assert.Equal(t, told[1].ContextMap()["times"], told[1].ContextMap()["items"])
			}
			stop(t, p, tel)
		})
	}
}
