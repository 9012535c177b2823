package clickhouse

import (
	"context"
	"fmt"
	"hash/fnv"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// listed is a run of a listing, before its rows are read.
type listed struct {
	tenant string
	keys   []keyName
	place  evidence.Place
	rows   uint64 // 0 if they were not counted
	known  bool   // the caller has it
	loaded bool
	run    evidence.Run
}

const (
	// loadRuns is how many runs are read in one go for a caller who cannot say how
	// many they take, and loadMost for any.
	loadRuns = 16
	loadMost = 64
	// loadRows bounds the rows that are in memory for that, as far as they were counted.
	loadRows = 20_000
)

// give yields runs in their order.
func (p *paging) give(ctx context.Context, runs []*listed) error {
	for len(runs) > 0 {
		many := loadRuns
		if left := p.q.Want - p.given; left > 0 {
			many = min(left, loadMost)
		}
		many = min(many, len(runs))
		if err := p.some(ctx, runs[:many]); err != nil {
			return err
		}
		runs = runs[many:]
	}
	return nil
}

// some yields runs that are likely to be wanted together.
func (p *paging) some(ctx context.Context, runs []*listed) (err error) {
	searching := p.q.Term != (evidence.Term{})
	if searching && p.common {
		if runs, err = p.thatState(ctx, runs); err != nil {
			return err
		}
	}
	if p.q.Have != nil {
		versions, err := p.r.versions(ctx, runs)
		if err != nil {
			return err
		}
		for i, l := range runs {
			l.rows = versions[i].rows
			l.known = versions[i].counted && p.q.Have(l.tenant, l.place, versions[i].name())
		}
	}
	for i, l := range runs {
		if !l.known && !l.loaded {
			if err := p.load(ctx, runs[i:]); err != nil {
				return err
			}
		}
		run := l.run
		l.run = evidence.Run{}
		if l.known {
			run.Tenant = l.tenant
		} else if len(run.Spans)+len(run.Records) == 0 || searching && !run.States(p.q.Term) {
			continue
		}
		p.given++
		if !p.yield(run, l.place) {
			return errStop
		}
	}
	return nil
}

// load reads the rows of the first of some runs, as many as memory should hold.
func (p *paging) load(ctx context.Context, runs []*listed) error {
	byTenant := map[string][]*listed{}
	rows := uint64(0)
	for i, l := range runs {
		if l.known {
			continue
		}
		if rows += l.rows; i > 0 && rows > loadRows {
			break
		}
		byTenant[l.tenant] = append(byTenant[l.tenant], l)
	}
	var all []func(context.Context) error
	for tenant, list := range byTenant {
		all = append(all, func(ctx context.Context) error {
			groups := make([][]keyName, len(list))
			for i, l := range list {
				groups[i] = l.keys
			}
			loaded, err := p.r.load(ctx, tenant, groups...)
			for i := range loaded {
				list[i].run, list[i].loaded = loaded[i], true
			}
			return err
		})
	}
	return asOne(ctx, all...)
}

// thatState leaves the runs of which a row states the term.
func (p *paging) thatState(ctx context.Context, runs []*listed) (out []*listed, err error) {
	if len(runs) == 0 {
		return nil, nil
	}
	byKey := map[keyName]*listed{}
	var names []string
	for _, l := range runs {
		for _, k := range l.keys {
			byKey[k] = l
			names = append(names, literal(k.text()))
		}
	}
	stating := map[*listed]bool{}
	for _, list := range shorter(names) {
		err := p.r.c.each(ctx, "SELECT DISTINCT tenant, kind, key FROM ("+p.stating("task_id IN ("+list+")")+")", func(scan func(...any) error) error {
			var k keyName
			err := scan(&k.tenant, &k.kind, &k.key)
			if l := byKey[k]; l != nil {
				stating[l] = true
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	for _, l := range runs {
		if stating[l] {
			out = append(out, l)
		}
	}
	return out, nil
}

// runVersion tells which rows a run has: how many, and a sum over hashes of what they
// are, so that the order in which they are read does not matter.
type runVersion struct {
	rows, sum uint64
	counted   bool // false of runs with more keys than one query can name
}

func (v runVersion) name() evidence.Version {
	return evidence.Version(fmt.Sprintf("%x-%x", v.rows, v.sum))
}

func (v *runVersion) add(parts ...any) {
	h := fnv.New64a()
	_, _ = fmt.Fprintln(h, parts...)
	v.sum += h.Sum64()
}

// selectVersions counts the rows of tasks and the links of traces. Rows that are there
// twice count once, so that merging parts makes no new version.
const selectVersions = `SELECT 'spans' AS of, task_id AS name, uniqExact(statement) AS rows, sumDistinct(statement) AS sum FROM %[1]s WHERE tenant = %[4]s AND task_id IN (%[5]s) GROUP BY task_id
  UNION ALL SELECT 'events', task_id, uniqExact(record), sumDistinct(reinterpretAsUInt64(record)) FROM %[2]s WHERE tenant = %[4]s AND task_id IN (%[5]s) GROUP BY task_id
  UNION ALL SELECT 'links', CAST(trace_id AS String), uniqExact(statement, n), sumDistinct(statement + n) FROM %[3]s WHERE tenant = %[4]s AND trace_id IN (%[6]s) GROUP BY trace_id`

// versions are those of some runs.
func (r *Reader) versions(ctx context.Context, runs []*listed) ([]runVersion, error) {
	out := make([]runVersion, len(runs))
	byTenant := map[string][]int{}
	for i, l := range runs {
		byTenant[l.tenant] = append(byTenant[l.tenant], i)
		for _, k := range l.keys {
			out[i].add(k.kind, k.key)
		}
	}
	for tenant, which := range byTenant {
		tasks, traces := map[string]int{}, map[string]int{}
		var names, ids []string
		for _, i := range which {
			for _, k := range runs[i].keys {
				tasks[k.text()] = i
				names = append(names, literal(k.text()))
				if k.kind == keyTrace {
					traces[k.key] = i
					ids = append(ids, literal(k.key))
				}
			}
		}
		if len(ids) == 0 {
			ids = append(ids, "''")
		}
		in, inTraces := strings.Join(names, ","), strings.Join(ids, ",")
		if 2*len(in)+len(inTraces) > maxList {
			continue // their rows are read
		}
		for _, i := range which {
			out[i].counted = true
		}
		err := r.c.each(ctx, fmt.Sprintf(selectVersions, r.c.layout.spread("spans"), r.c.layout.spread("events"), r.c.layout.spread("links"),
			literal(tenant), in, inTraces), func(scan func(...any) error) error {
			var of, name string
			var rows, sum uint64
			if err := scan(&of, &name, &rows, &sum); err != nil {
				return err
			}
			i, ok := tasks[name]
			if of == "links" {
				i, ok = traces[name]
			}
			if ok {
				out[i].rows += rows
				out[i].add(of, name, rows, sum)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}
