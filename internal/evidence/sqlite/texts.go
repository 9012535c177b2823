package sqlite

import (
	"fmt"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/codec"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// texts turns rows back into spans and records. It is asked for what rows hold
// only by number.
type texts struct {
	name   func(id int64) (string, error)
	source func(id int64) (*origin, error)
}

// text reads an ANY column.
func (x *texts) text(column any) (string, error) {
	switch v := column.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	case int64:
		return x.name(v)
	}
	return "", fmt.Errorf("column of Go type %T where a text or number is expected", column)
}

func (x *texts) attrs(column any) (evidence.Attrs, error) {
	b, _ := column.([]byte)
	d := codec.Decoder{Name: x.name}
	return d.Attrs(b)
}

// span reads the columns spanColumns, and those of its links.
func (x *texts) span(tenant string, trace evidence.TraceID, enc encodedSpan) (evidence.Span, error) {
	row := enc.row
	number := func(i int) int64 { n, _ := row[i].(int64); return n }
	text := func(i int) string { s, _ := row[i].(string); return s }
	sp := evidence.Span{
		Tenant:        tenant,
		ID:            evidence.StepID{Trace: trace, Span: spanID(row[1])},
		Parent:        spanID(row[2]),
		Kind:          word(kinds, number(5)),
		Start:         number(6),
		End:           number(7),
		Status:        word(statuses, number(8)),
		StatusMessage: text(9),
		TraceState:    text(10),
	}
	src, err := x.source(number(3))
	if err != nil {
		return sp, err
	}
	sp.Service, sp.ServiceVersion = src.service, src.serviceVersion
	sp.Scope, sp.ScopeVersion, sp.Resource = src.scope, src.scopeVersion, src.resource
	if sp.Name, err = x.text(row[4]); err != nil {
		return sp, err
	}
	if sp.Attrs, err = x.attrs(row[15]); err != nil {
		return sp, err
	}
	for i, key := range promoted {
		value, err := x.text(row[11+i])
		if err != nil {
			return sp, err
		}
		if value != "" {
			if sp.Attrs == nil {
				sp.Attrs = evidence.Attrs{}
			}
			sp.Attrs[key] = value
		}
	}
	events, _ := row[16].([]byte)
	if sp.Events, err = (&codec.Decoder{Name: x.name}).Events(events, sp.Start); err != nil {
		return sp, err
	}
	for at := 0; at < len(enc.links); at += insertLinks.columns {
		l, err := x.link(enc.links[at : at+insertLinks.columns])
		if err != nil {
			return sp, err
		}
		sp.Links = append(sp.Links, l)
	}
	return sp, nil
}

func (x *texts) link(row []any) (evidence.Link, error) {
	to, _ := row[3].([]byte)
	state, _ := row[6].(string)
	l := evidence.Link{To: evidence.StepID{Trace: traceID(to), Span: spanID(row[4])}, TraceState: state}
	var err error
	if l.Relation, err = x.text(row[5]); err != nil {
		return l, err
	}
	if l.Relation == "" {
		l.Relation = semconv.AppLinkRelationRelated
	}
	l.Attrs, err = x.attrs(row[7])
	return l, err
}

// record reads the columns eventColumns.
func (x *texts) record(tenant string, trace evidence.TraceID, row []any) (evidence.Record, error) {
	number := func(i int) int64 { n, _ := row[i].(int64); return n }
	id, _ := row[1].([]byte)
	r := evidence.Record{
		Tenant:   tenant,
		Step:     evidence.StepID{Trace: trace, Span: spanID(row[3])},
		Time:     number(0),
		Observed: number(5),
	}
	copy(r.ID[:], id)
	src, err := x.source(number(4))
	if err != nil {
		return r, err
	}
	r.Service, r.ServiceVersion = src.service, src.serviceVersion
	r.Scope, r.ScopeVersion, r.Resource = src.scope, src.scopeVersion, src.resource
	if r.Event, err = x.text(row[6]); err != nil {
		return r, err
	}
	if r.Severity, err = x.text(row[7]); err != nil {
		return r, err
	}
	body, _ := row[8].([]byte)
	d := codec.Decoder{Name: x.name}
	if r.Body, err = d.One(body); err != nil {
		return r, err
	}
	r.Attrs, err = x.attrs(row[9])
	return r, err
}

func spanID(column any) (id evidence.SpanID) {
	b, _ := column.([]byte)
	copy(id[:], b)
	return id
}

func traceID(b []byte) (id evidence.TraceID) {
	copy(id[:], b)
	return id
}

const selectSource = "SELECT service, service_version, scope, scope_version, resource FROM sources WHERE id = ?"

// readSource reads the columns of selectSource.
func readSource(row []any, name func(int64) (string, error)) (*origin, error) {
	text := func(i int) string { s, _ := row[i].(string); return s }
	b, _ := row[4].([]byte)
	d := codec.Decoder{Name: name}
	resource, err := d.Attrs(b)
	return &origin{service: text(0), serviceVersion: text(1), scope: text(2), scopeVersion: text(3), resource: resource}, err
}

// texts reads rows inside the writer's transaction.
func (c *connection) texts() *texts {
	return &texts{
		name: func(id int64) (string, error) {
			if r := c.names.byID[id]; r != nil {
				return r.name, nil
			}
			return "", fmt.Errorf("%w: no name %d", codec.ErrCorrupt, id)
		},
		source: func(id int64) (*origin, error) {
			row, err := c.columns(selectSource, 5, id)
			if err != nil {
				return nil, err
			}
			return readSource(row, c.texts().name)
		},
	}
}
