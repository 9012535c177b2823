package web

import (
	"net/http"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/quality"
	"github.com/otelcol-agent/otelcol-agent/internal/review"
)

// fleetRuns is how many runs, the newest, the pages over many runs look at, within
// lookTime.
const fleetRuns = 1000

// span of a fleet page: what was looked at.
type span struct {
	Seen  int    `json:"runs"`
	Whole bool   `json:"whole"` // there are no older runs
	Since string `json:"-"`
}

// overRuns hands the newest runs of the address's filters to see.
func (h *Handler) overRuns(r *http.Request, see func(evidence.Run)) (span, error) {
	s := span{Whole: true, Since: r.URL.Query().Get("since")}
	a, err := h.ask(r)
	if err != nil {
		return s, err
	}
	store, err := h.store(r.Context())
	if err != nil {
		return s, err
	}
	until := h.set.Now().Add(lookTime)
	err = store.Page(r.Context(), a.query, func(run evidence.Run, _ evidence.Place) bool {
		if s.Seen == fleetRuns || h.set.Now().After(until) {
			s.Whole = false
			return false
		}
		s.Seen++
		see(run)
		return true
	})
	return s, err
}

type policyView struct {
	span
	review.Policy
}

func (h *Handler) policy(r *http.Request) (policyView, error) {
	return once(h, "policy?"+r.URL.RawQuery, func() (v policyView, err error) {
		v.span, err = h.overRuns(r, func(run evidence.Run) { v.Policy.Add(evidence.Read(run)) })
		v.Policy.Finish()
		return v, err
	})
}

func (h *Handler) policyPage(r *http.Request) (string, view, error) {
	p, err := h.policy(r)
	return "policy", view{Title: "Policy", Nav: "policy", Data: p}, err
}

func (h *Handler) policyAPI(r *http.Request) (any, error) { return h.policy(r) }

type evaluationsView struct {
	span
	review.Evaluations
}

func (h *Handler) evaluations(r *http.Request) (evaluationsView, error) {
	return once(h, "evaluations?"+r.URL.RawQuery, func() (v evaluationsView, err error) {
		v.span, err = h.overRuns(r, func(run evidence.Run) { v.Evaluations.Add(evidence.Read(run)) })
		v.Evaluations.Finish()
		return v, err
	})
}

func (h *Handler) evaluationsPage(r *http.Request) (string, view, error) {
	e, err := h.evaluations(r)
	return "evaluations", view{Title: "Evaluations", Nav: "evaluations", Data: e}, err
}

func (h *Handler) evaluationsAPI(r *http.Request) (any, error) { return h.evaluations(r) }

type qualityView struct {
	span
	Services []quality.Service `json:"services"`
	Unmapped []review.Unmapped `json:"unmapped"`
}

func (h *Handler) quality(r *http.Request) (qualityView, error) {
	return once(h, "quality?"+r.URL.RawQuery, func() (v qualityView, err error) {
		var meter quality.Meter
		var keys review.Keys
		v.span, err = h.overRuns(r, func(run evidence.Run) {
			meter.Add(run)
			keys.Add(&run)
		})
		v.Services, v.Unmapped = meter.Services(), keys.Unmapped()
		return v, err
	})
}

func (h *Handler) qualityPage(r *http.Request) (string, view, error) {
	q, err := h.quality(r)
	return "quality", view{Title: "Quality", Nav: "quality", Data: q}, err
}

func (h *Handler) qualityAPI(r *http.Request) (any, error) { return h.quality(r) }
