package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sort"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/ledger"
)

// Log calls f with one state of the store, for ledger.Verify.
func (r *Reader) Log(ctx context.Context, f func(ledger.Source) error) error {
	return r.view(ctx, func(v *view) error { return f(&logSource{v: v}) })
}

// logSource is one state of the store's log.
type logSource struct {
	v *view
	// The run of leaves that was asked for last: rows come in the order of their
	// leaves, mostly.
	first  int64
	leaves []ledger.Leaf
	digest ledger.Digester
}

func (s *logSource) Leaves(_ context.Context, yield func(int64, []byte) error) error {
	return s.v.each("SELECT first, data FROM leaves ORDER BY first", 2, func(row []any) error {
		first, _ := row[0].(int64)
		data, _ := row[1].([]byte)
		return yield(first, data)
	})
}

func (s *logSource) Leaf(_ context.Context, number int64) (ledger.Leaf, error) {
	if at := number - s.first; at >= 0 && at < int64(len(s.leaves)) {
		return s.leaves[at], nil
	}
	s.leaves = s.leaves[:0]
	err := s.v.each("SELECT first, data FROM leaves WHERE first <= ? ORDER BY first DESC LIMIT 1", 2, func(row []any) error {
		s.first, _ = row[0].(int64)
		data, _ := row[1].([]byte)
		for len(data) > 0 {
			l, rest, err := ledger.ReadLeaf(data)
			if err != nil {
				return err
			}
			s.leaves, data = append(s.leaves, l), rest
		}
		return nil
	}, number)
	if err == nil && (number < s.first || number-s.first >= int64(len(s.leaves))) {
		err = ledger.ErrMalformed
	}
	if err != nil {
		return ledger.Leaf{}, err
	}
	return s.leaves[number-s.first], nil
}

func leafOf(column any) int64 {
	if n, ok := column.(int64); ok {
		return n
	}
	return ledger.None
}

const (
	allSpans = `SELECT k.key, k.tenant, ` + "s.key, s.span_id, s.parent_id, s.source, s.name, s.kind, s.start_ns, s.end_ns, s.status, s.status_message, " +
		"s.trace_state, s.task_id, s.operation, s.agent, s.tool, s.attrs, s.events, s.links, s.facts, s.seen, s.leaf" + `
		FROM spans s LEFT JOIN run_keys k ON k.id = s.key ORDER BY s.rowid`
	allEvents = `SELECT CASE k.kind WHEN 0 THEN k.key END, o.tenant, ` +
		"e.time_ns, e.record, e.key, e.span_id, e.source, e.observed_ns, e.event, e.severity, e.body, e.attrs, e.seen, e.leaf" + `
		FROM events e LEFT JOIN run_keys k ON k.id = e.key LEFT JOIN sources o ON o.id = e.source ORDER BY e.rowid`
)

func (s *logSource) Bodies(_ context.Context, yield func(ledger.Body) error) error {
	x := s.v.texts()
	err := s.v.each(allSpans, 2+insertSpans.columns, func(row []any) error {
		trace, _ := row[0].([]byte)
		tenant, _ := row[1].(string)
		enc := encodedSpan{row: row[2:]}
		body := ledger.Body{Kind: ledger.Span, Leaf: leafOf(enc.row[spanLeaf])}
		copy(body.ID[:], trace)
		id := spanID(enc.row[1])
		copy(body.ID[16:], id[:])
		links, err := s.links(enc.row)
		if err != nil {
			return err
		}
		enc.links = links
		sp, err := x.span(tenant, traceID(trace), enc)
		if err == nil {
			body.Content, err = s.digest.Span(&sp)
		}
		if err != nil && code(err) != 0 {
			return err
		}
		body.Broken = err != nil || int64(len(sp.Links)) != enc.row[spanFacts-1]
		return yield(body)
	})
	if err != nil {
		return err
	}
	err = s.v.each(allEvents, 2+insertEvents.columns, func(row []any) error {
		trace, _ := row[0].([]byte)
		tenant, _ := row[1].(string)
		rec, err := x.record(tenant, traceID(trace), row[2:])
		body := ledger.Body{Kind: ledger.Record, Leaf: leafOf(row[2+eventLeaf])}
		copy(body.ID[:], rec.ID[:])
		if err == nil {
			body.Content, err = s.digest.Record(&rec)
		}
		if err != nil && code(err) != 0 {
			return err
		}
		body.Broken = err != nil
		return yield(body)
	})
	if err != nil {
		return err
	}
	return s.v.each("SELECT tenant, kind, trace, id, reason, body, leaf FROM quarantine ORDER BY leaf", 7, func(row []any) error {
		text := func(i int) string { t, _ := row[i].(string); return t }
		blob := func(i int) []byte { b, _ := row[i].([]byte); return b }
		body := ledger.Body{Kind: ledger.Refused, Leaf: leafOf(row[6])}
		body.Content, body.ID = ledger.RefusedRow(text(0), text(1), blob(2), blob(3), text(4), blob(5))
		return yield(body)
	})
}

// links reads the links of a row of spans.
func (s *logSource) links(row []any) (flat []any, err error) {
	if row[spanFacts-1] == int64(0) {
		return nil, nil
	}
	err = s.v.each(selectLink, insertLinks.columns, func(link []any) error {
		flat = append(flat, link...)
		return nil
	}, row[0], row[1])
	return flat, err
}

// Facts reads the tables one after the other, since the digest of a row's facts
// goes through them in that order.
func (s *logSource) Facts(_ context.Context, yield func(int64, ledger.Digest) error) error {
	digests := map[int64]ledger.Digest{}
	var rows factRows
	for i, t := range factTables {
		into := factInserts[i]
		err := s.v.each("SELECT "+into.names+" FROM "+t+" ORDER BY key, source, n", into.columns, func(row []any) error {
			leaf := leafOf(row[1])
			digests[leaf] = rows.digest(digests[leaf], i, row[2:])
			return nil
		})
		if err != nil {
			return err
		}
	}
	leaves := make([]int64, 0, len(digests))
	for leaf := range digests {
		leaves = append(leaves, leaf)
	}
	sort.Slice(leaves, func(i, j int) bool { return leaves[i] < leaves[j] })
	for _, leaf := range leaves {
		if err := yield(leaf, digests[leaf]); err != nil {
			return err
		}
	}
	return nil
}

func (s *logSource) Entries(_ context.Context, yield func(int64, string) error) error {
	return s.v.each("SELECT leaf, body FROM log_entries ORDER BY leaf", 2, func(row []any) error {
		leaf, _ := row[0].(int64)
		text, _ := row[1].(string)
		return yield(leaf, text)
	})
}

func (s *logSource) Checkpoints(_ context.Context, yield func([]byte) error) error {
	return s.v.each("SELECT note FROM checkpoints ORDER BY size", 1, func(row []any) error {
		text, _ := row[0].(string)
		return yield([]byte(text))
	})
}

var _ ledger.Keeper = (*Reader)(nil)

// Verify compares one state of the store with its log.
func (r *Reader) Verify(ctx context.Context, q ledger.Question) (report ledger.Report, err error) {
	err = r.Log(ctx, func(src ledger.Source) error {
		report, err = ledger.Verify(ctx, src, q)
		return err
	})
	return report, err
}

// Checkpoint returns the signed head of the log that has this size, the newest
// for ledger.None.
func (r *Reader) Checkpoint(ctx context.Context, size int64) (text []byte, err error) {
	err = r.view(ctx, func(v *view) error {
		var s string
		err := v.conn.QueryRowContext(ctx, "SELECT note FROM checkpoints WHERE ?1 < 0 OR size = ?1 ORDER BY size DESC LIMIT 1", size).Scan(&s)
		if errors.Is(err, sql.ErrNoRows) {
			return fmt.Errorf("evidence store %s keeps no checkpoint of that size: %w; it keeps the newest and the last of every hour (table checkpoints)", r.path, evidence.ErrNotFound)
		}
		text = []byte(s)
		return err
	})
	return text, err
}
