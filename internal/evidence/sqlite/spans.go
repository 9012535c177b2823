package sqlite

import (
	"bytes"
	"database/sql"
	"errors"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/codec"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

const (
	spanColumns = "key, span_id, parent_id, source, name, kind, start_ns, end_ns, status, status_message, trace_state, " +
		"task_id, operation, agent, tool, attrs, events, links, facts, seen, leaf"
	spanFacts = 18 // place of facts
	spanSeen  = 19
	spanLeaf  = 20
)

var (
	insertSpans = insertInto("spans", spanColumns, "")
	insertLinks = insertInto("links", "key, span_id, n, to_trace, to_span, relation, trace_state, attrs", "")
)

var (
	kinds    = []string{"", "internal", "server", "client", "producer", "consumer"}
	statuses = []string{evidence.StatusUnset, evidence.StatusOK, evidence.StatusError}
)

func place(list []string, word string) int64 {
	for i, w := range list {
		if w == word {
			return int64(i)
		}
	}
	return 0
}

func word(list []string, place int64) string {
	if place < 0 || place >= int64(len(list)) {
		return list[0]
	}
	return list[place]
}

// promoted are the attributes with a column of their own, in the order of the
// columns; the column holds them if they are texts, attrs does if not.
var promoted = []string{semconv.AppTaskID, semconv.GenAIOperationName, semconv.GenAIAgentName, semconv.GenAIToolName}

// encodedSpan is a span as its row of spans and its rows of links.
type encodedSpan struct {
	row   []any
	links []any
}

// encodeSpan writes a span under its key. The texts in it are shared with sp.
func (t *transaction) encodeSpan(sp *evidence.Span, facts int, key int64) (encodedSpan, error) {
	age, seen := t.age(max(sp.Start, sp.End))
	t.c.names.age = age
	source, err := t.sources.id(origin{sp.Tenant, sp.Service, sp.ServiceVersion, sp.Scope, sp.ScopeVersion, sp.Resource}, age)
	if err != nil {
		return encodedSpan{}, err
	}
	row := append(make([]any, 0, insertSpans.columns),
		key, sp.ID.Span[:], idOrNull(sp.Parent), source, t.name(sp.Name), place(kinds, sp.Kind), sp.Start, sp.End,
		place(statuses, sp.Status), textOrNull(sp.StatusMessage), textOrNull(sp.TraceState))
	var inColumns [4]bool
	for i, k := range promoted {
		// An empty text stays in attrs: null means absent.
		text, _ := sp.Attrs[k].(string)
		inColumns[i] = text != ""
		if i == 0 {
			row = append(row, textOrNull(text))
		} else {
			row = append(row, t.c.names.text(text))
		}
	}
	skip := func(key string) bool {
		for i, k := range promoted {
			if k == key {
				return inColumns[i]
			}
		}
		return false
	}
	links, err := t.encodeLinks(sp, key)
	if err != nil {
		return encodedSpan{}, err
	}
	// Last, since the digest goes by the order of its keys.
	attrs, err := t.encodeAttrs(sp.Attrs, skip)
	if err != nil {
		return encodedSpan{}, err
	}
	events, err := t.encodeEvents(sp)
	if err != nil {
		return encodedSpan{}, err
	}
	row = append(row, attrs, events, int64(len(sp.Links)), int64(facts), orNull(seen), nil)
	return encodedSpan{row, links}, nil
}

// name is never null, also if it is empty.
func (t *transaction) name(s string) any {
	if s == "" {
		return ""
	}
	return t.c.names.text(s)
}

func idOrNull(id evidence.SpanID) any {
	if id == (evidence.SpanID{}) {
		return nil
	}
	return id[:]
}

func (t *transaction) encodeAttrs(attrs evidence.Attrs, skip func(string) bool) (any, error) {
	t.sorted = codec.Keys(t.sorted, attrs)
	if len(attrs) == 0 {
		return nil, nil
	}
	from := len(t.arena)
	b, err := t.encoder.AttrsInOrder(t.arena, attrs, t.sorted, skip)
	if err != nil || len(b) == from+1 && b[from] == 0 { // all in columns
		return nil, err
	}
	t.arena = b
	return b[from:len(b):len(b)], nil
}

func (t *transaction) encodeEvents(sp *evidence.Span) (any, error) {
	if len(sp.Events) == 0 {
		return nil, nil
	}
	return t.encoder.Events(nil, sp.Events, sp.Start)
}

func (t *transaction) encodeLinks(sp *evidence.Span, key int64) ([]any, error) {
	if len(sp.Links) == 0 {
		return nil, nil
	}
	flat := make([]any, 0, len(sp.Links)*insertLinks.columns)
	for i := range sp.Links {
		l := &sp.Links[i]
		attrs, err := t.encodeAttrs(l.Attrs, nil)
		if err != nil {
			return nil, err
		}
		flat = append(flat, key, sp.ID.Span[:], int64(i), l.To.Trace[:], l.To.Span[:], t.name(l.Relation),
			textOrNull(l.TraceState), attrs)
	}
	return flat, nil
}

const (
	selectSpan = "SELECT " + spanColumns + " FROM spans WHERE key = ? AND span_id = ?"
	selectLink = "SELECT key, span_id, n, to_trace, to_span, relation, trace_state, attrs FROM links WHERE key = ? AND span_id = ? ORDER BY n"
)

// find reads the stored row of a span; ok is false if there is none.
func (t *transaction) find(key int64, id evidence.SpanID) (old encodedSpan, ok bool, err error) {
	old.row, err = t.c.columns(selectSpan, insertSpans.columns, key, id[:])
	if errors.Is(err, sql.ErrNoRows) {
		return old, false, nil
	}
	if err == nil && old.row[spanFacts-1] != int64(0) {
		err = t.c.each(selectLink, []any{key, id[:]}, func(rows *sql.Rows) error {
			link, err := scanColumns(rows, insertLinks.columns)
			old.links = append(old.links, link...)
			return err
		})
	}
	return old, err == nil, err
}

// columns reads one row as SQLite's own types.
func (c *connection) columns(query string, n int, args ...any) ([]any, error) {
	var out []any
	err := c.each(query, args, func(rows *sql.Rows) (err error) {
		out, err = scanColumns(rows, n)
		return err
	})
	if err == nil && out == nil {
		err = sql.ErrNoRows
	}
	return out, err
}

func scanColumns(rows *sql.Rows, n int) ([]any, error) {
	out, to := make([]any, n), make([]any, n)
	for i := range out {
		to[i] = &out[i]
	}
	return out, rows.Scan(to...)
}

// same reports whether two encodings of a span say the same; when the row was
// first seen and how many facts were drawn from it is not said by the span.
func (s encodedSpan) same(o encodedSpan) bool {
	return sameColumns(s.row[:spanFacts], o.row[:spanFacts]) && sameColumns(s.links, o.links)
}

func sameColumns(a, b []any) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		x, isBytes := a[i].([]byte)
		y, areBytes := b[i].([]byte)
		if isBytes != areBytes || isBytes && !bytes.Equal(x, y) || !isBytes && a[i] != b[i] {
			return false
		}
	}
	return true
}

// deleteSpan removes a span with its links and facts.
func (c *connection) deleteSpan(key int64, id []byte, facts bool) (links, others int64, err error) {
	if _, err := c.exec("DELETE FROM spans WHERE key = ? AND span_id = ?", key, id); err != nil {
		return 0, 0, err
	}
	links, err = c.exec("DELETE FROM links WHERE key = ? AND span_id = ?", key, id)
	if err == nil && facts {
		others, err = c.deleteFacts(key, id)
	}
	return links, others, err
}
