package agentevents

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"

	"github.com/otelcol-agent/otelcol-agent/connector/agentevents/internal/metadata"
	"github.com/otelcol-agent/otelcol-agent/internal/synth"
)

// joiner owns the state. One lock covers deciding and delivering: spans of one
// turn leave in the order in which they grew.
type joiner struct {
	mu    sync.Mutex
	state *synth.State
	shelf *shelf

	id      component.ID
	cfg     *Config
	version string
	listens bool // the connector sees the agents' spans
	forget  func()
	running int // inputs that were started

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

// Start is called for each input; the first one starts the rest.
func (j *joiner) Start(ctx context.Context, host component.Host) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.running++; j.running > 1 {
		return nil
	}
	set := j.cfg.settings(metadata.ScopeName, j.version)
	set.Listens = j.listens
	j.state = synth.NewState(set)
	var err error
	if j.shelf, err = openShelf(ctx, host, j.cfg.Storage, j.id); err != nil {
		return err
	}
	lost, err := j.shelf.load(ctx, j.state)
	if err != nil {
		return err
	}
	if lost > 0 {
		j.logger.Warn("turns that the storage keeps could not be read; their late records know less", zap.Int("turns", lost))
	}
	synth.Due(j.state, j.now())
	// The context of Start ends with it; the ticker runs until Shutdown.
	running, stop := context.WithCancel(context.Background())
	j.stop, j.stopped = stop, make(chan struct{})
	go j.run(running)
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
	return j.shelf.keep(ctx, j.state)
}

// ConsumeTraces looks at the spans that agents send themselves. What records add
// to them goes on; the spans do not.
func (j *joiner) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.deliver(ctx, synth.Learn(j.state, td, j.now()))
}

// Shutdown sends what is still open. With a storage the turns stay open and go
// on after the start. The last input to end does it.
func (j *joiner) Shutdown(ctx context.Context) error {
	j.mu.Lock()
	if j.running--; j.running > 0 {
		j.mu.Unlock()
		return nil
	}
	j.mu.Unlock()
	defer j.forget()
	defer j.telemetry.shutdown()
	if j.stop == nil {
		return nil // never started
	}
	j.stop()
	<-j.stopped
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.shelf != nil {
		return errors.Join(j.deliver(ctx, synth.Flush(j.state)), j.shelf.close(ctx))
	}
	return j.deliver(ctx, synth.Stop(j.state))
}
