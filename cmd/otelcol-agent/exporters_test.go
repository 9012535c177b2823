package main

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"
)

func TestLingerWaitsWhileAQueueGetsShorter(t *testing.T) {
	for name, c := range map[string]struct {
		size func(passed time.Duration) int64
		want time.Duration
	}{
		"empty":                 {func(time.Duration) int64 { return 0 }, 0},
		"emptied":               {func(d time.Duration) int64 { return max(0, 30-int64(d/(100*time.Millisecond))) }, 3 * time.Second},
		"gateway away":          {func(time.Duration) int64 { return 7 }, lingerIdle},
		"too much for one stop": {func(d time.Duration) int64 { return 1 << 40 / int64(1+d) }, lingerMost},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				linger(t.Context(), func() int64 { return c.size(time.Since(began)) })
				require.InDelta(t, c.want, time.Since(began), float64(2*lingerCheck))
			})
		})
	}
}

// TestQueueIsAskedAndStillMeasured: what an exporter tells is known, and collected as
// before if metrics are on.
func TestQueueIsAskedAndStillMeasured(t *testing.T) {
	register := func(t *testing.T, meter metric.Meter) {
		t.Helper()
		size, err := meter.Int64ObservableGauge(queueGauge)
		require.NoError(t, err)
		capacity, err := meter.Int64ObservableGauge("otelcol_exporter_queue_capacity")
		require.NoError(t, err)
		_, err = meter.RegisterCallback(func(_ context.Context, o metric.Observer) error { o.ObserveInt64(size, 7); return nil }, size)
		require.NoError(t, err)
		_, err = meter.RegisterCallback(func(_ context.Context, o metric.Observer) error { o.ObserveInt64(capacity, 1000); return nil }, capacity)
		require.NoError(t, err)
	}
	t.Run("off", func(t *testing.T) {
		set := componenttest.NewNopTelemetrySettings()
		set.MeterProvider = noop.NewMeterProvider()
		q := watchQueue(&set)
		register(t, set.MeterProvider.Meter("x"))
		require.EqualValues(t, 7, q.get())
	})
	t.Run("on", func(t *testing.T) {
		tel := componenttest.NewTelemetry()
		set := tel.NewTelemetrySettings()
		q := watchQueue(&set)
		register(t, set.MeterProvider.Meter("x"))
		require.EqualValues(t, 7, q.get())
		for _, name := range []string{queueGauge, "otelcol_exporter_queue_capacity"} {
			_, err := tel.GetMetric(name)
			require.NoError(t, err)
		}
		require.NoError(t, tel.Shutdown(t.Context()))
	})
}
