package clickhouse

import (
	"context"
	"slices"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

var (
	_ evidence.Statser = (*Reader)(nil)
	_ evidence.Checker = (*Reader)(nil)
)

// countedTables are the tables that Stats counts.
var countedTables = slices.Concat([]string{"spans", "links", "events", "quarantine", "sources", "run_keys", "run_edges", "prunings", "erasures", "log_leaves", "log_heads"}, factNames())

// Stats counts rows and bytes. A row of spans is a statement; what came twice
// counts once, also before the server has merged it. Bytes are those of all
// replicas; what is not in use are old parts that the server keeps for a while.
func (r *Reader) Stats(ctx context.Context) (evidence.Stats, error) {
	s := evidence.Stats{Engine: "clickhouse", Schema: len(r.c.known), Rows: map[string]int64{}}
	err := r.stats(ctx, &s)
	return s, told(r.c.place, err)
}

func (r *Reader) stats(ctx context.Context, s *evidence.Stats) error {
	c := r.c
	for _, t := range countedTables {
		final := " FINAL"
		if t == "prunings" || t == "erasures" { // which nothing merges
			final = ""
		}
		var n uint64
		if err := c.one(ctx, "SELECT count() FROM "+c.layout.spread(t)+final, &n); err != nil {
			return err
		}
		s.Rows[t] = int64(n)
	}
	if err := c.one(ctx, "SELECT toInt64(sum(size)) FROM (SELECT max(size) AS size FROM "+c.layout.spread("log_heads")+" GROUP BY log)", &s.Leaves); err != nil {
		return err
	}
	parts := "system.parts"
	if c.layout.cluster != "" {
		parts = "clusterAllReplicas(" + quoteText(c.layout.cluster) + ", system.parts)"
	}
	var bytes, free uint64
	err := c.one(ctx, "SELECT sum(bytes_on_disk), sumIf(bytes_on_disk, active = 0) FROM "+parts+" WHERE database = "+quoteText(c.layout.database), &bytes, &free)
	s.Bytes, s.Free = int64(bytes), int64(free)
	for _, t := range append([]string{"spans", "events"}, factTables...) {
		if err != nil {
			break
		}
		age := "age_ns"
		if slices.Contains(factTables, t) {
			age = "toInt64(if(seen_ns = 0, time_ns, seen_ns))"
		}
		var n uint64
		var oldest, newest int64
		if err = c.one(ctx, "SELECT count(), min("+age+"), max("+age+") FROM "+c.layout.spread(t), &n, &oldest, &newest); err != nil || n == 0 {
			continue
		}
		if at := time.Unix(0, oldest).UTC(); t != "events" && (s.Oldest.IsZero() || at.Before(s.Oldest)) {
			s.Oldest = at
		}
		if at := time.Unix(0, newest).UTC(); at.After(s.Newest) {
			s.Newest = at
		}
	}
	return err
}

// one reads the single row of a query.
func (c *client) one(ctx context.Context, query string, to ...any) error {
	return c.each(ctx, query, func(scan func(...any) error) error { return scan(to...) })
}
