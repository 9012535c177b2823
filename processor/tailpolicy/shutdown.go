package tailpolicy

import (
	"context"
	"fmt"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/loan"
	"github.com/otelcol-agent/otelcol-agent/internal/tail"
)

const (
	drainLimit = 10 * time.Second // how long Shutdown waits for the next component
	grace      = time.Second      // what a worker has to come back when sending is over
)

// Shutdown decides everything that is pending and sends what is kept. What the
// next component does not take in time is counted as dropped, and an error. With
// storage it leaves what is pending to the next start.
func (p *tailProcessor) Shutdown(ctx context.Context) error {
	defer p.forget()
	defer p.meter.shutdown()
	defer p.giveUp()
	ctx, cancel := context.WithTimeout(ctx, drainLimit)
	defer cancel()
	defer context.AfterFunc(ctx, p.giveUp)()
	defer p.end()
	close(p.stop)
	p.stopped.Wait()
	loan.Process.End(p.loan)
	if p.storage != nil {
		p.leave(ctx)
		return nil
	}
	for {
		p.repeat(ctx, tail.Drain{})
		wait, changed, idle := p.rest()
		if idle {
			return nil
		}
		select {
		case <-ctx.Done():
			return p.abandon(context.WithoutCancel(ctx))
		case <-changed:
		case <-time.After(wait):
		}
	}
}

// rest is how long to wait for the next try or for work to come back, and whether
// there is nothing left to do; then nothing is taken any more.
func (p *tailProcessor) rest() (time.Duration, <-chan struct{}, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = p.state.Idle()
	return max(time.Until(p.state.RetryAt()), 10*time.Millisecond), p.changed, p.closed
}

// leave lets work that is out come back, and ends.
func (p *tailProcessor) leave(ctx context.Context) {
	p.mu.Lock()
	p.closed = true
	tail.Step(p.state, tail.Abandon{}, time.Now())
	p.mu.Unlock()
	p.wait(ctx)
	p.giveUp()
	p.waitGrace()
}

// abandon gives up what is left, and says so: its senders were told that it is safe.
func (p *tailProcessor) abandon(ctx context.Context) error {
	p.giveUp()
	p.waitGrace()
	p.mu.Lock()
	effects := p.takeBack()
	p.closed, p.ended = true, true
	given, why := tail.Step(p.state, tail.Abandon{}, time.Now()), p.lastErr
	p.mu.Unlock()
	for _, e := range effects { // what was to be sent is among the given up
		p.meter.count(ctx, e)
	}
	lost := 0
	for _, e := range given {
		p.meter.count(ctx, e)
		if dropped, ok := e.(tail.Dropped); ok {
			lost += dropped.Spans
		}
	}
	if lost == 0 {
		return nil
	}
	if why == nil {
		why = context.DeadlineExceeded
	}
	return fmt.Errorf("%s: %d acknowledged spans are lost: the next component did not take them within %s: %w", p.id, lost, drainLimit, why)
}

// wait lets work that is out come back, for a while.
func (p *tailProcessor) wait(ctx context.Context) {
	for {
		p.mu.Lock()
		busy, changed := p.state.Busy(), p.changed
		p.mu.Unlock()
		if busy == 0 {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

func (p *tailProcessor) waitGrace() {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	p.wait(ctx)
}

// end stops the workers and gives memory back, unless a sender is still writing
// to it, or a worker reading: one whose next component does not heed its context is
// left behind.
func (p *tailProcessor) end() {
	close(p.quit)
	left := p.leftBehind()
	p.mu.Lock()
	p.ended = true
	free := !left && p.state.Reserved() == 0
	p.mu.Unlock()
	if p.storage != nil {
		if err := p.storage.Close(); err != nil {
			p.meter.storageFailed("it was not closed well", err)
		}
	}
	if free {
		p.state.Arena.Close()
	}
}

// leftBehind reports whether workers did not end in time.
func (p *tailProcessor) leftBehind() bool {
	gone := make(chan struct{})
	go func() {
		p.gone.Wait()
		close(gone)
	}()
	select {
	case <-gone:
		return false
	case <-time.After(grace):
		return true
	}
}
