package clickhouse

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// Reader looks at a store without changing it. It is safe for concurrent use.
type Reader struct {
	c *client

	mu      sync.Mutex
	sources map[sourceID]*sourceRow
}

var _ evidence.Reader = (*Reader)(nil)

// OpenReader opens the store for reading. It neither makes nor migrates one.
func OpenReader(ctx context.Context, s Settings) (*Reader, error) {
	c, err := connect(&s)
	if err != nil {
		return nil, err
	}
	p, err := c.progress(ctx)
	if err == nil && (p.version < len(c.known) || !p.whole()) {
		err = fmt.Errorf("evidence store %s has schema %d, this otelcol-agent reads schema %d; start its collector on the store once, which migrates it", c.place, p.version, len(c.known))
		if p.version == 0 {
			err = fmt.Errorf("no evidence store at %s: the collector makes it when it starts with an evidencestore exporter (create_schema: true); start it, or name the one it writes (--store)", c.place)
		}
	}
	if err == nil {
		err = c.stopWhenLeft(ctx)
	}
	if err == nil {
		err = c.askIndexes(ctx)
	}
	if err != nil {
		_ = c.close()
		return nil, told(c.place, err)
	}
	return &Reader{c: c, sources: map[sourceID]*sourceRow{}}, nil
}

// Close ends all reading.
func (r *Reader) Close() error { return r.c.close() }

// traceRange returns the first and last trace id that an id can begin.
func traceRange(id string) (first, last []byte, ok bool) {
	digits := strings.ToLower(strings.TrimPrefix(id, traceTask))
	if len(digits) < evidence.MinTraceDigits || len(digits) > 32 {
		return nil, nil, false
	}
	first, err := hex.DecodeString(digits + strings.Repeat("0", 32-len(digits)))
	if err != nil {
		return nil, nil, false
	}
	last, _ = hex.DecodeString(digits + strings.Repeat("f", 32-len(digits)))
	return first, last, true
}

// Find returns the run of a task id, else of a trace id in hex, with or without
// "trace:" before it, else of a prefix of one of six digits at least.
func (r *Reader) Find(ctx context.Context, tenant, id string) (evidence.Run, error) {
	return r.Look(ctx, tenant, id, nil)
}

// Look is Find for a caller who may have the run.
func (r *Reader) Look(ctx context.Context, tenant, id string, have func(evidence.Version) bool) (evidence.Run, error) {
	run, err := r.find(ctx, tenant, id, have)
	return run, told(r.c.place, err)
}

func (r *Reader) find(ctx context.Context, tenant, id string, have func(evidence.Version) bool) (evidence.Run, error) {
	runs, err := r.runsOf(ctx, tenant, []keyName{{tenant, keyTask, clipped(id)}}, have)
	if err != nil {
		return evidence.Run{}, err
	}
	if len(runs) == 1 {
		return runs[0], nil
	}
	where := []string{fmt.Sprintf("kind = 1 AND key = %s", literal(clipped(id)))}
	if first, last, ok := traceRange(id); ok {
		between := fmt.Sprintf("kind = 0 AND key BETWEEN %s AND %s", literal(first), literal(last))
		var seeds []keyName
		var queries []string
		for _, table := range keyTables { // a trace may be known only by a link to it
			queries = append(queries, fmt.Sprintf("SELECT * FROM (SELECT DISTINCT key FROM %s WHERE tenant = %s AND %s LIMIT 1000)", r.c.layout.spread(table), literal(tenant), between))
		}
		err := r.c.each(ctx, strings.Join(queries, " UNION ALL "), func(scan func(...any) error) error {
			k := keyName{tenant: tenant, kind: keyTrace}
			err := scan(&k.key)
			seeds = append(seeds, k)
			return err
		})
		if err != nil {
			return evidence.Run{}, err
		}
		if runs, err = r.runsOf(ctx, tenant, seeds, have); err != nil {
			return evidence.Run{}, err
		}
		switch {
		case len(runs) == 1:
			return runs[0], nil
		case len(runs) > 1:
			return evidence.Run{}, evidence.Ambiguous(id, len(runs))
		}
		where = append(where, between)
	}
	others, err := r.tenantsOf(ctx, tenant, where)
	if err != nil {
		return evidence.Run{}, err
	}
	return evidence.Run{}, evidence.NotFound(tenant, id, others)
}

// keyTables are the tables that know keys.
var keyTables = []string{"run_keys", "run_edges"}

// tenantsOf returns the other tenants that have one of the keys.
func (r *Reader) tenantsOf(ctx context.Context, tenant string, conditions []string) (others []string, err error) {
	var queries []string
	for _, table := range keyTables {
		queries = append(queries, fmt.Sprintf("SELECT tenant FROM %s WHERE (%s) AND tenant != %s", r.c.layout.spread(table), strings.Join(conditions, " OR "), literal(tenant)))
	}
	err = r.c.each(ctx, "SELECT DISTINCT tenant FROM ("+strings.Join(queries, " UNION ALL ")+")", func(scan func(...any) error) error {
		var other string
		err := scan(&other)
		others = append(others, other)
		return err
	})
	return others, err
}

// runsOf returns the runs that hold the keys and are not empty, without rows if have
// says so.
func (r *Reader) runsOf(ctx context.Context, tenant string, seeds []keyName, have func(evidence.Version) bool) ([]evidence.Run, error) {
	if len(seeds) == 0 {
		return nil, nil
	}
	w, err := r.c.walk(ctx, tenant, seeds)
	if err != nil {
		return nil, err
	}
	groups := w.groups()
	tops := slices.SortedFunc(maps.Keys(groups), keyName.compare)
	var out []evidence.Run
	for _, top := range tops {
		if have != nil {
			versions, err := r.versions(ctx, []*listed{{tenant: tenant, keys: groups[top]}})
			if err != nil {
				return nil, err
			}
			if v := versions[0]; v.counted && v.rows == 0 {
				continue
			} else if v.counted && have(v.name()) {
				out = append(out, evidence.Run{Tenant: tenant})
				continue
			}
		}
		runs, err := r.load(ctx, tenant, groups[top])
		if err != nil {
			return nil, err
		}
		if len(runs[0].Spans)+len(runs[0].Records) > 0 {
			out = append(out, runs[0])
		}
	}
	return out, nil
}

// errStop says that yield wants no more.
var errStop = errors.New("stop")

// recentPage is how many keys are looked at in one go.
const recentPage = 64

// Recent yields runs, newest first.
func (r *Reader) Recent(ctx context.Context, q evidence.Query, yield func(evidence.Run) bool) error {
	since := int64(math.MinInt64)
	if !q.Since.IsZero() {
		since = q.Since.UnixNano()
	}
	where := ""
	if !q.AllTenants {
		where = " WHERE tenant = " + literal(q.Tenant)
	}
	// All keys first: they are small, and yield may be slow.
	query := fmt.Sprintf("SELECT tenant, kind, key, max(greatest(latest_span_ns, latest_record_ns)) AS latest FROM %s%s GROUP BY tenant, kind, key HAVING latest >= %d ORDER BY latest DESC, key DESC, tenant",
		r.c.layout.spread("run_keys"), where, since)
	var keys []keyName
	err := r.c.each(ctx, query, func(scan func(...any) error) error {
		var k keyName
		var latest int64
		err := scan(&k.tenant, &k.kind, &k.key, &latest)
		keys = append(keys, k)
		return err
	})
	seen := map[keyName]bool{}
	for from := 0; from < len(keys) && err == nil; from += recentPage {
		err = r.page(ctx, keys[from:min(from+recentPage, len(keys))], seen, yield)
	}
	if errors.Is(err, errStop) {
		return nil
	}
	return told(r.c.place, err)
}

// page yields the runs of some keys, in the order of the keys, unless they were
// yielded before.
func (r *Reader) page(ctx context.Context, keys []keyName, seen map[keyName]bool, yield func(evidence.Run) bool) error {
	seeds := map[string][]keyName{}
	for _, k := range keys {
		if !seen[k] {
			seeds[k.tenant] = append(seeds[k.tenant], k)
		}
	}
	walks := map[string]*walk{}
	groups := map[keyName][]keyName{}
	for tenant, list := range seeds {
		w, err := r.c.walk(ctx, tenant, list)
		if err != nil {
			return err
		}
		walks[tenant] = w
		maps.Copy(groups, w.groups())
	}
	var found []*listed
	for _, k := range keys {
		if seen[k] {
			continue
		}
		group := groups[walks[k.tenant].top(k)]
		for _, member := range group {
			seen[member] = true
		}
		found = append(found, &listed{tenant: k.tenant, keys: group})
	}
	p := &paging{r: r, yield: func(run evidence.Run, _ evidence.Place) bool { return yield(run) }}
	return p.give(ctx, found)
}

func compareSteps(a, b evidence.StepID) int {
	if c := bytes.Compare(a.Trace[:], b.Trace[:]); c != 0 {
		return c
	}
	return bytes.Compare(a.Span[:], b.Span[:])
}
