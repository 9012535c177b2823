package web

import (
	"net/http"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/review"
)

// maxTurns bounds a session.
const maxTurns = 300

func (h *Handler) session(r *http.Request) (review.Session, error) {
	s := review.Session{ID: idOf(r), Complete: true, Turns: []review.Turn{}}
	a, err := h.ask(r)
	if err != nil {
		return s, err
	}
	store, err := h.store(r.Context())
	if err != nil {
		return s, err
	}
	a.query.Term = evidence.Term{Kind: evidence.TermSession, Text: s.ID}
	err = store.Page(r.Context(), a.query, func(run evidence.Run, _ evidence.Place) bool {
		if len(s.Turns) == maxTurns {
			s.Complete = false
			return false
		}
		s.Add(run)
		return true
	})
	if err == nil && len(s.Turns) == 0 {
		err = problem{http.StatusNotFound, "not found", "no run states this session"}
	}
	s.Finish()
	return s, err
}

func (h *Handler) sessionPage(r *http.Request) (string, view, error) {
	s, err := h.session(r)
	return "session", view{Title: "Session " + s.ID, Nav: "tasks", Data: &s}, err
}

func (h *Handler) sessionAPI(r *http.Request) (any, error) { return h.session(r) }
