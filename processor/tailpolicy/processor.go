package tailpolicy

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/internal/tail"
)

const (
	remembered = 1 << 20          // keys of decided runs: 16 MiB
	retryMin   = time.Second      // first wait after a refused run
	retryMax   = 30 * time.Second // longest one
)

var (
	errFull    = errors.New("memory_mib: budget is full of runs that may not be dropped; send the batch again later")
	errStopped = errors.New("the collector is stopping; send the batch again later")
)

type tailProcessor struct {
	next    consumer.Traces
	meter   *meter
	tick    time.Duration
	stop    chan struct{}
	stopped sync.WaitGroup
	id      string             // of the component, for errors
	forget  func()             // ends the sharing of the component id
	sending context.Context    // of everything that is sent; it ends with the patience of Shutdown
	giveUp  context.CancelFunc // ends sending

	mu      sync.Mutex
	state   *tail.State
	closed  bool  // nothing is taken any more
	lastErr error // of the next component, nil after it took a run
}

func newProcessor(set component.TelemetrySettings, cfg *Config, next consumer.Traces) (*tailProcessor, error) {
	m, err := newMeter(set, &cfg.Quotas)
	if err != nil {
		return nil, err
	}
	policy, err := cfg.policy(m.ruleFailed)
	if err != nil {
		return nil, err
	}
	p := &tailProcessor{
		next:   next,
		meter:  m,
		tick:   min(max(cfg.DecisionWait/10, 10*time.Millisecond), time.Second),
		stop:   make(chan struct{}),
		forget: func() {},
		state: tail.NewState(tail.Settings{
			Policy:       policy,
			DecisionWait: cfg.DecisionWait,
			MaxWait:      cfg.MaxWait,
			MemoryBytes:  cfg.MemoryMiB << 20,
			Remember:     remembered,
			DryRun:       cfg.DryRun,
			RetryMin:     retryMin,
			RetryMax:     retryMax,
		}),
	}
	p.sending, p.giveUp = context.WithCancel(context.Background())
	return p, m.watch(p.held)
}

// Capabilities: a batch is taken apart, but only when it has been accepted.
func (p *tailProcessor) Capabilities() consumer.Capabilities {
	return consumer.Capabilities{MutatesData: true}
}

// Start runs the clock.
func (p *tailProcessor) Start(context.Context, component.Host) error {
	p.stopped.Go(func() {
		ticker := time.NewTicker(p.tick)
		defer ticker.Stop()
		for {
			select {
			case <-p.stop:
				return
			case <-ticker.C:
				p.repeat(context.Background(), tail.Tick{})
			}
		}
	})
	return nil
}

// ConsumeTraces takes a batch into memory. An error is retryable and means that
// nothing of the batch was taken.
func (p *tailProcessor) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	size := tail.Size(td)
	if err := p.reserve(ctx, size); err != nil {
		return err
	}
	pieces, err := tail.Split(td)
	if _, ok := p.tryStep(tail.Arrive{Pieces: pieces, Reserved: size}); !ok {
		return errStopped
	}
	return err
}

// reserve sends runs until there is room; it stops when sending does not help.
func (p *tailProcessor) reserve(ctx context.Context, size int64) error {
	for {
		did := p.do(ctx, tail.Reserve{Bytes: size})
		switch {
		case did.granted:
			return nil
		case did.closed:
			return errStopped
		case !did.sent:
			p.meter.refused(ctx)
			return errFull
		}
	}
}

// repeat takes the same step until there is nothing more to do now.
func (p *tailProcessor) repeat(ctx context.Context, in tail.Input) {
	for p.do(ctx, in).more {
	}
}

// did is what a step came to.
type did struct{ granted, more, sent, closed bool }

// do takes a step and does what it says.
func (p *tailProcessor) do(ctx context.Context, in tail.Input) (d did) {
	effects, ok := p.tryStep(in)
	d.closed = !ok
	for _, e := range effects {
		p.meter.count(ctx, e)
		switch e := e.(type) {
		case tail.Granted:
			d.granted = true
		case tail.More:
			d.more = true
		case tail.Send:
			d.sent = true
			p.send(e)
		}
	}
	return d
}

// send is not bound to the caller's context: the run is not the caller's batch.
func (p *tailProcessor) send(s tail.Send) {
	ctx := p.sending
	err := p.next.ConsumeTraces(ctx, s.Traces)
	p.note(err)
	if err == nil {
		p.step(tail.Delivered{Parcel: s.Parcel})
		return
	}
	permanent := consumererror.IsPermanent(err)
	p.meter.failed(ctx, permanent, err)
	for _, e := range p.step(tail.Failed{Parcel: s.Parcel, Permanent: permanent}) {
		p.meter.count(ctx, e)
	}
}

func (p *tailProcessor) step(in tail.Input) []tail.Effect {
	p.mu.Lock()
	defer p.mu.Unlock()
	return tail.Step(p.state, in, time.Now())
}

// tryStep is step unless Shutdown has ended; then it takes none.
func (p *tailProcessor) tryStep(in tail.Input) ([]tail.Effect, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, false
	}
	return tail.Step(p.state, in, time.Now()), true
}

// note keeps why the next component does not take runs; that Shutdown lost its
// patience is no reason of its own.
func (p *tailProcessor) note(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lastErr == nil || p.sending.Err() == nil {
		p.lastErr = err
	}
}

// held reports bytes and runs in memory.
func (p *tailProcessor) held() (bytes, runs int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.state.Bytes(), int64(p.state.Runs())
}
