package web

import (
	"context"
	"errors"
	"net/http"
	"time"
)

const (
	// maxWaiting is how many requests wait for their turn for each that is answered,
	// and maxWait how long one does.
	maxWaiting = 32
	maxWait    = 5 * time.Second
)

// gate lets some requests read the store at a time: it is the collector's own process
// that answers, and it has spans to store. Others wait for a while.
type gate struct {
	turns   chan struct{}
	waiting chan struct{}
}

func newGate(turns int) *gate {
	return &gate{make(chan struct{}, turns), make(chan struct{}, turns*(1+maxWaiting))}
}

// errBusy says that too many wait, or that it took too long.
var errBusy = errors.New("busy")

// enter waits for a turn; leave ends it.
func (g *gate) enter(ctx context.Context) (leave func(), err error) {
	select {
	case g.waiting <- struct{}{}:
	default:
		return nil, errBusy
	}
	patience := time.NewTimer(maxWait)
	defer patience.Stop()
	select {
	case g.turns <- struct{}{}:
		return func() { <-g.turns; <-g.waiting }, nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-patience.C:
		err = errBusy
	}
	<-g.waiting
	return nil, err
}

// gated serves one of the requests that read the store.
func (h *Handler) gated(serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		leave, err := h.gate.enter(r.Context())
		if err != nil {
			h.fail(w, r, asProblem(err))
			return
		}
		defer leave()
		serve(w, r)
	}
}
