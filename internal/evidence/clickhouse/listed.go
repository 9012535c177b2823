package clickhouse

import (
	"context"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// listed is a run of a listing, before its rows are read.
type listed struct {
	tenant string
	keys   []keyName
	place  evidence.Place
	rows   uint64 // 0 if they were not counted
	known  bool   // the caller has it
	asked  bool   // the caller has heard its version
	loaded bool
	run    evidence.Run
	// version is that of the rows that were read.
	version runVersion
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
	if err := p.askVersions(ctx, runs); err != nil {
		return err
	}
	for i, l := range runs {
		if !l.known && !l.loaded {
			if err := p.load(ctx, runs[i:]); err != nil {
				return err
			}
		}
		run := l.run
		l.run = evidence.Run{}
		if p.q.Have != nil && !l.asked {
			p.q.Have(l.tenant, l.place, l.version.name())
		}
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

// askVersions finds out which runs the caller knows, of those that it may know.
func (p *paging) askVersions(ctx context.Context, runs []*listed) error {
	if p.q.Have == nil {
		return nil
	}
	var maybe []*listed
	for _, l := range runs {
		if l.asked = p.q.Seen == nil || p.q.Seen(l.tenant, l.place); l.asked {
			maybe = append(maybe, l)
		}
	}
	if len(maybe) == 0 {
		return nil
	}
	versions, err := p.r.versions(ctx, maybe)
	if err != nil {
		return err
	}
	for i, l := range maybe {
		l.rows = versions[i].rows
		l.known = versions[i].counted && p.q.Have(l.tenant, l.place, versions[i].name())
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
			loaded, versions, err := p.r.loadVersions(ctx, tenant, groups...)
			for i := range loaded {
				list[i].run, list[i].version, list[i].loaded = loaded[i], versions[i], true
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
