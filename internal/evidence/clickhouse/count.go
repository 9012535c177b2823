package clickhouse

import (
	"context"
	"fmt"
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
	found, rows, err := r.naming(ctx, q, text)
	if err != nil {
		return nil, err
	}
	byTenant := map[string][]keyName{}
	for _, n := range found {
		byTenant[n.key.tenant] = append(byTenant[n.key.tenant], n.key)
	}
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

// naming returns the keys of rows that state a text, each once a kind, and how many
// rows of a kind were looked at: commonTerm at most.
func (r *Reader) naming(ctx context.Context, q evidence.Query, text string) (found []named, rows map[evidence.TermKind]int, err error) {
	var queries []string
	for _, kind := range evidence.TermKinds() {
		queries = append(queries, fmt.Sprintf("SELECT * FROM (SELECT %s AS term, tenant, kind, key FROM (%s) LIMIT %d)", quoteText(string(kind)),
			r.c.stating(q, evidence.Term{Kind: kind, Text: text}, "", false), commonTerm))
	}
	var kinds []string // of a record, which may state a text as several
	for _, kind := range evidence.TermKinds() {
		kinds = append(kinds, fmt.Sprintf("if(%s, %s, '')", inAttrs(kind, literal(text)), quoteText(string(kind))))
	}
	queries = append(queries, fmt.Sprintf("SELECT * FROM (SELECT arrayJoin(arrayFilter(k -> k != '', [%s])) AS term, %s FROM %s WHERE %shas(mapValues(attrs_text), %s) LIMIT %d BY term)",
		strings.Join(kinds, ", "), keyOfRecord, r.c.layout.spread("events"), ofTenant(q), literal(text), commonTerm))
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
