package review

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// Found is where a text leads.
type Found struct {
	Query string `json:"query"`
	Hits  []Hit  `json:"hits"`
}

// Hit is something that a text is the name of.
type Hit struct {
	Kind   string `json:"kind"`   // task, or a kind of term
	Tenant string `json:"tenant"` // of a task
	Count  int    `json:"count"`  // runs
	More   bool   `json:"more"`   // there are more than that
	Place  string `json:"place"`
}

// HitTask is the kind of a hit that is a task or trace.
const HitTask = "task"

// countLimit is how many runs of a kind are counted.
const countLimit = 20

// MaxQuery is the most bytes that are looked for.
const MaxQuery = 1024

// Searched is what a text may be the name of, for people.
const Searched = "task, trace, session, tool call, artifact, effect, receipt, decision, agent or tool"

// ErrQuery says that there is nothing to look for, or too much.
var ErrQuery = fmt.Errorf("the text must be a %s, of at most %d bytes", Searched, MaxQuery)

// Search looks a text up as the id of a task or trace, then as every kind of term.
// One tenant is kept to; q.AllTenants looks in all.
func Search(ctx context.Context, store evidence.Reader, q evidence.Query, text string) (Found, error) {
	f := Found{Query: strings.TrimSpace(text), Hits: []Hit{}}
	if f.Query == "" || len(f.Query) > MaxQuery {
		return f, ErrQuery
	}
	isThere := func(evidence.Version) bool { return true } // its rows are not asked for
	run, err := store.Look(ctx, q.Tenant, f.Query, isThere)
	switch {
	case err == nil:
		f.Hits = append(f.Hits, Hit{Kind: HitTask, Tenant: run.Tenant, Count: 1, Place: TaskPlace(run.Tenant, f.Query)})
	case !errors.Is(err, evidence.ErrNotFound) && !errors.Is(err, evidence.ErrAmbiguous):
		return f, err
	}
	if q.AllTenants {
		for _, tenant := range evidence.OtherTenants(err) {
			f.Hits = append(f.Hits, Hit{Kind: HitTask, Tenant: tenant, Count: 1, Place: TaskPlace(tenant, f.Query)})
		}
	}
	counts, err := store.Count(ctx, q, f.Query, countLimit+1)
	if err != nil {
		return f, err
	}
	for _, kind := range evidence.TermKinds() {
		if n := counts[kind]; n > 0 {
			f.Hits = append(f.Hits, Hit{Kind: string(kind), Count: min(n, countLimit), More: n > countLimit, Place: termPlace(q, kind, f.Query)})
		}
	}
	return f, nil
}

// termPlace is a session's page, or the list of the runs that state a term.
func termPlace(q evidence.Query, kind evidence.TermKind, text string) string {
	if kind == evidence.TermSession {
		return SessionPlace(q.Tenant, text)
	}
	v := url.Values{string(kind): {text}}
	if !q.AllTenants {
		v.Set("tenant", q.Tenant)
	}
	return "/tasks?" + v.Encode()
}
