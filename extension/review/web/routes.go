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
		return route{path: path, serve: h.gated(h.page(f))}
	}
	api := func(path string, f func(r *http.Request) (any, error)) route {
		return route{path: "/api/v1" + path, serve: h.gated(h.api(f)), api: true}
	}
	brief := func(r route) route { r.serve = h.brief(r.serve); return r }
	ofRun := func(r route) route { r.serve = h.ofRun(r.serve); return r }
	return []route{
		{path: "/{$}", serve: func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/tasks", http.StatusSeeOther) }},
		{path: "/static/{name}", serve: h.serveStatic},
		{path: "/favicon.ico", serve: func(w http.ResponseWriter, r *http.Request) { h.writeAsset(w, h.static["icon.svg"]) }}, // of what is not a page
		{path: "/search", serve: h.gated(h.search)},
		brief(page("/tasks", h.tasksPage)),
		ofRun(page("/tasks/{id}", h.taskPage)),
		ofRun(page("/tasks/{id}/compare", h.comparePage)),
		ofRun(page("/tasks/{id}/graph", h.graphPage)),
		ofRun(route{path: "/tasks/{id}/report", serve: h.gated(h.download)}),
		ofRun(page("/traces/{trace}", h.tracePage)),
		ofRun(page("/traces/{trace}/spans/{span}", h.stepPage)),
		brief(page("/sessions/{id}", h.sessionPage)),
		page("/policy", h.policyPage),
		page("/evaluations", h.evaluationsPage),
		page("/quality", h.qualityPage),
		page("/health", h.healthPage),
		{path: "/", serve: func(w http.ResponseWriter, r *http.Request) {
			h.fail(w, r, problem{http.StatusNotFound, "not found", "there is no page at this address"})
		}},
		brief(api("/tasks", h.tasksAPI)),
		ofRun(api("/tasks/{id}", h.taskAPI)),
		ofRun(api("/tasks/{id}/compare", h.compareAPI)),
		ofRun(api("/tasks/{id}/graph", h.graphAPI)),
		ofRun(api("/traces/{trace}", h.traceAPI)),
		ofRun(api("/traces/{trace}/spans/{span}", h.stepAPI)),
		brief(api("/sessions/{id}", h.sessionAPI)),
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
			h.refuse(w, r, err)
			return
		}
		v.Tenant = r.URL.Query().Get("tenant")
		h.pages.write(w, http.StatusOK, name, v)
	}
}
