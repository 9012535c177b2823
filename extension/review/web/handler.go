package web

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// Settings is what the program around the pages gives them.
type Settings struct {
	// Open opens the store. It is asked again by every request until it succeeds: a
	// collector may make its store after the pages can be reached.
	Open func(ctx context.Context) (evidence.Reader, error)
	// Now is the clock, for "since".
	Now func() time.Time
	// Version of the program.
	Version string
	// Readers is how many requests read the store at a time; 0 means as many as there
	// are processors, at least two.
	Readers int
	// LocalOnly answers requests for names of this machine alone, so that a page of
	// another site cannot reach the pages under its own name.
	LocalOnly bool
	// Metrics returns the collector's own metrics in the text form of Prometheus;
	// nil if there are none to be had.
	Metrics func(ctx context.Context) ([]byte, error)
	// MCP serves tools for agents at /mcp.
	MCP bool
}

// Handler serves pages and API.
type Handler struct {
	set    Settings
	mux    *http.ServeMux
	pages  *pages
	static map[string]asset
	agents http.Handler // nil if they are not served

	gate    *gate
	rows    rows
	answers answers

	opened *opened

	mu   sync.Mutex
	kept map[string]kept // answers over many runs, for a moment
}

// New returns the handler. Close it when it serves no more.
func New(set Settings) (*Handler, error) {
	h := &Handler{set: set, mux: http.NewServeMux(), opened: newOpened(set.Open), kept: map[string]kept{}}
	h.gate = newGate(cmp.Or(set.Readers, max(runtime.GOMAXPROCS(0), 2)))
	var err error
	if h.static, err = assets(); err != nil {
		return nil, err
	}
	if h.pages, err = parsePages(h.static); err != nil {
		return nil, err
	}
	for _, r := range h.routes() {
		h.mux.HandleFunc("GET "+r.path, func(w http.ResponseWriter, req *http.Request) {
			if err := checkQuery(req.URL.RawQuery, r.takes); err != nil {
				h.fail(w, req, asProblem(err))
				return
			}
			r.serve(w, req)
		})
	}
	h.mux.HandleFunc("GET /", h.nowhere)
	if set.MCP {
		h.agents = h.serveMCP()
	}
	return h, nil
}

// Close closes the store.
func (h *Handler) Close() error { return h.opened.close() }

// store returns the store. What is remembered of one that is gone is forgotten.
func (h *Handler) store(ctx context.Context) (evidence.Reader, error) {
	r, another, err := h.opened.get(ctx)
	if another || err != nil {
		h.rows.forget()
		h.answers.forget()
		h.mu.Lock()
		defer h.mu.Unlock()
		clear(h.kept)
	}
	return r, err
}

// Nothing of a page may come from elsewhere, run from inside the page, or be shown
// inside another one.
const contentPolicy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// Secured gives every answer the headers that keep it private and dead, also those
// that something before the pages gives, such as an authenticator.
func Secured(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		guard(w.Header())
		next.ServeHTTP(w, r)
	})
}

func guard(head http.Header) {
	head.Set("Content-Security-Policy", contentPolicy)
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Referrer-Policy", "no-referrer")
	head.Set("Cross-Origin-Resource-Policy", "same-origin")
	head.Set("Cross-Origin-Opener-Policy", "same-origin")
	head.Set("Cache-Control", "no-store")
}

// Refuse answers a request that the server around the handler does not let through.
func (h *Handler) Refuse(w http.ResponseWriter, r *http.Request, status int) {
	guard(w.Header())
	p := problem{status, "the request is not understood", "send it without compression"}
	if status == http.StatusUnauthorized {
		p = problem{status, "evidence is not for everyone", "show who you are in the way that WWW-Authenticate names: in a browser, reload the page"}
	}
	h.fail(w, r, p)
}

// ServeHTTP answers a request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	head := w.Header()
	guard(head)
	if h.set.LocalOnly && !local(r.Host) {
		h.fail(w, r, problem{http.StatusMisdirectedRequest, "this address answers to names of this machine only", "open it as 127.0.0.1 or localhost; to serve other names, set endpoint to an address that is not loopback, with tls and auth"})
		return
	}
	if h.agents != nil && r.URL.Path == mcpPath {
		h.agents.ServeHTTP(w, r)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		h.fail(w, r, problem{http.StatusMethodNotAllowed, "evidence is only read here", "use GET"})
		return
	}
	h.mux.ServeHTTP(w, r)
}

// local reports whether a Host names this machine.
func local(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// kept is an answer that is good for a moment.
type kept struct {
	value any
	until time.Time
}

// keptFor is how long an answer over many runs is good for.
const keptFor = 15 * time.Second

// once returns the answer of a name, computed at most every keptFor.
func once[T any](h *Handler, name string, make func() (T, error)) (T, error) {
	now := h.set.Now()
	h.mu.Lock()
	k, ok := h.kept[name]
	h.mu.Unlock()
	if v, is := k.value.(T); ok && is && now.Before(k.until) {
		return v, nil
	}
	v, err := make()
	if err != nil {
		return v, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.kept) > 64 {
		clear(h.kept)
	}
	h.kept[name] = kept{v, now.Add(keptFor)}
	return v, nil
}

// asProblem says what an error is to a reader.
func asProblem(err error) problem {
	var p problem
	var u *unavailable
	switch {
	case errors.As(err, &p):
		return p
	case errors.As(err, &u):
		return problem{http.StatusServiceUnavailable, "the evidence store cannot be opened", err.Error()}
	case errors.Is(err, evidence.ErrNotFound):
		return problem{http.StatusNotFound, "not found", err.Error()}
	case errors.Is(err, evidence.ErrAmbiguous):
		return problem{http.StatusConflict, "more than one run", err.Error()}
	case errors.Is(err, evidence.ErrPlace):
		return problem{http.StatusBadRequest, "after is not a place of this store", err.Error()}
	case errors.Is(err, errBusy):
		return problem{http.StatusServiceUnavailable, "many others read at the moment", "try again in a moment"}
	case errors.Is(err, context.DeadlineExceeded):
		return problem{http.StatusGatewayTimeout, "the store took too long", "narrow the filters, or ask for less"}
	}
	return problem{http.StatusInternalServerError, "the store could not be read", err.Error()}
}
