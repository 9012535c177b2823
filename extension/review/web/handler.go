package web

import (
	"cmp"
	"context"
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
