package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/review"
)

// found is where a text leads.
type found struct {
	Query string `json:"query"`
	Hits  []hit  `json:"hits"`
}

type hit struct {
	Kind  string `json:"kind"` // task, or a kind of term
	Count int    `json:"count"`
	More  bool   `json:"more"` // there are more than that
	Place string `json:"place"`
}

// countLimit is how many runs of a kind are counted.
const countLimit = 20

// maxQuery is the most bytes that are looked for.
const maxQuery = 1024

// seek looks a text up as an id of a task or trace, then as every kind of term.
func (h *Handler) seek(ctx context.Context, r *http.Request) (found, error) {
	q := r.URL.Query()
	f := found{Query: strings.TrimSpace(q.Get("q")), Hits: []hit{}}
	if f.Query == "" || len(f.Query) > maxQuery {
		return f, problem{http.StatusBadRequest, "q is not understood", "q is a task, trace, session, tool call, artifact, agent or tool"}
	}
	store, err := h.store(ctx)
	if err != nil {
		return f, err
	}
	run, err := h.find(ctx, r, f.Query)
	switch {
	case err == nil:
		f.Hits = append(f.Hits, hit{Kind: "task", Count: 1, Place: review.TaskPlace(run.Tenant, f.Query)})
	case !errors.Is(err, evidence.ErrNotFound) && !errors.Is(err, evidence.ErrAmbiguous):
		return f, err
	}
	if !q.Has("tenant") {
		for _, tenant := range evidence.OtherTenants(err) {
			f.Hits = append(f.Hits, hit{Kind: "task", Count: 1, Place: review.TaskPlace(tenant, f.Query)})
		}
	}
	for _, kind := range evidence.TermKinds() {
		p := evidence.PageQuery{Query: evidence.Query{Tenant: q.Get("tenant"), AllTenants: !q.Has("tenant")}, Term: evidence.Term{Kind: kind, Text: f.Query}}
		n := 0
		err := store.Page(ctx, p, func(evidence.Run, evidence.Place) bool { n++; return n <= countLimit })
		if err != nil {
			return f, err
		}
		if n == 0 {
			continue
		}
		v := url.Values{string(kind): {f.Query}}
		if q.Has("tenant") {
			v.Set("tenant", q.Get("tenant"))
		}
		place := address("/tasks", v)
		if kind == evidence.TermSession {
			place = review.SessionPlace(q.Get("tenant"), f.Query)
		}
		f.Hits = append(f.Hits, hit{Kind: string(kind), Count: min(n, countLimit), More: n > countLimit, Place: place})
	}
	return f, nil
}

func (h *Handler) searchAPI(r *http.Request) (any, error) { return h.seek(r.Context(), r) }

// search leads to what a text names, or shows the choice.
func (h *Handler) search(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), requestLimit)
	defer cancel()
	if strings.TrimSpace(r.URL.Query().Get("q")) == "" {
		http.Redirect(w, r, "/tasks", http.StatusSeeOther)
		return
	}
	f, err := h.seek(ctx, r)
	switch {
	case err != nil:
		h.fail(w, r, asProblem(err))
	case len(f.Hits) == 1:
		http.Redirect(w, r, f.Hits[0].Place, http.StatusSeeOther)
	default:
		h.pages.write(w, http.StatusOK, "search", view{Title: "Search", Nav: "tasks", Query: f.Query, Data: f})
	}
}
