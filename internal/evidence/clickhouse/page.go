package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// spot is where a key stands in a listing: its youngest row, then a hash of its
// name. A run stands where its youngest key does.
type spot struct {
	latest int64
	hash   uint64
}

// newest is before every key.
var newest = spot{math.MaxInt64, math.MaxUint64}

func (s spot) place() evidence.Place {
	return evidence.Place(strconv.FormatUint(uint64(s.latest), 16) + "-" + strconv.FormatUint(s.hash, 16))
}

func spotOf(p evidence.Place) (spot, error) {
	if p == "" {
		return newest, nil
	}
	first, second, ok := strings.Cut(string(p), "-")
	a, errA := strconv.ParseUint(first, 16, 64)
	b, errB := strconv.ParseUint(second, 16, 64)
	if !ok || errA != nil || errB != nil {
		return spot{}, evidence.ErrPlace
	}
	return spot{int64(a), b}, nil
}

// Page yields runs with their places, newest first.
func (r *Reader) Page(ctx context.Context, q evidence.PageQuery, yield func(evidence.Run, evidence.Place) bool) error {
	at, err := spotOf(q.After)
	if err != nil {
		return err
	}
	p := &paging{r: r, q: q, since: math.MinInt64, start: at, seen: map[keyName]bool{}, yield: yield}
	if !q.Since.IsZero() {
		p.since = q.Since.UnixNano()
	}
	if none, err := p.weigh(ctx); none || err != nil {
		return told(r.c.place, err)
	}
	for more := true; more && err == nil; {
		at, more, err = p.chunk(ctx, at)
	}
	if errors.Is(err, errStop) {
		return nil
	}
	return told(r.c.place, err)
}

// paging is one call of Page.
type paging struct {
	r     *Reader
	q     evidence.PageQuery
	since int64
	start spot
	seen  map[keyName]bool
	// common says that many rows state the term: runs are then looked at newest first,
	// and few until the page is full.
	common bool
	yield  func(evidence.Run, evidence.Place) bool
	given  int // runs that were yielded
}

// commonTerm is from how many rows on a term is common.
var commonTerm = 5000

// weigh finds out whether the term is common, or stated by no row at all.
func (p *paging) weigh(ctx context.Context) (none bool, err error) {
	if p.q.Term == (evidence.Term{}) {
		return false, nil
	}
	query := fmt.Sprintf("SELECT count() FROM (SELECT 1 FROM (%s) LIMIT %d)", p.stating(""), commonTerm)
	err = p.r.c.each(ctx, query, func(scan func(...any) error) error {
		var n uint64
		err := scan(&n)
		p.common, none = n == uint64(commonTerm), n == 0
		return err
	})
	return none, err
}

const spotOfKey = "max(greatest(latest_span_ns, latest_record_ns)) AS latest, cityHash64(tenant, kind, key) AS hash"

// listing is the part of a query that says which keys are listed.
func (p *paging) listing() string {
	var where []string
	if !p.q.AllTenants {
		where = append(where, "tenant = "+literal(p.q.Tenant))
	}
	if p.q.Term != (evidence.Term{}) && !p.common {
		where = append(where, "(tenant, kind, key) GLOBAL IN ("+p.stating("")+")")
	}
	if len(where) == 0 {
		where = append(where, "1")
	}
	return p.r.c.layout.spread("run_keys") + " WHERE " + strings.Join(where, " AND ")
}

// stating selects the keys of rows that state the term, and meet a condition.
func (p *paging) stating(within string) string {
	return p.r.c.stating(p.q.Query, p.q.Term, within, true, true)
}

// window is how many rows of run_keys are looked at for a chunk. A key has several
// rows while the server has not merged its parts.
const window = 512

// chunk yields the runs of the keys that follow a spot, and returns the last one.
// Rows are taken youngest first, since ordering the keys of a large store takes long:
// the first row of a key that comes is its youngest, unless the key stands before the
// page, and such runs are left out.
func (p *paging) chunk(ctx context.Context, at spot) (last spot, more bool, err error) {
	query := fmt.Sprintf("SELECT tenant, kind, key, greatest(latest_span_ns, latest_record_ns) AS latest, cityHash64(tenant, kind, key) AS hash FROM %s AND latest BETWEEN %d AND %d AND (latest, hash) < (%d, %d) ORDER BY latest DESC, hash DESC LIMIT %d",
		p.listing(), p.since, at.latest, at.latest, at.hash, window)
	limit := max(3*(p.q.Want-p.given), recentPage)
	var keys []keyName
	var spots []spot
	rows, there := 0, map[keyName]bool{}
	err = p.r.c.each(ctx, query, func(scan func(...any) error) error {
		var k keyName
		var s spot
		err := scan(&k.tenant, &k.kind, &k.key, &s.latest, &s.hash)
		rows++
		if len(keys) < limit {
			last = s
			if !p.seen[k] && !there[k] {
				there[k] = true
				keys, spots = append(keys, k), append(spots, s)
			}
		}
		return err
	})
	more = rows == window || len(keys) == limit
	if err != nil || len(keys) == 0 {
		return last, more, err
	}
	seeds := map[string][]keyName{}
	for _, k := range keys {
		if !p.seen[k] {
			seeds[k.tenant] = append(seeds[k.tenant], k)
		}
	}
	walks := map[string]*walk{}
	groups := map[keyName][]keyName{}
	for tenant, list := range seeds {
		w, err := p.r.c.walk(ctx, tenant, list)
		if err != nil {
			return last, false, err
		}
		walks[tenant] = w
		var members []keyName
		for top, group := range w.groups() {
			groups[top] = group
			members = append(members, group...)
		}
		if err := p.skipShown(ctx, tenant, members, w, groups); err != nil {
			return last, false, err
		}
	}
	var found []*listed
	for i, k := range keys {
		if p.seen[k] {
			continue
		}
		group := groups[walks[k.tenant].top(k)]
		for _, member := range group {
			p.seen[member] = true
		}
		found = append(found, &listed{tenant: k.tenant, keys: group, place: spots[i].place()})
	}
	return last, more, p.give(ctx, found)
}

// skipShown marks the runs that an earlier page had: those with a key that stands
// before this page.
func (p *paging) skipShown(ctx context.Context, tenant string, members []keyName, w *walk, groups map[keyName][]keyName) error {
	if p.start == newest {
		return nil
	}
	var names []string
	for _, k := range members {
		names = append(names, fmt.Sprintf("(%d,%s)", k.kind, literal(k.key)))
	}
	for _, list := range lists(names) {
		query := fmt.Sprintf("SELECT kind, key, %s FROM %s AND tenant = %s AND (kind, key) IN (%s) GROUP BY tenant, kind, key HAVING latest >= %d AND (latest, hash) >= (%d, %d)",
			spotOfKey, p.listing(), literal(tenant), list, p.since, p.start.latest, p.start.hash)
		err := p.r.c.each(ctx, query, func(scan func(...any) error) error {
			k := keyName{tenant: tenant}
			var s spot
			if err := scan(&k.kind, &k.key, &s.latest, &s.hash); err != nil {
				return err
			}
			for _, member := range groups[w.top(k)] {
				p.seen[member] = true
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
