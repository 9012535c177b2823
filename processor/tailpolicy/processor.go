package tailpolicy

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/internal/loan"
	"github.com/otelcol-agent/otelcol-agent/internal/tail"
	"github.com/otelcol-agent/otelcol-agent/internal/tail/slab"
)

const (
	retryMin = time.Second      // first wait after a refused run
	retryMax = 30 * time.Second // longest one

	restInMemory = 30 * time.Second // then a run is only in the storage
)

var (
	errFull    = errors.New("memory_mib: budget is full of runs that may not be dropped; send the batch again later")
	errMaxMiB  = errors.New("storage.max_mib: full of runs that may not be dropped; send the batch again later")
	errStopped = errors.New("the collector is stopping; send the batch again later")
)

type tailProcessor struct {
	next    consumer.Traces
	meter   *meter
	hands   tail.Hands
	tick    time.Duration
	stop    chan struct{} // ends the clock
	quit    chan struct{} // ends the workers
	todo    chan tail.Effect
	storage *storage // nil without one
	config  *Config
	trimmed time.Time          // by the clock
	stopped sync.WaitGroup     // the clock
	gone    sync.WaitGroup     // the workers
	id      string             // of the component, for errors
	forget  func()             // ends the sharing of the component id
	sending context.Context    // of everything that is sent; it ends with the patience of Shutdown
	giveUp  context.CancelFunc // ends sending

	loan *loan.Loan // of memory_mib: what pending runs do not use

	back    answers       // of work that was handed out
	waiting atomic.Int64  // bytes of batches whose senders wait for room
	turn    chan struct{} // has an item while a sender waits for room: the others wait for it

	mu      sync.Mutex
	state   *tail.State
	changed chan struct{} // closed and made anew when work has come back
	closed  bool          // nothing is taken any more
	ended   bool          // nothing comes back any more
	lastErr error         // of the next component, nil after it took a run
}

func newProcessor(set component.TelemetrySettings, cfg *Config, next consumer.Traces) (*tailProcessor, error) {
	m, err := newMeter(set, &cfg.Quotas)
	if err != nil {
		return nil, err
	}
	policy, err := cfg.Policy(m.ruleFailed)
	if err != nil {
		return nil, err
	}
	p := &tailProcessor{
		config:  cfg,
		next:    next,
		meter:   m,
		tick:    min(max(cfg.DecisionWait/10, 10*time.Millisecond), time.Second),
		stop:    make(chan struct{}),
		quit:    make(chan struct{}),
		todo:    make(chan tail.Effect, workers()*handful),
		changed: make(chan struct{}),
		turn:    make(chan struct{}, 1),
		forget:  func() {},
		state: tail.NewState(tail.Settings{
			Policy:       policy,
			DecisionWait: cfg.DecisionWait,
			MaxWait:      cfg.MaxWait,
			MemoryBytes:  cfg.memoryBytes(),
			Remember:     cfg.remembered(),
			DryRun:       cfg.DryRun,
			RetryMin:     retryMin,
			RetryMax:     retryMax,
			Parallel:     workers(),
			Handful:      handful,
			DiskBytes:    cfg.Storage.live(),
			RestInMemory: restInMemory,
			Limbo:        cfg.Storage != nil && cfg.Limbo.bytes() > 0,
			LoadBytes:    cfg.loadBytes(),
		}),
	}
	p.hands = tail.Hands{Policy: &p.state.Policy, Arena: p.state.Arena, DryRun: cfg.DryRun}
	p.sending, p.giveUp = context.WithCancel(context.Background())
	return p, m.watch(p.held)
}

// Capabilities: a batch is read, encoded and left as it is.
func (p *tailProcessor) Capabilities() consumer.Capabilities {
	return consumer.Capabilities{MutatesData: false}
}

// Start runs the clock and the workers.
func (p *tailProcessor) Start(context.Context, component.Host) error {
	p.loan = loan.Process.Lend(p.config.memoryBytes(), int64(p.config.remembered())*tail.DecidedBytes)
	if p.config.Storage != nil {
		if err := p.openStorage(p.config); err != nil {
			loan.Process.End(p.loan)
			return err
		}
		p.gone.Go(p.flush)
	}
	for range workers() {
		p.gone.Go(p.work)
	}
	p.stopped.Go(func() {
		ticker := time.NewTicker(p.tick)
		defer ticker.Stop()
		for {
			select {
			case <-p.stop:
				return
			case <-ticker.C:
				p.repeat(context.Background(), tail.Tick{})
				p.trim()
			}
		}
	})
	return nil
}

// ConsumeTraces takes a batch into memory. An error is retryable and means that
// nothing of the batch was taken.
func (p *tailProcessor) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	err := p.take(ctx, td)
	if p.drops(ctx, err) {
		p.meter.overflowed(ctx, td.SpanCount(), err)
		return nil
	}
	p.meter.refused(ctx, err)
	return err
}

func (p *tailProcessor) take(ctx context.Context, td ptrace.Traces) error {
	batch, err := tail.Encode(td)
	if err != nil {
		return err
	}
	size := batch.Size()
	inMemory, err := p.reserve(ctx, size)
	if err != nil {
		return err
	}
	alloc := p.alloc
	if !inMemory {
		alloc = func(size int) (slab.Block, []byte) { return slab.Block{}, make([]byte, size) }
	}
	pieces, err := batch.Split(&p.state.Policy, alloc)
	if err == nil {
		err = p.keep(pieces)
	}
	if err != nil {
		p.free(pieces)
		pieces = nil
	}
	loan.Process.Use(p.loan, p.state.Arena.Mapped())
	if _, ok := p.tryStep(tail.Arrive{Pieces: pieces, Reserved: size}); !ok {
		p.unkeep(pieces)
		return errStopped
	}
	return err
}

// free gives back the memory of pieces that were not taken.
func (p *tailProcessor) free(pieces []tail.Piece) {
	for i := range pieces {
		p.state.Arena.Free(pieces[i].Block)
	}
}

// alloc gives a piece its place in memory.
func (p *tailProcessor) alloc(size int) (slab.Block, []byte) {
	block := p.state.Arena.Alloc(size)
	return block, p.state.Arena.Bytes(block)
}

// repeat takes the same step until there is nothing more to do now.
func (p *tailProcessor) repeat(ctx context.Context, in tail.Input) {
	for {
		if did, _ := p.do(ctx, in); !did.more {
			return
		}
	}
}

// did is what a step came to.
type did struct{ granted, inMemory, wait, full, more, closed bool }

// do takes a step, after the answers that wait, and does what it says. The channel is
// closed when work that was out at the time of the step has come back.
func (p *tailProcessor) do(ctx context.Context, in tail.Input) (did, <-chan struct{}) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return did{closed: true}, nil
	}
	effects := append(p.takeBack(), tail.Step(p.state, in, time.Now())...)
	changed := p.changed
	p.mu.Unlock()
	return p.perform(ctx, effects), changed
}

// perform counts effects and hands out work.
func (p *tailProcessor) perform(ctx context.Context, effects []tail.Effect) (d did) {
	for _, e := range effects {
		p.meter.count(ctx, e)
		switch e := e.(type) {
		case tail.Granted:
			d.granted, d.inMemory = true, e.InMemory
		case tail.Wait:
			d.wait = true
		case tail.Full:
			d.full = true
		case tail.More:
			d.more = true
		case tail.Judge, tail.Send, tail.Stow:
			p.todo <- e
		case tail.Note, tail.Gone:
			p.storage.note(e)
		}
	}
	return d
}

// tryStep takes a step that says nothing, unless Shutdown has ended.
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

func (p *tailProcessor) full() error {
	if p.storage != nil {
		return errMaxMiB
	}
	return errFull
}

// trim gives memory back that was not used for a second, and tells what goes on.
func (p *tailProcessor) trim() {
	if now := time.Now(); now.Sub(p.trimmed) >= time.Second {
		p.trimmed = now
		p.meter.again(now)
		p.state.Arena.Trim()
		loan.Process.Use(p.loan, p.state.Arena.Mapped())
	}
}
