package web

import (
	"net/http"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/review"
)

// healthView is how the store and the collector around it are.
type healthView struct {
	Version string          `json:"version"`
	Store   *evidence.Stats `json:"store"` // null if the engine does not count
	Metrics bool            `json:"metrics"`
	Failed  string          `json:"metrics_error"`
	Health  review.Health   `json:"collector"`
}

func (h *Handler) health(r *http.Request) (healthView, error) {
	return once(h, "health", func() (healthView, error) {
		v := healthView{Version: h.set.Version, Health: review.NewHealth(nil)}
		store, err := h.store(r.Context())
		if err != nil {
			return v, err
		}
		if s, ok := store.(evidence.Statser); ok {
			stats, err := s.Stats(r.Context())
			if err != nil {
				return v, err
			}
			v.Store = &stats
		}
		if h.set.Metrics != nil {
			text, err := h.set.Metrics(r.Context())
			if err != nil {
				v.Failed = err.Error()
			} else {
				v.Metrics, v.Health = true, review.NewHealth(text)
			}
		}
		return v, nil
	})
}

func (h *Handler) healthPage(r *http.Request) (string, view, error) {
	v, err := h.health(r)
	return "health", view{Title: "Collector", Nav: "health", Data: v}, err
}

func (h *Handler) healthAPI(r *http.Request) (any, error) { return h.health(r) }
