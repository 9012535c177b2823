package web

import (
	"context"
	"sync"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// opened is the store, which is opened when it is first asked for, and anew when
// another one stands in its place. A store that answers slowly holds nobody longer
// than they wait by themselves.
type opened struct {
	open func(ctx context.Context) (evidence.Reader, error)
	turn chan struct{} // holds one while somebody opens

	mu     sync.Mutex
	reader evidence.Reader
	closed bool
}

func newOpened(open func(ctx context.Context) (evidence.Reader, error)) *opened {
	return &opened{open: open, turn: make(chan struct{}, 1)}
}

// get returns the store; another says that it is not the one that was returned before.
func (o *opened) get(ctx context.Context) (r evidence.Reader, another bool, err error) {
	if r := o.current(); r != nil {
		return r, false, nil
	}
	select {
	case o.turn <- struct{}{}:
		defer func() { <-o.turn }()
	case <-ctx.Done():
		return nil, false, ctx.Err()
	}
	if r := o.current(); r != nil { // somebody else was first
		return r, false, nil
	}
	if r, err = o.open(ctx); err != nil {
		return nil, false, &unavailable{err}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return nil, false, &unavailable{context.Canceled}
	}
	o.reader = r
	return r, true, nil
}

// current is the store that is open and still the one at its place.
func (o *opened) current() evidence.Reader {
	o.mu.Lock()
	defer o.mu.Unlock()
	if m, ok := o.reader.(evidence.Movable); ok && m.Moved() {
		_ = o.reader.Close() // answers that are under way end first
		o.reader = nil
	}
	return o.reader
}

// close closes the store for good.
func (o *opened) close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	if o.reader == nil {
		return nil
	}
	err := o.reader.Close()
	o.reader = nil
	return err
}

// unavailable is a store that cannot be opened.
type unavailable struct{ error }

func (u *unavailable) Unwrap() error { return u.error }
