package clickhouse

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/codec"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/intake"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// appender puts the values of one row after the other into the columns of a
// block, in the order of the schema.
type appender struct {
	block    *block
	at       int
	promoted bool // some attributes have columns of their own
	bad      bool
	err      error
	encoder  codec.Encoder
}

func (a *appender) next() *values {
	a.at++
	return a.block.columns[a.at-1]
}

func (a *appender) put(values ...any) {
	for _, v := range values {
		a.bad = !a.next().put(v) || a.bad
	}
}

func (a *appender) text(texts ...string) {
	for _, s := range texts {
		a.next().text(s)
	}
}

func (a *appender) bytes(values ...[]byte) {
	for _, b := range values {
		a.bad = !a.next().bytes(b) || a.bad
	}
}

func (a *appender) numbers(numbers ...uint64) {
	for _, n := range numbers {
		a.next().number64(n)
	}
}

// row ends a row; all columns must have got a value.
func (a *appender) row() error {
	if a.err != nil {
		return &intake.RowError{Reason: a.err.Error()}
	}
	if a.bad || a.at != len(a.block.columns) {
		return &intake.RowError{Reason: "a value does not fit its column"}
	}
	a.at = 0
	return nil
}

// insertSpans writes the table spans.
func (c *client) insertSpans(ctx context.Context, r *rows) error {
	return c.insert(ctx, "spans", r.token, func(a *appender) error {
		a.promoted = true
		for _, row := range r.spans {
			a.span(row, r.ver)
			if err := a.row(); err != nil {
				return err
			}
		}
		return nil
	})
}

func (a *appender) span(row *spanRow, ver uint64) {
	s := &row.span
	var texts [len(promotedTexts)]string
	var ints [len(promotedInts)]*attr
	for i := range row.attrs {
		switch at := &row.attrs[i]; {
		case at.kind == attrText && at.key.text >= 0:
			texts[at.key.text] = at.text
		case at.kind == attrInt && at.key.number >= 0:
			ints[at.key.number] = at
		}
	}
	a.text(s.Tenant, row.task)
	a.numbers(uint64(s.Start))
	a.bytes(s.ID.Trace[:], s.ID.Span[:])
	a.numbers(row.statement, uint64(s.End-s.Start), uint64(row.seen), ver)
	a.bytes(s.Parent[:])
	a.text(row.root)
	a.numbers(row.source.id)
	a.text(s.Name, s.Kind, s.Status, s.StatusMessage, s.TraceState, s.Service)
	a.numbers(uint64(len(s.Links)))
	a.put(row.stated)
	a.text(texts[:]...)
	for _, n := range ints {
		column := a.next()
		if column.option(n == nil); n != nil {
			column.item.number64(n.number)
		}
	}
	a.overflow(&row.rowAttrs, row.stated)
	var events []byte
	if len(s.Events) > 0 {
		if events, a.err = a.encoder.Events(nil, s.Events, s.Start); a.err != nil {
			return
		}
	}
	a.bytes(events)
}

func (c *client) insertLinks(ctx context.Context, r *rows) error {
	return c.insert(ctx, "links", r.token, func(a *appender) error {
		var e codec.Encoder
		for _, row := range r.spans {
			s := &row.span
			for n := range s.Links {
				l := &s.Links[n]
				said := l.Relation != "" && l.Attrs.Str(semconv.AppLinkRelation) == l.Relation
				attrs, err := linkAttrs(&e, l, said)
				if err != nil {
					return &intake.RowError{Reason: err.Error()}
				}
				a.put(s.Tenant, s.ID.Trace[:], s.ID.Span[:], row.statement, uint32(n), l.To.Trace[:], l.To.Span[:], l.Relation,
					said, l.TraceState, attrs, row.age, r.ver)
				if err := a.row(); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// linkAttrs are a link's attributes but for the relation, which has a column.
func linkAttrs(e *codec.Encoder, l *evidence.Link, said bool) ([]byte, error) {
	if len(l.Attrs) == 0 || said && len(l.Attrs) == 1 {
		return nil, nil
	}
	return e.Attrs(nil, l.Attrs, func(key string) bool { return said && key == semconv.AppLinkRelation })
}

// insertEvents writes the table events.
func (c *client) insertEvents(ctx context.Context, r *rows) error {
	return c.insert(ctx, "events", r.token, func(a *appender) error {
		var flat flattener
		for _, row := range r.records {
			rec := &row.Record.Record
			flat.reset()
			attrs := flat.ofAttrs(rec.Attrs, math.MaxInt)
			// A text that is not empty is kept as one; everything else is encoded.
			text, isText := rec.Body.(string)
			var body []byte
			if rec.Body != nil && (!isText || text == "") {
				text = ""
				var err error
				if body, err = a.encoder.Value(nil, "", rec.Body); err != nil {
					return &intake.RowError{Reason: err.Error()}
				}
			}
			a.put(rec.Tenant, row.task, rec.Time, rec.ID[:], rec.Step.Trace[:], rec.Step.Span[:], rec.Observed, row.seen, r.ver,
				row.root, row.source.id, rec.Service, rec.Event, rec.Severity, text, body)
			a.overflow(&attrs, false)
			if err := a.row(); err != nil {
				return err
			}
		}
		return nil
	})
}

func (c *client) insertSources(ctx context.Context, token string, sources []*sourceRow) error {
	return c.insert(ctx, "sources", token, func(a *appender) error {
		var flat flattener
		for _, s := range sources {
			resource, err := encodedResource(s.resource)
			if err != nil {
				return &intake.RowError{Reason: err.Error()}
			}
			a.put(s.tenant, s.id, s.service, s.serviceVersion, s.scope, s.scopeVersion)
			texts := a.next()
			for _, at := range flat.ofAttrs(s.resource, math.MaxInt).attrs {
				if at.kind == attrText {
					texts.key.text(at.key.name)
					texts.item.text(at.text)
				}
			}
			texts.end()
			a.put(resource, uint64(s.age))
			if err := a.row(); err != nil {
				return err
			}
		}
		return nil
	})
}

func encodedResource(m evidence.Attrs) ([]byte, error) {
	if len(m) == 0 {
		return nil, nil
	}
	var e codec.Encoder
	return e.Attrs(nil, m, nil)
}

func (c *client) insertEdges(ctx context.Context, token string, s *keySet, edges []edge) error {
	return c.insert(ctx, "run_edges", token, func(a *appender) error {
		for _, e := range edges {
			for _, way := range [2]edge{e, {e.b, e.a}} {
				a.put(way.a.name.tenant, way.a.name.kind, way.a.name.key, way.b.name.kind, way.b.name.key, upToHour(s.edges[e]))
				if err := a.row(); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func (c *client) insertKeys(ctx context.Context, token string, keys []*keyRow) error {
	return c.insert(ctx, "run_keys", token, func(a *appender) error {
		for _, k := range keys {
			a.put(k.name.tenant, k.name.kind, k.name.key, max(k.span, 0), max(k.record, 0))
			if err := a.row(); err != nil {
				return err
			}
		}
		return nil
	})
}

// insertRoots has a token of its own: one batch may teach the store different
// roots each time it comes.
func (c *client) insertRoots(ctx context.Context, roots []rootRow) error {
	digest := sha256.New()
	for _, r := range roots {
		fmt.Fprintf(digest, "%q %d %q %q %d\n", r.key.tenant, r.key.kind, r.key.key, r.root, r.ver)
	}
	return c.insert(ctx, "run_roots", hex.EncodeToString(digest.Sum(nil)[:16]), func(a *appender) error {
		for _, r := range roots {
			a.put(r.key.tenant, r.key.kind, r.key.key, r.root, r.rank, upToHour(r.age), r.ver)
			if err := a.row(); err != nil {
				return err
			}
		}
		return nil
	})
}

// rootRow names the run of a key.
type rootRow struct {
	key  keyName
	root string
	rank uint8
	age  int64
	ver  uint64
}
