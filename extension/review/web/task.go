package web

import (
	"net/http"

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
