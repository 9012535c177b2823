package clickhouse

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	chcolumn "github.com/ClickHouse/clickhouse-go/v2/lib/column"
	batchdriver "github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/codec"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/intake"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// appender puts the values of one row after the other into the columns of a
// table, in the order of the schema.
type appender struct {
	columns []chcolumn.Interface
	at      int
	err     error
}

func (a *appender) put(values ...any) {
	for _, v := range values {
		if a.err != nil {
			return
		}
		a.err = a.columns[a.at].AppendRow(v)
		a.at++
	}
}

// row ends a row; all columns must have got a value.
func (a *appender) row() error {
	if a.err != nil {
		return &intake.RowError{Reason: "a value does not fit its column"}
	}
	a.at = 0
	return nil
}

// box hands a text to the driver; texts that repeat from row to row are boxed
// once.
type box struct {
	text  string
	boxed any
}

func (b *box) of(s string) any {
	if b.boxed == nil || b.text != s {
		b.text, b.boxed = s, s
	}
	return b.boxed
}

// insertSpans writes the table spans.
func (c *client) insertSpans(ctx context.Context, r *rows) error {
	return c.insert(ctx, "spans", r.token, func(_ batchdriver.Batch, columns []chcolumn.Interface) error {
		a := &appender{columns: columns}
		var o overflow
		var texts [len(promotedTexts)]any
		var ints [len(promotedInts)]any
		var row *spanRow
		empty := any("")
		var tenant, task, root, name, kind, status, message, state, service box
		skip := func(k string, v any) bool {
			switch x := v.(type) {
			case string:
				if x == "" {
					return false
				}
				if k == semconv.AppTaskID {
					return row.stated
				}
				if at, ok := textPlaces[k]; ok {
					texts[at] = v
					return true
				}
			case int64:
				if at, ok := intPlaces[k]; ok {
					ints[at] = v
					return true
				}
			}
			return false
		}
		for i := range r.spans {
			row = &r.spans[i]
			s := &row.Span.Span
			for j := range texts {
				texts[j] = empty
			}
			for j := range ints {
				ints[j] = nil
			}
			o.take(s.Attrs, skip)
			other, err := o.encodedOther()
			if err != nil {
				return &intake.RowError{Reason: err.Error()}
			}
			var events []byte
			if len(s.Events) > 0 {
				if events, err = o.encoder.Events(nil, s.Events, s.Start); err != nil {
					return &intake.RowError{Reason: err.Error()}
				}
			}
			a.put(tenant.of(s.Tenant), task.of(row.task), s.Start, s.ID.Trace[:], s.ID.Span[:], row.statement, s.End-s.Start, row.seen, r.ver,
				s.Parent[:], root.of(row.root), row.source, name.of(s.Name), kind.of(s.Kind), status.of(s.Status), message.of(s.StatusMessage),
				state.of(s.TraceState), service.of(s.Service), uint32(len(s.Links)), row.stated)
			a.put(texts[:]...)
			a.put(ints[:]...)
			a.put(&o.text, &o.ints, &o.doubles, &o.bools, &o.lists, other, events)
			if err := a.row(); err != nil {
				return err
			}
		}
		return nil
	})
}

func (c *client) insertLinks(ctx context.Context, r *rows) error {
	return c.insert(ctx, "links", r.token, func(_ batchdriver.Batch, columns []chcolumn.Interface) error {
		a := &appender{columns: columns}
		var e codec.Encoder
		for i := range r.spans {
			row := &r.spans[i]
			s := &row.Span.Span
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
	return c.insert(ctx, "events", r.token, func(_ batchdriver.Batch, columns []chcolumn.Interface) error {
		a := &appender{columns: columns}
		var o overflow
		for i := range r.records {
			row := &r.records[i]
			rec := &row.Record.Record
			o.take(rec.Attrs, nil)
			other, err := o.encodedOther()
			if err != nil {
				return &intake.RowError{Reason: err.Error()}
			}
			// A text that is not empty is kept as one; everything else is encoded.
			text, isText := rec.Body.(string)
			var body []byte
			if rec.Body != nil && (!isText || text == "") {
				text = ""
				if body, err = o.encoder.Value(nil, "", rec.Body); err != nil {
					return &intake.RowError{Reason: err.Error()}
				}
			}
			a.put(rec.Tenant, row.task, rec.Time, rec.ID[:], rec.Step.Trace[:], rec.Step.Span[:], rec.Observed, row.seen, r.ver,
				row.root, row.source, rec.Service, rec.Event, rec.Severity, text, body,
				&o.text, &o.ints, &o.doubles, &o.bools, &o.lists, other)
			if err := a.row(); err != nil {
				return err
			}
		}
		return nil
	})
}

func (c *client) insertSources(ctx context.Context, token string, sources []*sourceRow) error {
	return c.insert(ctx, "sources", token, func(_ batchdriver.Batch, columns []chcolumn.Interface) error {
		a := &appender{columns: columns}
		var o overflow
		for _, s := range sources {
			o.take(s.resource, nil)
			resource, err := encodedResource(s.resource)
			if err != nil {
				return &intake.RowError{Reason: err.Error()}
			}
			a.put(s.tenant, s.id, s.service, s.serviceVersion, s.scope, s.scopeVersion, &o.text, resource, uint64(s.age))
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
	return c.insert(ctx, "run_edges", token, func(_ batchdriver.Batch, columns []chcolumn.Interface) error {
		a := &appender{columns: columns}
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
	return c.insert(ctx, "run_keys", token, func(_ batchdriver.Batch, columns []chcolumn.Interface) error {
		a := &appender{columns: columns}
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
	return c.insert(ctx, "run_roots", hex.EncodeToString(digest.Sum(nil)[:16]), func(_ batchdriver.Batch, columns []chcolumn.Interface) error {
		a := &appender{columns: columns}
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
