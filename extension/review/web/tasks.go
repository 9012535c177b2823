package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/listing"
	"github.com/otelcol-agent/otelcol-agent/internal/review"
)

// list is a page of the list of runs, and how the next one is asked for.
type list struct {
	Tasks  []review.Row   `json:"tasks"`
	Next   evidence.Place `json:"next"` // "" at the end
	Looked int            `json:"looked"`
}

// tasksView is what the list's template gets.
type tasksView struct {
	list
	Query    url.Values
	Filtered bool
	Term     evidence.Term
	Searched []evidence.Term // beside what the form has fields for
	NextPage string
	First    string // place of the first page, "" if this is it
	Classes  []string
	Outcomes []string
	Tenants  bool // some run has a tenant
	Short    bool // looking was stopped before the page was full
}

const (
	pageSize = 50
	maxSize  = 500
	// lookLimit bounds how many runs a page may look at that its filters refuse, and
	// lookTime how long it may take to do so: the next page goes on there.
	lookLimit = 4000
	lookTime  = 4 * time.Second
)

// asked is what the address of a list asks for.
type asked struct {
	query  evidence.PageQuery
	also   []evidence.Term // that the run has to state too
	filter listing.Filter
	limit  int
}

// ask reads the filters of an address.
func (h *Handler) ask(r *http.Request) (asked, error) {
	q := r.URL.Query()
	a := asked{limit: pageSize, filter: listing.Filter{Class: q.Get("class"), Outcome: q.Get("outcome")}}
	from, err := listing.ParseSince(q.Get("since"), h.set.Now())
	err = errors.Join(a.filter.Validate(), err)
	if text := q.Get("limit"); text != "" {
		var bad error
		if a.limit, bad = strconv.Atoi(text); bad != nil || a.limit < 1 || a.limit > maxSize {
			err = errors.Join(err, errors.New("limit must be a number from 1 to "+strconv.Itoa(maxSize)))
		}
	}
	if err != nil {
		return a, problem{http.StatusBadRequest, "the filters are not understood", err.Error()}
	}
	a.query = evidence.PageQuery{Query: tenants(r), After: evidence.Place(q.Get("after"))}
	a.query.Since = from
	for _, kind := range evidence.TermKinds() {
		if text := q.Get(string(kind)); text != "" {
			a.also = append(a.also, evidence.Term{Kind: kind, Text: text})
		}
	}
	if len(a.also) > 0 {
		a.query.Term, a.also = a.also[0], a.also[1:]
	}
	return a, nil
}

// list reads a page of runs.
func (h *Handler) list(ctx context.Context, a asked) (list, error) {
	out := list{Tasks: []review.Row{}}
	store, err := h.store(ctx)
	if err != nil {
		return out, err
	}
	until := h.set.Now().Add(lookTime)
	rows := h.rows.glance(a.query.Term)
	full := false
	var last evidence.Place
	if len(a.also) == 0 {
		a.query.Have, a.query.Seen = rows.has, rows.may
	}
	a.query.Want = a.limit + 1 // one more tells whether there is a next page
	err = store.Page(ctx, a.query, func(run evidence.Run, at evidence.Place) bool {
		if full { // there is one more
			out.Next = last
			return false
		}
		last = at
		out.Looked++
		if a.fits(&run) {
			if row := rows.of(&run, at); a.filter.Match(row.Row) {
				out.Tasks = append(out.Tasks, row)
			}
		}
		full = len(out.Tasks) == a.limit
		if !full && (out.Looked >= lookLimit || h.set.Now().After(until)) {
			out.Next = at
			return false
		}
		return true
	})
	return out, err
}

func (a *asked) fits(run *evidence.Run) bool {
	for _, t := range a.also {
		if !run.States(t) {
			return false
		}
	}
	return true
}

func (h *Handler) tasksAPI(r *http.Request) (any, error) {
	a, err := h.ask(r)
	if err != nil {
		return nil, err
	}
	return h.list(r.Context(), a)
}

func (h *Handler) tasksPage(r *http.Request) (string, view, error) {
	a, err := h.ask(r)
	if err != nil {
		return "", view{}, err
	}
	l, err := h.list(r.Context(), a)
	if err != nil {
		return "", view{}, err
	}
	q := r.URL.Query()
	v := tasksView{list: l, Query: q, Term: a.query.Term, Classes: evidence.Classes(), Outcomes: listing.Outcomes(), Short: l.Next != "" && len(l.Tasks) < a.limit}
	for name := range q {
		v.Filtered = v.Filtered || q.Get(name) != "" && name != "after"
	}
	for _, t := range append([]evidence.Term{a.query.Term}, a.also...) {
		if t.Text != "" && t.Kind != evidence.TermAgent && t.Kind != evidence.TermTool {
			v.Searched = append(v.Searched, t)
		}
	}
	for i := range l.Tasks {
		v.Tenants = v.Tenants || l.Tasks[i].Tenant != ""
	}
	if q.Has("after") {
		v.First = address("/tasks", without(q, "after"))
	}
	if l.Next != "" {
		next := without(q, "after")
		next.Set("after", string(l.Next))
		v.NextPage = address("/tasks", next)
	}
	return "tasks", view{Title: "Tasks", Nav: "tasks", Refresh: !q.Has("after"), Data: v}, nil
}

func without(q url.Values, name string) url.Values {
	out := url.Values{}
	for k, v := range q {
		if k != name && len(v) > 0 && v[0] != "" {
			out[k] = v
		}
	}
	return out
}

func address(path string, q url.Values) string {
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}
