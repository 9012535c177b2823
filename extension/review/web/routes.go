package web

import (
	"context"
	"net/http"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/review"
)

// route is an address that is served.
type route struct {
	path  string
	takes []string // names that its query may have
	serve http.HandlerFunc
	api   bool
}

// resource is something that has a page and, at the same path and with the same
// query, an answer of the API.
type resource struct {
	path  string
	takes []string
	kept  func(http.HandlerFunc) http.HandlerFunc // how long an answer is good for
	page  func(r *http.Request) (string, view, error)
	data  func(r *http.Request) (any, error)
}

// requestLimit bounds the work of one answer.
const requestLimit = 20 * time.Second

// resources are all of them.
func (h *Handler) resources() []resource {
	one, many := []string{"id", "tenant"}, []string{"tenant", "since"}
	listed := append(many, "class", "outcome", "limit", "after")
	for _, kind := range evidence.TermKinds() {
		listed = append(listed, string(kind))
	}
	fresh := func(serve http.HandlerFunc) http.HandlerFunc { return serve }
	return []resource{
		{"/tasks", listed, h.brief, h.tasksPage, h.tasksAPI},
		{"/tasks/{id}", one, h.ofRun, h.taskPage, h.taskAPI},
		{"/tasks/{id}/compare", append(one, "left", "right"), h.ofRun, h.comparePage, h.compareAPI},
		{"/tasks/{id}/graph", one, h.ofRun, h.graphPage, h.graphAPI},
		{"/traces/{trace}", []string{"tenant", "from", "limit"}, h.ofRun, h.tracePage, h.traceAPI},
		{"/traces/{trace}/spans/{span}", []string{"tenant"}, h.ofRun, h.stepPage, h.stepAPI},
		{"/sessions/{id}", append(one, "since"), h.brief, h.sessionPage, h.sessionAPI},
		{"/policy", many, fresh, h.policyPage, h.policyAPI},
		{"/evaluations", many, fresh, h.evaluationsPage, h.evaluationsAPI},
		{"/quality", many, fresh, h.qualityPage, h.qualityAPI},
		{"/health", nil, fresh, h.healthPage, h.healthAPI},
	}
}

// routes are all addresses.
func (h *Handler) routes() []route {
	out := []route{
		{path: "/{$}", serve: func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/tasks", http.StatusSeeOther) }},
		{path: "/static/{name}", takes: []string{"v"}, serve: h.serveStatic},
		{path: "/favicon.ico", serve: func(w http.ResponseWriter, r *http.Request) { h.writeAsset(w, h.static["icon.svg"]) }}, // of what is not a page
		{path: "/search", takes: []string{"q", "tenant"}, serve: h.gated(h.search)},
		{path: review.API + "/search", takes: []string{"q", "tenant"}, serve: h.gated(h.api(h.searchAPI)), api: true},
		{path: "/tasks/{id}/report", takes: []string{"id", "tenant", "format"}, serve: h.ofRun(h.gated(h.download))},
		{path: review.API + "/openapi.yaml", serve: h.openAPI, api: true},
	}
	for _, r := range h.resources() {
		out = append(out,
			route{r.path, r.takes, r.kept(h.gated(h.page(r.page))), false},
			route{review.API + r.path, r.takes, r.kept(h.gated(h.api(r.data))), true})
	}
	return out
}

// nowhere answers where nothing is.
func (h *Handler) nowhere(w http.ResponseWriter, r *http.Request) {
	h.fail(w, r, problem{http.StatusNotFound, "not found", "there is no page at this address"})
}

// bounded runs f on a request that ends in time.
func bounded(r *http.Request) (*http.Request, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(r.Context(), requestLimit)
	return r.WithContext(ctx), cancel
}

func (h *Handler) page(f func(r *http.Request) (string, view, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r, cancel := bounded(r)
		defer cancel()
		name, v, err := f(r)
		if err != nil {
			h.refuse(w, r, err)
			return
		}
		h.pages.write(w, http.StatusOK, name, v)
	}
}
