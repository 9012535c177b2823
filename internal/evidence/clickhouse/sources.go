package clickhouse

import (
	"context"
	"fmt"
	"strconv"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence/codec"
)

// sourceID names a source: numbers of two tenants are not the same.
type sourceID struct {
	tenant string
	id     uint64
}

// source returns a source that was found before, nil if the store has none.
func (r *Reader) source(tenant string, id uint64) *sourceRow {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sources[sourceID{tenant, id}]
}

// findSources reads sources that are not in memory yet. A number never gets
// another meaning, since it is a digest.
func (r *Reader) findSources(ctx context.Context, tenant string, ids []uint64) error {
	r.mu.Lock()
	var missing []string
	asked := map[uint64]bool{}
	for _, id := range ids {
		if r.sources[sourceID{tenant, id}] == nil && !asked[id] {
			asked[id] = true
			missing = append(missing, strconv.FormatUint(id, 10))
		}
	}
	r.mu.Unlock()
	for _, list := range lists(missing) {
		query := fmt.Sprintf("SELECT source, service, service_version, scope, scope_version, resource FROM %s WHERE tenant = %s AND source IN (%s)",
			r.c.layout.spread("sources"), literal(tenant), list)
		err := r.c.each(ctx, query, func(scan func(...any) error) error {
			s := &sourceRow{tenant: tenant}
			var resource string
			if err := scan(&s.id, &s.service, &s.serviceVersion, &s.scope, &s.scopeVersion, &resource); err != nil {
				return err
			}
			d := codec.Decoder{Name: noNames}
			m, err := d.Attrs([]byte(resource))
			if err != nil {
				return err
			}
			s.resource = m
			r.mu.Lock()
			defer r.mu.Unlock()
			if len(r.sources) >= maxSources {
				r.sources = map[sourceID]*sourceRow{}
			}
			r.sources[sourceID{tenant, s.id}] = s
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// fillSources says of spans and records who sent them.
func (r *Reader) fillSources(ctx context.Context, tenant string, statements []*statement, records []foundRecord) error {
	ids := make([]uint64, 0, len(statements)+len(records))
	for _, s := range statements {
		ids = append(ids, s.source)
	}
	for i := range records {
		ids = append(ids, records[i].source)
	}
	if err := r.findSources(ctx, tenant, ids); err != nil {
		return err
	}
	for _, s := range statements {
		if src := r.source(tenant, s.source); src != nil {
			s.span.ServiceVersion, s.span.Scope, s.span.ScopeVersion, s.span.Resource = src.serviceVersion, src.scope, src.scopeVersion, src.resource
		}
	}
	for i := range records {
		if src, rec := r.source(tenant, records[i].source), &records[i].record; src != nil {
			rec.ServiceVersion, rec.Scope, rec.ScopeVersion, rec.Resource = src.serviceVersion, src.scope, src.scopeVersion, src.resource
		}
	}
	return nil
}
