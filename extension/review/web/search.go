package web

import (
	"errors"
	"net/http"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/internal/review"
)

func (h *Handler) seek(r *http.Request) (review.Found, error) {
	store, err := h.store(r.Context())
	if err != nil {
		return review.Found{}, err
	}
	f, err := review.Search(r.Context(), store, tenants(r), r.URL.Query().Get("q"))
	if errors.Is(err, review.ErrQuery) {
		err = problem{http.StatusBadRequest, "q is not understood", err.Error()}
	}
	return f, err
}

func (h *Handler) searchAPI(r *http.Request) (any, error) { return h.seek(r) }

// search leads to what a text names, or shows the choice.
func (h *Handler) search(w http.ResponseWriter, r *http.Request) {
	r, cancel := bounded(r)
	defer cancel()
	if strings.TrimSpace(r.URL.Query().Get("q")) == "" {
		http.Redirect(w, r, "/tasks", http.StatusSeeOther)
		return
	}
	f, err := h.seek(r)
	switch {
	case err != nil:
		h.fail(w, r, asProblem(err))
	case len(f.Hits) == 1:
		http.Redirect(w, r, f.Hits[0].Place, http.StatusSeeOther)
	default:
		h.pages.write(w, http.StatusOK, "search", view{Title: "Search", Nav: "tasks", Query: f.Query, Data: f})
	}
}
