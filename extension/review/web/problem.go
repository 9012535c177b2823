package web

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
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
