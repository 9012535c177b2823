package main

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/xconsumer"
	"go.opentelemetry.io/collector/otelcol"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/xreceiver"
	"go.uber.org/zap"
)

// A receiver's own Shutdown waits for every connection, and a peer that sends
// nothing, or half of a request, can make that for ever. So each receiver gets some
// seconds; then its door to the pipeline is shut, and the components behind it go on
// stopping and write what they hold. The connections end with the process.
const (
	patience    = 5 * time.Second        // of all receivers of one component id together
	lastWord    = 100 * time.Millisecond // for one that is asked when the patience is over
	sayAfter    = time.Second            // when it is said what is waited for
	graceOfHTTP = 3                      // fifths of the patience after which a receiver's context ends
)

var errStopping = errors.New("the collector is stopping; send the batch again later")

// bounded gives every receiver a door.
func bounded(factories func() (otelcol.Factories, error)) func() (otelcol.Factories, error) {
	return func() (otelcol.Factories, error) {
		f, err := factories()
		for t, inner := range f.Receivers {
			f.Receivers[t] = boundFactory(inner)
		}
		return f, err
	}
}

func boundFactory(inner receiver.Factory) receiver.Factory {
	b := boundedFactory{inner, &doors{of: map[component.Config]*door{}}}
	if x, ok := inner.(xreceiver.Factory); ok {
		return boundedProfiles{b, x}
	}
	return b
}

type boundedFactory struct {
	receiver.Factory
	doors *doors
}

func (f boundedFactory) CreateTraces(ctx context.Context, set receiver.Settings, cfg component.Config, next consumer.Traces) (receiver.Traces, error) {
	d := f.doors.get(cfg)
	r, err := f.Factory.CreateTraces(ctx, set, cfg, tracesThrough{next, d})
	return boundedReceiver{r, d, set.Logger}, err
}

func (f boundedFactory) CreateMetrics(ctx context.Context, set receiver.Settings, cfg component.Config, next consumer.Metrics) (receiver.Metrics, error) {
	d := f.doors.get(cfg)
	r, err := f.Factory.CreateMetrics(ctx, set, cfg, metricsThrough{next, d})
	return boundedReceiver{r, d, set.Logger}, err
}

func (f boundedFactory) CreateLogs(ctx context.Context, set receiver.Settings, cfg component.Config, next consumer.Logs) (receiver.Logs, error) {
	d := f.doors.get(cfg)
	r, err := f.Factory.CreateLogs(ctx, set, cfg, logsThrough{next, d})
	return boundedReceiver{r, d, set.Logger}, err
}

// boundedProfiles leaves profiles as they are: nothing here keeps them.
type boundedProfiles struct {
	boundedFactory
	profiles xreceiver.Factory
}

func (f boundedProfiles) CreateProfiles(ctx context.Context, set receiver.Settings, cfg component.Config, next xconsumer.Profiles) (xreceiver.Profiles, error) {
	return f.profiles.CreateProfiles(ctx, set, cfg, next)
}

func (f boundedProfiles) ProfilesStability() component.StabilityLevel {
	return f.profiles.ProfilesStability()
}

// doors has one door for a component id: the configuration of an id is one object,
// and a receiver may be one server for all signals.
type doors struct {
	mu sync.Mutex
	of map[component.Config]*door
}

func (ds *doors) get(cfg component.Config) *door {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	if ds.of[cfg] == nil {
		ds.of[cfg] = &door{}
	}
	return ds.of[cfg]
}

// door is between a receiver and its pipelines.
type door struct {
	mu       sync.RWMutex
	shut     bool
	deadline time.Time // of the receivers that have it, once one is asked to stop
}

func (d *door) pass() error {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if d.shut {
		return errStopping
	}
	return nil
}

func (d *door) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.shut = true
}

// left is how long a receiver that is asked to stop may take.
func (d *door) left() time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.deadline.IsZero() {
		d.deadline = time.Now().Add(patience)
	}
	return max(time.Until(d.deadline), lastWord)
}

type boundedReceiver struct {
	component.Component
	door   *door
	logger *zap.Logger
}

// Shutdown returns when the receiver has stopped or its time is over.
func (r boundedReceiver) Shutdown(ctx context.Context) error {
	left := r.door.left()
	inner, cancel := context.WithTimeout(ctx, left*graceOfHTTP/5)
	done := make(chan error, 1)
	go func() {
		defer cancel()
		done <- r.Component.Shutdown(inner)
	}()
	say, over := time.NewTimer(sayAfter), time.NewTimer(left)
	defer say.Stop()
	defer over.Stop()
	for {
		select {
		case err := <-done:
			if !errors.Is(err, context.DeadlineExceeded) {
				return err
			}
		case <-say.C:
			r.logger.Warn("stopping: waiting for connections to end", zap.Duration("at_most", patience))
			continue
		case <-over.C:
		}
		r.door.close()
		r.logger.Warn("stopping: connections that did not end are cut off; their open requests were not acknowledged")
		return nil
	}
}

type tracesThrough struct {
	consumer.Traces
	door *door
}

func (t tracesThrough) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	if err := t.door.pass(); err != nil {
		return err
	}
	return t.Traces.ConsumeTraces(ctx, td)
}

type metricsThrough struct {
	consumer.Metrics
	door *door
}

func (t metricsThrough) ConsumeMetrics(ctx context.Context, md pmetric.Metrics) error {
	if err := t.door.pass(); err != nil {
		return err
	}
	return t.Metrics.ConsumeMetrics(ctx, md)
}

type logsThrough struct {
	consumer.Logs
	door *door
}

func (t logsThrough) ConsumeLogs(ctx context.Context, ld plog.Logs) error {
	if err := t.door.pass(); err != nil {
		return err
	}
	return t.Logs.ConsumeLogs(ctx, ld)
}
