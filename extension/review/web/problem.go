package web

import (
	"net/http"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/internal/listing"
)

// problem is an error as a reader gets it, after RFC 9457.
type problem struct {
	Status int
	Title  string
	Detail string
}

func (p problem) Error() string { return p.Title + ": " + p.Detail }

// fail answers with an error, in the form of what was asked for.
func (h *Handler) fail(w http.ResponseWriter, r *http.Request, p problem) {
	if p.Status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	if strings.HasPrefix(r.URL.Path, "/api/") || r.URL.Path == mcpPath {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(p.Status)
		_ = listing.WriteJSON(w, map[string]any{"type": "about:blank", "title": p.Title, "status": p.Status, "detail": p.Detail})
		return
	}
	h.pages.write(w, p.Status, "problem", view{Title: p.Title, Data: p})
}
