package clickhouse

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence/codec"
)

// heedEvery is how often a writer that stores asks whether somebody has erased.
const heedEvery = time.Second

// heed learns of erasures and prunings by others, which took what this writer
// believes to be there.
func (w *Writer) heed(ctx context.Context) error {
	if !w.memory.heeds() {
		return nil
	}
	return w.countPrunings(ctx)
}

// keepSources reads the sources that go.
func (e *erasing) keepSources(ctx context.Context, where string) error {
	query := "SELECT tenant, source, service, service_version, scope, scope_version, resource, age_ns FROM " + e.c.layout.spread("sources") + " FINAL WHERE " + where
	return e.c.each(ctx, query, func(scan func(...any) error) error {
		s := &sourceRow{}
		var resource string
		var age uint64
		if err := scan(&s.tenant, &s.id, &s.service, &s.serviceVersion, &s.scope, &s.scopeVersion, &resource, &age); err != nil {
			return err
		}
		d := codec.Decoder{Name: noNames}
		m, err := d.Attrs([]byte(resource))
		s.resource, s.age = m, int64(min(age, math.MaxInt64))
		e.sources = append(e.sources, s)
		return err
	})
}

// restoreSources gives rows that were stored meanwhile, by a collector that
// believed their source to be there, that source again. Those rows were not looked
// at, so they say what they say; without it they would say less than was recorded.
func (e *erasing) restoreSources(ctx context.Context) error {
	if len(e.sources) == 0 {
		return nil
	}
	select { // until every collector has heard of the erasure and its batch is stored
	case <-time.After(2 * heedEvery):
	case <-ctx.Done():
		return ctx.Err()
	}
	var used []*sourceRow
	for _, s := range e.sources {
		var n uint64
		of := fmt.Sprintf(" WHERE tenant = %s AND source = %d", literal(s.tenant), s.id)
		query := "SELECT (SELECT count() FROM " + e.c.layout.spread("spans") + of + ") + (SELECT count() FROM " + e.c.layout.spread("events") + of + ")"
		if err := e.c.one(ctx, query, &n); err != nil {
			return err
		}
		if n > 0 {
			used = append(used, s)
		}
	}
	if len(used) == 0 {
		return nil
	}
	return e.c.insertSources(ctx, fmt.Sprintf("restored:%d", e.now()), used)
}
