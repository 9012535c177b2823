package web

import (
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/review"
)

// traceID reads a whole trace id.
func traceID(text string) (id evidence.TraceID, ok bool) {
	b, err := hex.DecodeString(strings.ToLower(text))
	if err != nil || len(b) != len(id) {
		return id, false
	}
	return evidence.TraceID(b), true
}

var noTrace = problem{http.StatusNotFound, "not found", "a trace is named by 32 hex digits, a span by 16"}

func (h *Handler) trace(r *http.Request) (review.Trace, error) {
	id, ok := traceID(r.PathValue("trace"))
	if !ok {
		return review.Trace{}, noTrace
	}
	from, err := strconv.Atoi(r.URL.Query().Get("from"))
	if text := r.URL.Query().Get("from"); text != "" && (err != nil || from < 0) {
		return review.Trace{}, problem{http.StatusBadRequest, "from is not understood", "from is the number of a row, from 0"}
	}
	most := review.TraceRows
	if text := r.URL.Query().Get("limit"); text != "" {
		if most, err = strconv.Atoi(text); err != nil || most < 1 || most > review.TraceRows {
			return review.Trace{}, problem{http.StatusBadRequest, "limit is not understood", "limit must be a number from 1 to " + strconv.Itoa(review.TraceRows)}
		}
	}
	reading, err := h.read(r, r.PathValue("trace"))
	if err != nil {
		return review.Trace{}, err
	}
	t, ok := review.NewTrace(reading, id, from, most)
	if !ok {
		return t, problem{http.StatusNotFound, "not found", "the store has records of this trace, and no span"}
	}
	return t, nil
}

func (h *Handler) tracePage(r *http.Request) (string, view, error) {
	t, err := h.trace(r)
	return "trace", view{Title: "Trace " + r.PathValue("trace"), Nav: "tasks", Data: t}, err
}

func (h *Handler) traceAPI(r *http.Request) (any, error) {
	t, err := h.trace(r)
	return t.Data(), err
}

func (h *Handler) step(r *http.Request) (review.Step, error) {
	trace, ok := traceID(r.PathValue("trace"))
	b, err := hex.DecodeString(strings.ToLower(r.PathValue("span")))
	if !ok || err != nil || len(b) != len(evidence.SpanID{}) {
		return review.Step{}, noTrace
	}
	reading, err := h.read(r, r.PathValue("trace"))
	if err != nil {
		return review.Step{}, err
	}
	s, ok := review.NewStep(reading, evidence.StepID{Trace: trace, Span: evidence.SpanID(b)})
	if !ok {
		return s, problem{http.StatusNotFound, "not found", "the run has no such step"}
	}
	return s, nil
}

func (h *Handler) stepPage(r *http.Request) (string, view, error) {
	s, err := h.step(r)
	return "step", view{Title: s.Name, Nav: "tasks", Data: s}, err
}

func (h *Handler) stepAPI(r *http.Request) (any, error) {
	s, err := h.step(r)
	return s.Data(), err
}
