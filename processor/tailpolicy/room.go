package tailpolicy

import (
	"context"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/tail"
)

const (
	// patience is how long a sender waits for room while runs are on their way out.
	patience = 5 * time.Second
	// waitingPart is the part of the budget that batches may have together whose senders
	// wait: each is in memory decoded too, which takes four times as much.
	waitingPart = 16
)

// reserve waits for room as long as work that is out may make some. One sender at a
// time asks again when work has come back, so that workers have the lock to themselves
// for the most part. When too much waits already, a batch is told at once.
func (p *tailProcessor) reserve(ctx context.Context, size int64) (inMemory bool, err error) {
	first, _ := p.room(ctx, tail.Reserve{Bytes: size, Last: p.config.Overflow == overflowDrop})
	if !first.wait || p.config.Overflow == overflowDrop {
		return p.answered(ctx, first)
	}
	last := func() (bool, error) {
		did, _ := p.room(ctx, tail.Reserve{Bytes: size, Last: true})
		return p.answered(ctx, did)
	}
	defer p.waiting.Add(-size)
	if p.waiting.Add(size) > max(size, p.state.MemoryBytes/waitingPart) {
		return last()
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return false, ctx.Err()
	case <-timer.C:
		return last()
	}
	for {
		did, changed := p.room(ctx, tail.Reserve{Bytes: size})
		if !did.wait {
			return p.answered(ctx, did)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false, ctx.Err()
		case <-timer.C:
			return last()
		}
	}
}

// room asks for room until it is known whether there is some.
func (p *tailProcessor) room(ctx context.Context, in tail.Reserve) (did, <-chan struct{}) {
	for {
		did, changed := p.do(ctx, in)
		if did.granted || did.wait || did.full || did.closed {
			return did, changed
		}
	}
}

// answered is what a sender is told.
func (p *tailProcessor) answered(ctx context.Context, did did) (inMemory bool, err error) {
	switch {
	case did.granted:
		return did.inMemory, nil
	case did.closed:
		return false, errStopped
	}
	return false, p.full()
}
