package agentevents

import (
	"context"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.uber.org/zap"

	"github.com/otelcol-agent/otelcol-agent/internal/synth"
)

// joiner owns the state. One lock covers deciding and delivering: spans of one
// turn leave in the order in which they grew.
type joiner struct {
	mu    sync.Mutex
	state *synth.State

	every     time.Duration
	now       func() time.Time
	next      consumer.Traces
	logger    *zap.Logger
	telemetry *counters

	failing bool // the last tick; only run touches it
	stop    context.CancelFunc
	stopped chan struct{}
}

func (j *joiner) Capabilities() consumer.Capabilities { return consumer.Capabilities{} }

func (j *joiner) Start(context.Context, component.Host) error {
	// The context of Start ends with it; the ticker runs until Shutdown.
	ctx, stop := context.WithCancel(context.Background())
	j.stop, j.stopped = stop, make(chan struct{})
	go j.run(ctx)
	return nil
}

func (j *joiner) run(ctx context.Context) {
	defer close(j.stopped)
	ticker := time.NewTicker(j.every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			j.report(j.tick(ctx))
		}
	}
}

// report tells of a refused tick once an outage: nobody else sees its error.
func (j *joiner) report(err error) {
	if err != nil && !j.failing {
		j.logger.Warn("turns that are over could not be delivered; they are tried again", zap.Error(err))
	}
	j.failing = err != nil
}

// ConsumeLogs joins a batch. An error of the next consumer is returned as it is:
// the same records sent again make the same spans.
func (j *joiner) ConsumeLogs(ctx context.Context, logs plog.Logs) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.state.Full() {
		if err := j.deliver(ctx, synth.Trim(j.state)); err != nil {
			return err
		}
	}
	return j.deliver(ctx, synth.Step(j.state, logs, j.now()))
}

func (j *joiner) tick(ctx context.Context) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.deliver(ctx, synth.Tick(j.state, j.now()))
}

// deliver sends an output on and counts it once it is taken.
func (j *joiner) deliver(ctx context.Context, out synth.Output) error {
	if out.Traces.SpanCount() > 0 {
		spans := out.Traces.SpanCount() // the next consumer owns the traces
		if err := j.next.ConsumeTraces(ctx, out.Traces); err != nil {
			j.telemetry.refused(ctx)
			if !consumererror.IsPermanent(err) { // else trying again is of no use
				synth.Restore(out)
			}
			return err
		}
		j.telemetry.delivered(ctx, spans)
	}
	j.telemetry.taken(ctx, out, j.state.Usage())
	return nil
}

// Shutdown sends what is still open.
func (j *joiner) Shutdown(ctx context.Context) error {
	defer j.telemetry.shutdown()
	if j.stop == nil {
		return nil // never started
	}
	j.stop()
	<-j.stopped
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.deliver(ctx, synth.Stop(j.state))
}
