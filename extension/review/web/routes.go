package web

import (
	"context"
	"net/http"
	"time"
)

// route is an address that is served.
type route struct {
	path  string
	serve http.HandlerFunc
	api   bool
}

// requestLimit bounds the work of one answer.
const requestLimit = 20 * time.Second

// routes are all addresses.
func (h *Handler) routes() []route {
	page := func(path string, f func(r *http.Request) (string, view, error)) route {
		return route{path: path, serve: h.page(f)}
	}
	api := func(path string, f func(r *http.Request) (any, error)) route {
		return route{path: "/api/v1" + path, serve: h.api(f), api: true}
	}
	return []route{
		{path: "/{$}", serve: func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/tasks", http.StatusSeeOther) }},
		{path: "/static/{name}", serve: h.serveStatic},
		{path: "/favicon.ico", serve: func(w http.ResponseWriter, r *http.Request) { h.writeAsset(w, h.static["icon.svg"]) }}, // of what is not a page
		{path: "/search", serve: h.search},
		page("/tasks", h.tasksPage),
		page("/tasks/{id}", h.taskPage),
		page("/tasks/{id}/compare", h.comparePage),
		page("/tasks/{id}/graph", h.graphPage),
		{path: "/tasks/{id}/report", serve: h.download},
		page("/traces/{trace}", h.tracePage),
		page("/traces/{trace}/spans/{span}", h.stepPage),
		page("/sessions/{id}", h.sessionPage),
		page("/policy", h.policyPage),
		page("/evaluations", h.evaluationsPage),
		page("/quality", h.qualityPage),
		page("/health", h.healthPage),
		{path: "/", serve: func(w http.ResponseWriter, r *http.Request) {
			h.fail(w, r, problem{http.StatusNotFound, "not found", "there is no page at this address"})
		}},
		api("/tasks", h.tasksAPI),
		api("/tasks/{id}", h.taskAPI),
		api("/tasks/{id}/compare", h.compareAPI),
		api("/tasks/{id}/graph", h.graphAPI),
		api("/traces/{trace}", h.traceAPI),
		api("/traces/{trace}/spans/{span}", h.stepAPI),
		api("/sessions/{id}", h.sessionAPI),
		api("/search", h.searchAPI),
		api("/policy", h.policyAPI),
		api("/evaluations", h.evaluationsAPI),
		api("/quality", h.qualityAPI),
		api("/health", h.healthAPI),
		{path: "/api/v1/openapi.yaml", serve: h.openAPI, api: true},
	}
}

func (h *Handler) page(f func(r *http.Request) (string, view, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), requestLimit)
		defer cancel()
		name, v, err := f(r.WithContext(ctx))
		if err != nil {
			h.fail(w, r, asProblem(err))
			return
		}
		v.Tenant = r.URL.Query().Get("tenant")
		h.pages.write(w, http.StatusOK, name, v)
	}
}
