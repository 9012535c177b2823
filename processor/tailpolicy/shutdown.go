package tailpolicy

import (
	"context"
	"fmt"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/tail"
)

// drainLimit is how long Shutdown waits for the next component.
const drainLimit = 10 * time.Second

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
	if p.storage != nil {
		p.leave()
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
func (p *tailProcessor) leave() {
	p.mu.Lock()
	p.closed = true
	tail.Step(p.state, tail.Abandon{}, time.Now())
	p.mu.Unlock()
	p.wait(drainLimit)
	p.giveUp()
	p.wait(time.Second)
}

// abandon gives up what is left, and says so: its senders were told that it is safe.
func (p *tailProcessor) abandon(ctx context.Context) error {
	p.giveUp()
	p.wait(time.Second)
	p.mu.Lock()
	p.closed = true
	effects, why := tail.Step(p.state, tail.Abandon{}, time.Now()), p.lastErr
	p.mu.Unlock()
	lost := 0
	for _, e := range effects {
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
func (p *tailProcessor) wait(limit time.Duration) {
	late := time.After(limit)
	for {
		p.mu.Lock()
		busy, changed := p.state.Busy(), p.changed
		p.mu.Unlock()
		if busy == 0 {
			return
		}
		select {
		case <-changed:
		case <-late:
			return
		}
	}
}

// end stops the workers and gives memory back, unless a sender is still writing
// to it.
func (p *tailProcessor) end() {
	close(p.quit)
	p.gone.Wait()
	if p.storage != nil {
		if err := p.storage.Close(); err != nil {
			p.meter.storageFailed(err)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state.Reserved() == 0 {
		p.state.Arena.Close()
	}
}
