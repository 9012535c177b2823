package web

import (
	"bytes"
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// answers remembers whole answers, for reviewers who look at the same incident: one
// about a run as long as its version is what it was, one about a list for listedFor.
type answers struct {
	mu   sync.Mutex
	kept map[string]*answer // by address
	size int
	// under holds the lists that somebody waits for already.
	under map[string]chan struct{}
}

const (
	// maxAnswers bounds the bytes of all of them, and maxAnswer those of one;
	// answerAside is what one takes beside its body and its address.
	maxAnswers  = 16 << 20
	maxAnswer   = 2 << 20
	answerAside = 2 << 10
	listedFor   = time.Second
)

// answer is what a client gets.
type answer struct {
	status  int
	head    http.Header
	body    []byte
	version evidence.Version
	made    time.Time
}

// bytes is what the answer to an address takes.
func (a *answer) bytes(address string) int { return len(a.body) + len(address) + answerAside }

func (a *answers) get(address string) *answer {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.kept[address]
}

// forget forgets all: the runs are those of another store.
func (a *answers) forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.kept, a.size = nil, 0
}

func (a *answers) put(address string, made *answer) {
	if made.status != http.StatusOK || len(made.body) > maxAnswer {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if old := a.kept[address]; old != nil {
		a.size -= old.bytes(address)
	}
	if a.kept == nil || a.size+made.bytes(address) > maxAnswers {
		a.kept, a.size = map[string]*answer{}, 0
	}
	a.kept[address] = made
	a.size += made.bytes(address)
}

// recorder takes an answer down.
type recorder struct {
	head   http.Header
	status int
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header         { return r.head }
func (r *recorder) WriteHeader(status int)      { r.status = status }
func (r *recorder) Write(b []byte) (int, error) { return r.body.Write(b) }

func record(serve http.HandlerFunc, w http.ResponseWriter, r *http.Request) *answer {
	rec := &recorder{head: w.Header().Clone(), status: http.StatusOK}
	serve(rec, r)
	return &answer{status: rec.status, head: rec.head, body: rec.body.Bytes()}
}

func (a *answer) send(w http.ResponseWriter) {
	for name, values := range a.head {
		w.Header()[name] = values
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body)
}

// listed returns the answer about a list, and nil to one who is to make it.
func (a *answers) listed(ctx context.Context, address string) *answer {
	for {
		a.mu.Lock()
		if k := a.kept[address]; k != nil && time.Since(k.made) < listedFor {
			a.mu.Unlock()
			return k
		}
		under := a.under[address]
		if under == nil {
			if a.under == nil {
				a.under = map[string]chan struct{}{}
			}
			a.under[address] = make(chan struct{})
			a.mu.Unlock()
			return nil
		}
		a.mu.Unlock()
		select {
		case <-under:
		case <-ctx.Done(): // nobody reads what is answered
			return &answer{status: http.StatusServiceUnavailable}
		}
	}
}

func (a *answers) finish(address string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	close(a.under[address])
	delete(a.under, address)
}
