package web

import (
	"net/http"

	"github.com/otelcol-agent/otelcol-agent/internal/review"
)

func (h *Handler) graphPage(r *http.Request) (string, view, error) {
	reading, err := h.read(r, idOf(r))
	if err != nil {
		return "", view{}, err
	}
	g := review.NewGraph(reading)
	return "graph", view{Title: "Agents of " + g.Task.ID, Nav: "tasks", Data: g}, nil
}

func (h *Handler) graphAPI(r *http.Request) (any, error) {
	reading, err := h.read(r, idOf(r))
	if err != nil {
		return nil, err
	}
	return review.NewGraph(reading), nil
}
