package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/codec"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/ledger"
)

var _ ledger.Keeper = (*Reader)(nil)

// Verify compares all rows with the logs of all writers.
func (r *Reader) Verify(ctx context.Context, q ledger.Question) (ledger.Report, error) {
	report, err := ledger.VerifyLogs(ctx, &logSource{r: r}, q)
	return report, told(r.c.place, err)
}

// Checkpoint returns the signed head of this size if one log alone has one; for
// ledger.None the newest of every writer, one after the other.
func (r *Reader) Checkpoint(ctx context.Context, size int64) (text []byte, err error) {
	query := "SELECT argMax(note, (made_ns, size)) FROM " + r.c.layout.spread("log_heads") + " GROUP BY signer ORDER BY signer"
	if size != ledger.None {
		query = "SELECT DISTINCT note FROM " + r.c.layout.spread("log_heads") + " WHERE size = " + strconv.FormatInt(size, 10)
	}
	n := 0
	err = r.c.each(ctx, query, func(scan func(...any) error) error {
		var note string
		err := scan(&note)
		if n++; n > 1 {
			text = append(text, '\n')
		}
		text = append(text, note...)
		return err
	})
	switch {
	case err != nil:
		return nil, told(r.c.place, err)
	case n == 0:
		return nil, fmt.Errorf("evidence store %s keeps no such checkpoint: %w", r.c.place, evidence.ErrNotFound)
	case n > 1 && size != ledger.None:
		return nil, fmt.Errorf("%d logs of evidence store %s have a checkpoint of %d leaves; save one with --save and name the file", n, r.c.place, size)
	}
	return text, nil
}

// logSource reads the logs, and rows as their leaves have them.
type logSource struct {
	r      *Reader
	sheet  sheet
	digest ledger.Digester
}

func (s *logSource) table(name string) string { return s.r.c.layout.spread(name) }

func (s *logSource) Origins(ctx context.Context) (origins []string, err error) {
	query := fmt.Sprintf("SELECT DISTINCT toString(log) FROM %s UNION DISTINCT SELECT DISTINCT toString(log) FROM %s", s.table("log_heads"), s.table("log_leaves"))
	err = s.r.c.each(ctx, query, func(scan func(...any) error) error {
		var origin string
		err := scan(&origin)
		origins = append(origins, origin)
		return err
	})
	return origins, err
}

// headsAtOnce is how many chunks are in memory: some tens of megabytes.
const headsAtOnce = 64

func (s *logSource) Heads(ctx context.Context, origin string, after int64, yield func(ledger.Head, ledger.Chunk) error) error {
	for {
		var heads []ledger.Head
		var numbers []string
		query := fmt.Sprintf("SELECT size, chunk, made_ns, note FROM %s WHERE log = %s AND size > %d ORDER BY size, note LIMIT %d",
			s.table("log_heads"), literal(origin), after, headsAtOnce)
		err := s.r.c.each(ctx, query, func(scan func(...any) error) error {
			var h ledger.Head
			var note string
			err := scan(&h.Size, &h.Chunk, &h.Made, &note)
			h.Note = []byte(note)
			heads, numbers = append(heads, h), append(numbers, strconv.FormatInt(h.Chunk, 10))
			return err
		})
		if err != nil || len(heads) == 0 {
			return err
		}
		chunks := map[int64]ledger.Chunk{}
		where := fmt.Sprintf("WHERE log = %s AND chunk IN (%s)", literal(origin), strings.Join(numbers, ","))
		if err := s.chunks(ctx, where, func(_ string, c ledger.Chunk) error { chunks[c.Number] = c; return nil }); err != nil {
			return err
		}
		for _, h := range heads {
			c, there := chunks[h.Chunk]
			if !there {
				c.Number = ledger.None
			}
			if err := yield(h, c); err != nil {
				return err
			}
		}
		after = heads[len(heads)-1].Size
	}
}

func (s *logSource) chunks(ctx context.Context, where string, yield func(string, ledger.Chunk) error) error {
	query := fmt.Sprintf("SELECT toString(log), chunk, leaves, entry, note FROM %s %s ORDER BY log, chunk", s.table("log_leaves"), where)
	return s.r.c.each(ctx, query, func(scan func(...any) error) error {
		var origin, leaves, note string
		var c ledger.Chunk
		err := scan(&origin, &c.Number, &leaves, &c.Entry, &note)
		c.Leaves, c.Note = []byte(leaves), []byte(note)
		if err != nil {
			return err
		}
		return yield(origin, c)
	})
}

func (s *logSource) Announced(ctx context.Context, yield func(string, ledger.Chunk) error) error {
	return s.chunks(ctx, "WHERE (log, chunk) GLOBAL NOT IN (SELECT log, chunk FROM "+s.table("log_heads")+")", yield)
}

func (s *logSource) Entries(ctx context.Context, yield func(string) error) error {
	return s.r.c.each(ctx, "SELECT entry FROM "+s.table("log_leaves")+" WHERE entry != ''", func(scan func(...any) error) error {
		var text string
		if err := scan(&text); err != nil {
			return err
		}
		return yield(text)
	})
}

func (s *logSource) Bodies(ctx context.Context, yield func(ledger.Body) error) error {
	tenants, err := s.r.c.tenants(ctx, "spans", "events")
	for _, tenant := range tenants {
		if err == nil {
			err = s.spans(ctx, tenant, yield)
		}
		if err == nil {
			err = s.records(ctx, tenant, yield)
		}
	}
	if err != nil {
		return err
	}
	query := "SELECT tenant, toString(kind), trace_id, id, reason, body FROM " + s.table("quarantine")
	return s.r.c.each(ctx, query, func(scan func(...any) error) error {
		var tenant, kind, trace, id, reason, body string
		if err := scan(&tenant, &kind, &trace, &id, &reason, &body); err != nil {
			return err
		}
		b := ledger.Body{Kind: ledger.Refused}
		b.Content, b.ID = refusedRow(tenant, kind, []byte(trace), []byte(id), reason, []byte(body))
		return yield(b)
	})
}

// bodiesAtOnce is how many spans get their links and resources in one go.
const bodiesAtOnce = 2000

func (s *logSource) spans(ctx context.Context, tenant string, yield func(ledger.Body) error) error {
	var found []*statement
	take := func() error {
		var twice []*statement // rows of one statement, which links are looked up by
		seen := map[uint64]bool{}
		found = slices.DeleteFunc(found, func(st *statement) bool {
			if seen[st.id] {
				twice = append(twice, st)
			}
			again := seen[st.id]
			seen[st.id] = true
			return again
		})
		err := s.whole(ctx, tenant, found, yield)
		for i := 0; i < len(found) && errors.Is(err, codec.ErrCorrupt); i++ {
			// Which of them has a link or resource that cannot be read?
			if one := s.whole(ctx, tenant, found[i:i+1], yield); errors.Is(one, codec.ErrCorrupt) {
				one = yield(ledger.Body{Kind: ledger.Span, ID: idOfSpan(found[i].span.ID), Broken: true})
				if one != nil {
					return one
				}
			} else if one != nil {
				return one
			}
			if i == len(found)-1 {
				err = nil
			}
		}
		found = append(found[:0], twice...)
		return err
	}
	query := fmt.Sprintf("%s WHERE tenant = %s", s.r.all(selectStatements, "spans"), literal(tenant))
	err := s.r.c.each(ctx, query, func(scan func(...any) error) error {
		st, err := scanStatement(scan)
		if errors.Is(err, codec.ErrCorrupt) {
			return yield(ledger.Body{Kind: ledger.Span, ID: idOfSpan(st.span.ID), Broken: true})
		}
		if err != nil {
			return err
		}
		st.span.Tenant = tenant
		if found = append(found, st); len(found) < bodiesAtOnce {
			return nil
		}
		return take()
	})
	for err == nil && len(found) > 0 {
		err = take()
	}
	return err
}

// whole yields statements with their links and resources. If one of those cannot
// be read it has yielded nothing.
func (s *logSource) whole(ctx context.Context, tenant string, found []*statement, yield func(ledger.Body) error) error {
	traces := map[evidence.TraceID]bool{}
	for _, st := range found {
		if st.links > 0 {
			traces[st.span.ID.Trace] = true
		}
	}
	links, err := s.r.links(ctx, tenant, maps.Keys(traces))
	if err == nil {
		hangLinks(links, found)
		err = s.r.fillSources(ctx, tenant, found, nil)
	}
	for i := 0; i < len(found) && err == nil; i++ {
		err = yield(s.span(&found[i].span))
	}
	return err
}

func (s *logSource) span(sp *evidence.Span) ledger.Body {
	if len(s.sheet.sources) > maxSources {
		s.sheet.reset()
	}
	s.sheet.flat.reset()
	row := &spanRow{span: *sp, rowAttrs: s.sheet.flat.ofAttrs(sp.Attrs, math.MaxInt32)}
	b := ledger.Body{Kind: ledger.Span, ID: idOfSpan(sp.ID)}
	var err error
	if row.source, err = s.sheet.source(sp.Tenant, sp.Service, sp.ServiceVersion, sp.Scope, sp.ScopeVersion, sp.Resource); err == nil {
		_, b.Content, err = s.sheet.statement(row)
	}
	b.Broken = err != nil
	return b
}

func idOfSpan(id evidence.StepID) (out ledger.ID) {
	copy(out[copy(out[:], id.Trace[:]):], id.Span[:])
	return out
}

func (s *logSource) records(ctx context.Context, tenant string, yield func(ledger.Body) error) error {
	query := fmt.Sprintf("%s WHERE tenant = %s", s.r.all(selectRecords, "events"), literal(tenant))
	return s.r.c.each(ctx, query, func(scan func(...any) error) error {
		rec, source, err := scanRecord(scan)
		b := ledger.Body{Kind: ledger.Record}
		copy(b.ID[:], rec.ID[:])
		if errors.Is(err, codec.ErrCorrupt) {
			b.Broken = true
			return yield(b)
		}
		if err == nil {
			err = s.r.findSources(ctx, tenant, []uint64{source})
		}
		if err != nil && !errors.Is(err, codec.ErrCorrupt) {
			return err
		}
		rec.Tenant = tenant
		if src := s.r.source(tenant, source); src != nil {
			rec.ServiceVersion, rec.Scope, rec.ScopeVersion, rec.Resource = src.serviceVersion, src.scope, src.scopeVersion, src.resource
		}
		content, err := s.digest.Record(&rec)
		b.Content, b.Broken = content, err != nil
		return yield(b)
	})
}
