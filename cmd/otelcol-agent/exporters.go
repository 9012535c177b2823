package main

import (
	"context"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/xexporter"
	"go.opentelemetry.io/collector/otelcol"
)

// An exporter whose queue is on disk stops at once and leaves what is queued for the
// next start. A collector in a job that ends has no next start; so an exporter is
// stopped a little later, while its queue gets shorter.
const (
	lingerMost  = 5 * time.Second       // however much is queued
	lingerIdle  = time.Second           // while nothing of it is sent
	lingerCheck = 20 * time.Millisecond // between looks at the queue
)

// lingering lets every exporter empty its queue.
func lingering(factories func() (otelcol.Factories, error)) func() (otelcol.Factories, error) {
	return func() (otelcol.Factories, error) {
		f, err := factories()
		for t, inner := range f.Exporters {
			f.Exporters[t] = lingeringOf(inner)
		}
		return f, err
	}
}

func lingeringOf(inner exporter.Factory) exporter.Factory {
	if x, ok := inner.(xexporter.Factory); ok {
		return lingeringProfiles{lingeringFactory{inner}, x}
	}
	return lingeringFactory{inner}
}

type lingeringFactory struct{ exporter.Factory }

func (f lingeringFactory) CreateTraces(ctx context.Context, set exporter.Settings, cfg component.Config) (exporter.Traces, error) {
	q := watchQueue(&set.TelemetrySettings)
	e, err := f.Factory.CreateTraces(ctx, set, cfg)
	return lingeringTraces{e, q}, err
}

func (f lingeringFactory) CreateMetrics(ctx context.Context, set exporter.Settings, cfg component.Config) (exporter.Metrics, error) {
	q := watchQueue(&set.TelemetrySettings)
	e, err := f.Factory.CreateMetrics(ctx, set, cfg)
	return lingeringMetrics{e, q}, err
}

func (f lingeringFactory) CreateLogs(ctx context.Context, set exporter.Settings, cfg component.Config) (exporter.Logs, error) {
	q := watchQueue(&set.TelemetrySettings)
	e, err := f.Factory.CreateLogs(ctx, set, cfg)
	return lingeringLogs{e, q}, err
}

// lingeringProfiles leaves profiles as they are.
type lingeringProfiles struct {
	lingeringFactory
	profiles xexporter.Factory
}

func (f lingeringProfiles) CreateProfiles(ctx context.Context, set exporter.Settings, cfg component.Config) (xexporter.Profiles, error) {
	return f.profiles.CreateProfiles(ctx, set, cfg)
}

func (f lingeringProfiles) ProfilesStability() component.StabilityLevel {
	return f.profiles.ProfilesStability()
}

type lingeringTraces struct {
	exporter.Traces
	queue *queueSize
}

func (e lingeringTraces) Shutdown(ctx context.Context) error {
	linger(ctx, e.queue.get)
	return e.Traces.Shutdown(ctx)
}

type lingeringMetrics struct {
	exporter.Metrics
	queue *queueSize
}

func (e lingeringMetrics) Shutdown(ctx context.Context) error {
	linger(ctx, e.queue.get)
	return e.Metrics.Shutdown(ctx)
}

type lingeringLogs struct {
	exporter.Logs
	queue *queueSize
}

func (e lingeringLogs) Shutdown(ctx context.Context) error {
	linger(ctx, e.queue.get)
	return e.Logs.Shutdown(ctx)
}

// linger waits for a queue to be empty, as long as it gets shorter.
func linger(ctx context.Context, size func() int64) {
	began := time.Now()
	shorter, last := began, size()
	for last > 0 && time.Since(began) < lingerMost && time.Since(shorter) < lingerIdle {
		select {
		case <-ctx.Done():
			return
		case <-time.After(lingerCheck):
		}
		if now := size(); now < last {
			shorter, last = time.Now(), now
		}
	}
}
