package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/codec"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/ledger"
)

const (
	spanRowID  = "concat(lower(hex(trace_id)), '/', lower(hex(span_id)))"
	isIn       = " GLOBAL NOT IN (SELECT tenant, "
	traceOfKey = "toFixedString(key, 16) FROM {run_keys} WHERE kind = 0 AND length(key) = 16)"
)

// fits are what must find nothing: rows that do not fit together. {TABLE} is a
// table's name, {kept} a condition on rows that the server's own retention does
// not take yet.
var fits = []struct{ table, detail, query string }{
	{"spans", "has a source that is not there", "SELECT DISTINCT " + spanRowID + " FROM {spans} WHERE {kept} AND (tenant, source)" + isIn + "source FROM {sources})"},
	{"spans", "hangs on a key that is not there", "SELECT DISTINCT " + spanRowID + " FROM {spans} WHERE {kept} AND (tenant, trace_id)" + isIn + traceOfKey},
	{"spans", "has not as many links as it says", "SELECT DISTINCT " + spanRowID + " FROM {spans} WHERE {kept} AND links > 0 AND (tenant, statement, toUInt64(links))" + isIn +
		"statement, uniqExact(n) FROM {links} GROUP BY tenant, statement)"},
	{"events", "has a source that is not there", "SELECT DISTINCT lower(hex(record)) FROM {events} WHERE {kept} AND (tenant, source)" + isIn + "source FROM {sources})"},
	{"events", "hangs on a key that is not there", "SELECT DISTINCT lower(hex(record)) FROM {events} WHERE {kept} AND trace_id != toFixedString('', 16) AND (tenant, trace_id)" + isIn + traceOfKey},
	{"log_heads", "places leaves that are not there", placed},
}

// placed finds heads that place what is not there.
const placed = "SELECT DISTINCT concat(toString(log), ' ', toString(chunk)) FROM {log_heads} WHERE (log, chunk) GLOBAL NOT IN (SELECT log, chunk FROM {log_leaves})"

// Check reads the whole store: that tables are as they should be, that rows fit
// together and that every span and record can be read. Whether parts on the
// server's disks are whole, ClickHouse finds when it reads them.
func (r *Reader) Check(ctx context.Context, report func(evidence.Damage)) error {
	return told(r.c.place, r.check(ctx, report))
}

func (r *Reader) check(ctx context.Context, report func(evidence.Damage)) error {
	problems, err := r.c.problems(ctx)
	if err != nil {
		return err
	}
	for _, p := range problems {
		report(evidence.Damage{Table: "schema", Detail: p.Error()})
	}
	if len(problems) > 0 {
		return nil // what follows would stumble over it
	}
	names, err := r.c.endless(ctx)
	if err != nil {
		return err
	}
	if len(names) > 0 {
		report(evidence.Damage{Table: "schema", Note: true, Detail: "the server deletes nothing by itself from " + strings.Join(names, ", ") +
			": only a collector's pruning or `store prune` does; `store migrate --retention-evidence --retention-records` gives them a TTL"})
	}
	for _, f := range fits {
		// A collector may write meanwhile: what is damaged is so twice.
		first, err := r.unfit(ctx, f.table, f.query)
		if err != nil {
			return err
		}
		if len(first) == 0 {
			continue
		}
		second, err := r.unfit(ctx, f.table, f.query)
		if err != nil {
			return err
		}
		for id := range second {
			if first[id] {
				report(evidence.Damage{Table: f.table, Row: id, Detail: f.detail})
			}
		}
	}
	unreadable := func(kind ledger.Kind, id []byte, err error) error {
		if err == nil || !errors.Is(err, codec.ErrCorrupt) {
			return err
		}
		var name ledger.ID
		copy(name[:], id)
		report(evidence.Damage{Table: kind.String(), Row: ledger.Name(kind, name), Detail: "cannot be read"})
		return nil
	}
	err = r.c.each(ctx, r.all(selectStatements, "spans"), func(scan func(...any) error) error {
		s, err := scanStatement(scan)
		if s == nil {
			return err
		}
		return unreadable(ledger.Span, append(s.span.ID.Trace[:], s.span.ID.Span[:]...), err)
	})
	if err != nil {
		return err
	}
	return r.c.each(ctx, r.all(selectRecords, "events"), func(scan func(...any) error) error {
		rec, _, err := scanRecord(scan)
		return unreadable(ledger.Record, rec.ID[:], err)
	})
}

// all is one of the queries for rows of some tasks, for all rows.
func (r *Reader) all(query, table string) string {
	head, _, _ := strings.Cut(query, " WHERE ")
	return fmt.Sprintf(head, r.c.layout.spread(table))
}

// maxUnfit is the most rows that one check names.
const maxUnfit = 100

func (r *Reader) unfit(ctx context.Context, table, query string) (map[string]bool, error) {
	var engine string
	l := r.c.layout
	stored := table
	if l.cluster != "" {
		stored += "_local"
	}
	err := r.c.one(ctx, "SELECT engine_full FROM system.tables WHERE database = "+quoteText(l.database)+" AND name = "+quoteText(stored), &engine)
	if err != nil {
		return nil, err
	}
	keptRows := "1"
	if seconds := kept(engine); seconds != "" {
		keptRows = "age_ns > (toUnixTimestamp(now()) - " + seconds + ") * 1000000000"
	}
	replace := []string{"{kept}", keptRows}
	for _, t := range []string{"spans", "links", "events", "sources", "run_keys", "log_heads", "log_leaves"} {
		replace = append(replace, "{"+t+"}", l.spread(t))
	}
	out := map[string]bool{}
	err = r.c.each(ctx, strings.NewReplacer(replace...).Replace(query)+fmt.Sprintf(" ORDER BY 1 LIMIT %d", maxUnfit), func(scan func(...any) error) error {
		var id string
		err := scan(&id)
		out[id] = true
		return err
	})
	return out, err
}
