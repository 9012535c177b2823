package web

import (
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/listing"
	"github.com/otelcol-agent/otelcol-agent/internal/review"
)

// tenants are those that an address asks for: one that it names, else all.
func tenants(r *http.Request) evidence.Query {
	q := r.URL.Query()
	return evidence.Query{Tenant: q.Get("tenant"), AllTenants: !q.Has("tenant")}
}

// find returns the run of an id.
func (h *Handler) find(r *http.Request, id string) (evidence.Run, error) {
	store, err := h.store(r.Context())
	if err != nil {
		return evidence.Run{}, err
	}
	l, _ := r.Context().Value(lookKey{}).(*look)
	if l == nil {
		return review.Find(r.Context(), store, tenants(r), id, nil)
	}
	run, err := review.Find(r.Context(), store, tenants(r), id, func(v evidence.Version) bool {
		l.version, l.known = v, l.has(v)
		return l.known
	})
	if err == nil && l.known {
		err = errKnown
	}
	return run, err
}

func (h *Handler) read(r *http.Request, id string) (*evidence.Reading, error) {
	run, err := h.find(r, id)
	if err != nil {
		return nil, err
	}
	return evidence.Read(run), nil
}

func (h *Handler) taskPage(r *http.Request) (string, view, error) {
	reading, err := h.read(r, idOf(r))
	if err != nil {
		return "", view{}, err
	}
	t := review.NewTask(reading, idOf(r))
	return "task", view{Title: t.Title, Nav: "tasks", Data: t}, nil
}

func (h *Handler) taskAPI(r *http.Request) (any, error) {
	reading, err := h.read(r, idOf(r))
	if err != nil {
		return nil, err
	}
	return reading.Report(evidence.TaskID(idOf(r))), nil
}

// download gives the report as a file for a ticket, in Markdown or JSON.
func (h *Handler) download(w http.ResponseWriter, r *http.Request) {
	r, cancel := bounded(r)
	defer cancel()
	run, err := h.find(r, idOf(r))
	if err != nil {
		h.refuse(w, r, err)
		return
	}
	report := evidence.NewReport(run, evidence.TaskID(idOf(r)))
	switch r.URL.Query().Get("format") {
	case "", "markdown":
		w.Header().Set("Content-Type", "text/markdown; charset=utf-8")
		_ = evidence.WriteMarkdown(w, run, report)
	case "json":
		w.Header().Set("Content-Type", "application/json")
		_ = listing.WriteJSON(w, report)
	default:
		h.fail(w, r, problem{http.StatusBadRequest, "format is not understood", "format must be markdown or json"})
	}
}

func (h *Handler) compare(r *http.Request) (evidence.Comparison, error) {
	run, err := h.find(r, idOf(r))
	if err != nil {
		return evidence.Comparison{}, err
	}
	c, err := evidence.Compare(run, evidence.TaskID(idOf(r)), r.URL.Query().Get("left"), r.URL.Query().Get("right"))
	if err != nil {
		err = problem{http.StatusBadRequest, "left and right are not two attempts", err.Error()}
	}
	return c, err
}

func (h *Handler) compareAPI(r *http.Request) (any, error) { return h.compare(r) }

func (h *Handler) comparePage(r *http.Request) (string, view, error) {
	c, err := h.compare(r)
	if err != nil {
		return "", view{}, err
	}
	return "compare", view{Title: "Compare", Nav: "tasks", Data: struct {
		evidence.Comparison
		Tenant, ID string
	}{c, r.URL.Query().Get("tenant"), idOf(r)}}, nil
}

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
