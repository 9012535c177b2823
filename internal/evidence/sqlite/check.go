package sqlite

import (
	"context"
	"fmt"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/ledger"
)

// fits are what must find nothing: rows that do not fit together.
var fits = []struct{ table, detail, query string }{
	{"spans", "hangs on a key that is not there", "SELECT lower(hex(span_id)) FROM spans s WHERE NOT EXISTS (SELECT 1 FROM run_keys k WHERE k.id = s.key)"},
	{"spans", "has a source that is not there", "SELECT lower(hex(span_id)) FROM spans s WHERE NOT EXISTS (SELECT 1 FROM sources o WHERE o.id = s.source)"},
	{"spans", "has not as many links as it says", "SELECT lower(hex(span_id)) FROM spans s WHERE links <> 0 AND links <> (SELECT count(*) FROM links l WHERE l.key = s.key AND l.span_id = s.span_id)"},
	{"links", "hangs on a span that is not there", "SELECT lower(hex(span_id)) FROM links l WHERE NOT EXISTS (SELECT 1 FROM spans s WHERE s.key = l.key AND s.span_id = l.span_id)"},
	{"events", "hangs on a key that is not there", "SELECT lower(hex(record)) FROM events e WHERE key IS NOT NULL AND NOT EXISTS (SELECT 1 FROM run_keys k WHERE k.id = e.key)"},
	{"events", "has a source that is not there", "SELECT lower(hex(record)) FROM events e WHERE NOT EXISTS (SELECT 1 FROM sources o WHERE o.id = e.source)"},
	{"run_keys", "belongs to a run that is not there", "SELECT CAST(id AS TEXT) FROM run_keys k WHERE NOT EXISTS (SELECT 1 FROM runs r WHERE r.id = k.run)"},
	{"run_keys", "belongs to another tenant's run", "SELECT CAST(k.id AS TEXT) FROM run_keys k JOIN runs r ON r.id = k.run WHERE r.tenant <> k.tenant"},
	{"tasks", "has no key", "SELECT CAST(key AS TEXT) FROM tasks t WHERE NOT EXISTS (SELECT 1 FROM run_keys k WHERE k.id = t.key)"},
}

// Check reads the whole store: that SQLite finds its pages in order, that rows
// fit together and that every span and record can be read. It does not compare
// rows with what was recorded: Log does.
func (r *Reader) Check(ctx context.Context, report func(evidence.Damage)) error {
	return r.view(ctx, func(v *view) error {
		err := v.each("PRAGMA integrity_check(100)", 1, func(row []any) error {
			if line, _ := row[0].(string); line != "ok" {
				report(evidence.Damage{Table: "file", Detail: "SQLite: " + strings.ReplaceAll(line, "\n", "; ")})
			}
			return nil
		})
		if err != nil {
			return damaged(err, report)
		}
		for _, f := range fits {
			err := v.each(f.query+" LIMIT 100", 1, func(row []any) error {
				id, _ := row[0].(string)
				report(evidence.Damage{Table: f.table, Row: id, Detail: f.detail})
				return nil
			})
			if err != nil {
				return damaged(err, report)
			}
		}
		err = (&logSource{v: v}).Bodies(ctx, func(b ledger.Body) error {
			if b.Broken {
				report(evidence.Damage{Table: b.Kind.String(), Row: ledger.Name(b.Kind, b.ID), Detail: "cannot be read"})
			}
			return nil
		})
		return damaged(err, report)
	})
}

// damaged reports what SQLite itself stumbled over; reading on makes no sense.
func damaged(err error, report func(evidence.Damage)) error {
	if broken(err) && code(err) != 0 {
		report(evidence.Damage{Table: "file", Detail: fmt.Sprintf("SQLite code %d while reading", code(err))})
		return nil
	}
	return err
}
