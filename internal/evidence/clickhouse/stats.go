package clickhouse

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

var (
	_ evidence.Statser = (*Reader)(nil)
	_ evidence.Checker = (*Reader)(nil)
)

// countedTables are the tables that Stats counts.
var countedTables = slices.Concat([]string{"spans", "links", "events", "quarantine", "sources", "run_keys", "run_edges", "prunings", "erasures", "log_leaves", "log_heads"}, factTables)

// spansOfFacts are the conditions of the views by which a span is a fact.
var spansOfFacts = map[string]string{
	tableDecisions: "decision IN ('allow', 'deny', 'ask', 'modify', 'abort')",
	tableEffects:   "effect_id != '' OR effect_stage != '' OR operation = 'execute_tool' AND effect_class IN ('write', 'destructive', 'external', 'unknown')",
}

// Stats counts rows and bytes. A row of spans is a statement; what came twice counts
// twice until the server has merged it, since the server knows how many rows its parts
// have and would have to read all of them to compare. Bytes are those of all replicas;
// what is not in use are old parts that the server keeps for a while.
func (r *Reader) Stats(ctx context.Context) (evidence.Stats, error) {
	s := evidence.Stats{Engine: "clickhouse", Schema: len(r.c.known), Rows: map[string]int64{}, About: true}
	err := asOne(ctx,
		func(ctx context.Context) error { return r.countRows(ctx, s.Rows) },
		func(ctx context.Context) error { return r.measure(ctx, &s) },
		func(ctx context.Context) error { return r.findAges(ctx, &s) },
	)
	return s, told(r.c.place, err)
}

// countRows counts the rows of all tables in one question.
func (r *Reader) countRows(ctx context.Context, rows map[string]int64) error {
	var counts []string
	count := func(name, from string) {
		counts = append(counts, "SELECT "+quoteText(name)+" AS name, count() AS rows FROM "+from)
	}
	for _, t := range countedTables {
		count(factName(t), r.c.layout.spread(t))
		if which := spansOfFacts[t]; which != "" {
			count(factName(t), r.c.layout.spread("spans")+" WHERE "+which)
		}
	}
	return r.c.each(ctx, strings.Join(counts, " UNION ALL "), func(scan func(...any) error) error {
		var name string
		var n uint64
		err := scan(&name, &n)
		rows[name] += int64(n)
		return err
	})
}

// measure asks for bytes and for the leaves of all logs.
func (r *Reader) measure(ctx context.Context, s *evidence.Stats) error {
	c := r.c
	parts := "system.parts"
	if c.layout.cluster != "" {
		parts = "clusterAllReplicas(" + quoteText(c.layout.cluster) + ", system.parts)"
	}
	var bytes, free uint64
	err := c.one(ctx, "SELECT sum(bytes_on_disk), sumIf(bytes_on_disk, active = 0) FROM "+parts+" WHERE database = "+quoteText(c.layout.database), &bytes, &free)
	s.Bytes, s.Free = int64(bytes), int64(free)
	if err != nil {
		return err
	}
	return c.one(ctx, "SELECT toInt64(sum(size)) FROM (SELECT max(size) AS size FROM "+c.layout.spread("log_heads")+" GROUP BY log)", &s.Leaves)
}

// findAges asks for the oldest and newest row of every table of evidence.
func (r *Reader) findAges(ctx context.Context, s *evidence.Stats) error {
	var ages []string
	for _, t := range []string{"spans", "events"} {
		ages = append(ages, "SELECT "+quoteText(t)+" AS name, min(age_ns) AS oldest, max(age_ns) AS newest FROM "+r.c.layout.spread(t)+" HAVING count() > 0")
	}
	for _, t := range factTables {
		// The server knows that of each part, and reads nothing. A fact whose time cannot
		// be true is as old as when it was seen, and its span or record is there too.
		ages = append(ages, "SELECT "+quoteText(t)+", toInt64(min(time_ns)), toInt64(max(time_ns)) FROM "+r.c.layout.spread(t)+" HAVING count() > 0 AND max(seen_ns) = 0")
	}
	return r.c.each(ctx, strings.Join(ages, " UNION ALL "), func(scan func(...any) error) error {
		var name string
		var oldest, newest int64
		if err := scan(&name, &oldest, &newest); err != nil {
			return err
		}
		if at := time.Unix(0, oldest).UTC(); name != "events" && (s.Oldest.IsZero() || at.Before(s.Oldest)) {
			s.Oldest = at
		}
		if at := time.Unix(0, newest).UTC(); at.After(s.Newest) {
			s.Newest = at
		}
		return nil
	})
}

// one reads the single row of a query.
func (c *client) one(ctx context.Context, query string, to ...any) error {
	return c.each(ctx, query, func(scan func(...any) error) error { return scan(to...) })
}
