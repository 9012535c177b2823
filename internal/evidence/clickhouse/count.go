package clickhouse

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// named is a key of a row that states a text as a kind of term.
type named struct {
	kind evidence.TermKind
	key  keyName
}

// Count counts the runs that state a text, by kind: one question finds their keys, and a
// walk joins those.
func (r *Reader) Count(ctx context.Context, q evidence.Query, text string, most int) (map[evidence.TermKind]int, error) {
	out, err := r.count(ctx, q, text, most)
	return out, told(r.c.place, err)
}

func (r *Reader) count(ctx context.Context, q evidence.Query, text string, most int) (map[evidence.TermKind]int, error) {
	if text == "" {
		return nil, nil
	}
	found, rows, err := r.namings(ctx, q, text)
	if err != nil {
		return nil, err
	}
	byTenant, walked := map[string][]keyName{}, map[evidence.TermKind]int{}
	for i, n := range found {
		if walked[n.kind]++; walked[n.kind] > keysOfRun*most {
			found[i].kind, rows[n.kind] = "", commonTerm
			continue
		}
		byTenant[n.key.tenant] = append(byTenant[n.key.tenant], n.key)
	}
	found = slices.DeleteFunc(found, func(n named) bool { return n.kind == "" })
	runs := map[evidence.TermKind]map[keyName]bool{} // by a key that stands for them
	for tenant, seeds := range byTenant {
		w, err := r.c.walk(ctx, tenant, seeds)
		if err != nil {
			return nil, err
		}
		for _, n := range found {
			if n.key.tenant != tenant {
				continue
			}
			if runs[n.kind] == nil {
				runs[n.kind] = map[keyName]bool{}
			}
			runs[n.kind][w.top(n.key)] = true
		}
	}
	out := map[evidence.TermKind]int{}
	for kind, tops := range runs {
		if out[kind] = min(len(tops), most); out[kind] == most || rows[kind] < commonTerm {
			continue
		}
		// The rows that were looked at are of few runs, and there are more of them.
		out[kind] = 0
		p := evidence.PageQuery{Query: evidence.Query{Tenant: q.Tenant, AllTenants: q.AllTenants}, Term: evidence.Term{Kind: kind, Text: text}, Want: most,
			Have: func(string, evidence.Place, evidence.Version) bool { return true }}
		if err := r.Page(ctx, p, func(evidence.Run, evidence.Place) bool { out[kind]++; return out[kind] < most }); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// keysOfRun is how many keys are followed for each run that is counted: a run has a key
// for each of its traces, and few have many.
const keysOfRun = 4

// fewRows is how many rows of spans are looked at for all kinds together.
const fewRows = 1000

// namings returns the keys of rows that state a text, each once a kind, and how many
// rows of a kind were looked at: commonTerm or more if there are others.
func (r *Reader) namings(ctx context.Context, q evidence.Query, text string) (found []named, rows map[evidence.TermKind]int, err error) {
	rows = map[evidence.TermKind]int{}
	kinds := evidence.TermKinds()
	for len(kinds) > 0 {
		some, all, err := r.naming(ctx, q, text, kinds)
		if err != nil {
			return nil, nil, err
		}
		found = append(found, some...)
		looked := 0
		for kind, n := range all {
			rows[kind] = n
			looked += n
		}
		if !r.c.anyIndex || looked < fewRows {
			break
		}
		// What is common keeps what is rare from being found: that is asked for alone.
		for kind := range all {
			rows[kind] = max(rows[kind], commonTerm)
		}
		kinds = slices.DeleteFunc(kinds, func(kind evidence.TermKind) bool { return all[kind] > 0 })
	}
	return found, rows, nil
}

// naming asks for some kinds, in one question.
func (r *Reader) naming(ctx context.Context, q evidence.Query, text string, kinds []evidence.TermKind) (found []named, rows map[evidence.TermKind]int, err error) {
	limit := fmt.Sprintf(" LIMIT %d BY term", commonTerm)
	queries := []string{"SELECT * FROM (" + r.c.statingAny(q, literal(text), kinds, "events", keyOfRecord) + limit + ")"}
	if r.c.anyIndex {
		queries = append(queries, "SELECT * FROM ("+r.c.statingAny(q, literal(text), kinds, "spans", keyOfSpan)+fmt.Sprintf(" LIMIT %d)", fewRows))
	}
	for _, kind := range kinds {
		if one := r.c.stating(q, evidence.Term{Kind: kind, Text: text}, "", !r.c.anyIndex, false); one != "" {
			queries = append(queries, fmt.Sprintf("SELECT * FROM (SELECT %s AS term, tenant, kind, key FROM (%s) LIMIT %d)", quoteText(string(kind)), one, commonTerm))
		}
	}
	rows = map[evidence.TermKind]int{}
	query := "SELECT term, tenant, kind, key, count() FROM (" + strings.Join(queries, " UNION ALL ") + ") GROUP BY term, tenant, kind, key"
	err = r.c.each(ctx, query, func(scan func(...any) error) error {
		var n named
		var kind string
		var many uint64
		err := scan(&kind, &n.key.tenant, &n.key.kind, &n.key.key, &many)
		n.kind = evidence.TermKind(kind)
		found = append(found, n)
		rows[n.kind] += int(many)
		return err
	})
	return found, rows, err
}
