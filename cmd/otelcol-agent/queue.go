package main

import (
	"context"
	"slices"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/otel/metric"
)

// queueGauge is the metric by which exporters tell how much is queued; nothing else
// does.
const queueGauge = "otelcol_exporter_queue_size"

// queueSize asks an exporter for that metric, whether it is collected or not.
type queueSize struct {
	mu  sync.Mutex
	ask []metric.Callback
}

// watchQueue has the exporter that is made with the settings tell its queue.
func watchQueue(set *component.TelemetrySettings) *queueSize {
	q := &queueSize{}
	set.MeterProvider = watchedProvider{set.MeterProvider, q}
	return q
}

// get returns the size in the unit of the queue; 0 without a queue.
func (q *queueSize) get() int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	var sum int64
	for _, ask := range q.ask {
		_ = ask(context.Background(), &summing{sum: &sum})
	}
	return sum
}

type watchedProvider struct {
	metric.MeterProvider
	queue *queueSize
}

func (p watchedProvider) Meter(name string, options ...metric.MeterOption) metric.Meter {
	return watchedMeter{p.MeterProvider.Meter(name, options...), p.queue}
}

type watchedMeter struct {
	metric.Meter
	queue *queueSize
}

// gauge is the instrument of a queue's size.
type gauge struct{ metric.Int64ObservableGauge }

func (m watchedMeter) Int64ObservableGauge(name string, options ...metric.Int64ObservableGaugeOption) (metric.Int64ObservableGauge, error) {
	g, err := m.Meter.Int64ObservableGauge(name, options...)
	if name == queueGauge {
		return &gauge{g}, err
	}
	return g, err
}

// RegisterCallback keeps the callback of the queue's size too.
func (m watchedMeter) RegisterCallback(f metric.Callback, instruments ...metric.Observable) (metric.Registration, error) {
	if !slices.ContainsFunc(instruments, func(o metric.Observable) bool { _, ok := o.(*gauge); return ok }) {
		return m.Meter.RegisterCallback(f, instruments...)
	}
	m.queue.mu.Lock()
	m.queue.ask = append(m.queue.ask, f)
	m.queue.mu.Unlock()
	plain := make([]metric.Observable, len(instruments))
	for i, o := range instruments {
		plain[i] = o
		if g, ok := o.(*gauge); ok {
			plain[i] = g.Int64ObservableGauge
		}
	}
	return m.Meter.RegisterCallback(func(ctx context.Context, o metric.Observer) error {
		return f(ctx, unwrapping{o})
	}, plain...)
}

// unwrapping passes what is observed to the meter that made the instruments.
type unwrapping struct{ metric.Observer }

func (u unwrapping) ObserveInt64(o metric.Int64Observable, n int64, options ...metric.ObserveOption) {
	if g, ok := o.(*gauge); ok {
		o = g.Int64ObservableGauge
	}
	u.Observer.ObserveInt64(o, n, options...)
}

// summing adds up what is observed of queues.
type summing struct {
	metric.Observer
	sum *int64
}

func (s *summing) ObserveInt64(o metric.Int64Observable, n int64, _ ...metric.ObserveOption) {
	if _, ok := o.(*gauge); ok {
		*s.sum += n
	}
}

func (*summing) ObserveFloat64(metric.Float64Observable, float64, ...metric.ObserveOption) {}
