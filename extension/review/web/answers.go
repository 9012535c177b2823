package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
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
	// maxAnswers bounds the bytes of all of them, and maxAnswer those of one.
	maxAnswers = 16 << 20
	maxAnswer  = 2 << 20
	listedFor  = time.Second
)

// answer is what a client gets.
type answer struct {
	status  int
	head    http.Header
	body    []byte
	version evidence.Version
	made    time.Time
}

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
		a.size -= len(old.body)
	}
	if a.kept == nil || a.size+len(made.body) > maxAnswers {
		a.kept, a.size = map[string]*answer{}, 0
	}
	a.kept[address] = made
	a.size += len(made.body)
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

// look is one request about a run, which find fills.
type look struct {
	version evidence.Version // "" while it is not known
	has     func(evidence.Version) bool
	known   bool
}

type lookKey struct{}

// errKnown says that the answer needs no rows.
var errKnown = errors.New("the run is known")

// refuse answers with what an error is to a reader.
func (h *Handler) refuse(w http.ResponseWriter, r *http.Request, err error) {
	if !errors.Is(err, errKnown) { // else there is an answer
		h.fail(w, r, asProblem(err))
	}
}

// ofRun remembers what serve answers about a run. A client who names its answer by
// the ETag gets 304 while nothing has changed.
func (h *Handler) ofRun(serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		address := r.URL.RequestURI()
		before, named := h.answers.get(address), r.Header.Get("If-None-Match")
		l := &look{has: func(v evidence.Version) bool {
			return v != "" && (before != nil && before.version == v || named != "" && named == h.tag(v))
		}}
		made := record(serve, w, r.WithContext(context.WithValue(r.Context(), lookKey{}, l)))
		tag := h.tag(l.version)
		if l.known {
			made = before
		} else if made.version = l.version; l.version != "" {
			if made.status == http.StatusOK {
				made.head.Set("ETag", tag)
			}
			h.answers.put(address, made)
		}
		if l.version != "" && named == tag && (made == nil || made.status == http.StatusOK) {
			w.Header().Set("ETag", tag)
			w.WriteHeader(http.StatusNotModified)
			return
		}
		made.send(w)
	}
}

// tag names a version of a run as this program shows it.
func (h *Handler) tag(v evidence.Version) string {
	sum := sha256.Sum256([]byte(h.set.Version + "\x00" + string(v)))
	return `"` + hex.EncodeToString(sum[:12]) + `"`
}

// brief remembers what serve answers for a moment, and has those who ask the same at
// the same time wait for one answer.
func (h *Handler) brief(serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		address := r.URL.RequestURI()
		if a := h.answers.listed(r.Context(), address); a != nil {
			a.send(w)
			return
		}
		defer h.answers.finish(address)
		a := record(serve, w, r)
		a.made = time.Now()
		h.answers.put(address, a)
		a.send(w)
	}
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
