package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence/clickhouse"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/storetest"
	"github.com/otelcol-agent/otelcol-agent/testbed/clickhouse/instance"
)

const cluster = "main"

// On a cluster every statement goes through Distributed tables, which a member of
// it makes and asks. Its only member is the server itself, so nothing is spread
// or replicated.
func TestContractOnACluster(t *testing.T) {
	t.Parallel()
	p := &pool{server: instance.StartInCluster(t, cluster, nil), reach: func(d *database) { d.cluster, d.native = cluster, true }}
	storetest.Run(t, func(t *testing.T) storetest.Store { return p.lend(t) }, slices.DeleteFunc(slices.Clone(contractPart), func(part string) bool {
		return part == "writers and readers at the same time" // where the server answers one at a time
	})...)
}

func TestTablesOfACluster(t *testing.T) {
	server := instance.StartInCluster(t, cluster, nil)
	d := fresh(server)
	d.cluster = cluster
	w := d.Writer(t, now)
	defer w.Close()
	b := agentSpans(0, 4)
	for _, want := range []int{len(b.Spans) + len(b.Records), 0} {
		if res := write(t, w, b); res.Stored != want {
			t.Errorf("stored %+v, want %d", res, want)
		}
	}
	local := column[string](t, d, "SELECT name FROM system.tables WHERE database = '"+d.name+"' AND engine LIKE '%MergeTree' ORDER BY name")
	spread := column[string](t, d, "SELECT concat(name, '_local') FROM system.tables WHERE database = '"+d.name+"' AND engine = 'Distributed' ORDER BY name")
	if local = slices.DeleteFunc(local, func(s string) bool { return s == "schema_migrations" }); len(local) < 18 || !slices.Equal(local, spread) {
		t.Errorf("tables %q, spread are %q", local, spread)
	}
	for _, table := range []string{"spans", "links", "events"} {
		rows := count(t, d, "SELECT count() FROM "+d.name+"."+table)
		if here := count(t, d, "SELECT count() FROM "+d.name+"."+table+"_local"); rows == 0 || here != rows {
			t.Errorf("%s has %d rows, and %d are stored", table, rows, here)
		}
	}
	// Views show what is spread, and the way back is filled.
	for _, of := range []string{"decisions", "effects", "tasks", "links_rev"} {
		if count(t, d, "SELECT count() FROM "+d.name+"."+of) == 0 {
			t.Errorf("%s is empty", of)
		}
	}
	if n := count(t, d, "SELECT count() FROM "+d.name+".spans"); n != uint64(len(b.Spans)) {
		t.Errorf("%d rows of %d spans that came twice", n, len(b.Spans))
	}
	s := d.settings(nil)
	s.Cluster = ""
	if name, err := clickhouse.ClusterOf(short(t), s); err != nil || name != cluster {
		t.Errorf("the tables are of cluster %q, %v", name, err)
	}
	// What cannot be here is told, and nothing else.
	err := clickhouse.Check(short(t), d.settings(now))
	if err == nil {
		t.Fatal("tables that are not replicated are taken for such")
	}
	for _, line := range strings.Split(err.Error(), "\n")[1:] {
		if !strings.Contains(line, "MergeTree, want Replicated") {
			t.Errorf("differs: %s", line)
		}
	}
}

// Two servers are two shards: what is inserted into one is spread over both by the
// engine itself, rows of one trace meet, and a batch that comes again is known by
// its token on both. Aggregates over shards cannot be asked here: the test server
// computes no states for another.
func TestRowsMeetOnOneShard(t *testing.T) {
	other := instance.StartInCluster(t, cluster, nil)
	server := instance.StartInCluster(t, cluster, other)
	d := fresh(server)
	d.cluster = cluster
	there := &database{server: other, name: d.name, cluster: cluster}
	for _, each := range []*database{there, d} {
		if _, err := clickhouse.Migrate(short(t), each.settings(now), false); err != nil {
			t.Fatal(whole(err))
		}
	}
	ctx := driver.Context(context.Background(), driver.WithSettings(driver.Settings{"distributed_foreground_insert": 1, "insert_deduplication_token": "batch",
		"deduplicate_blocks_in_dependent_materialized_views": 1}))
	conn := d.conn(t)
	for range 2 {
		for _, statement := range []string{
			`INSERT INTO %s.spans (tenant, task_id, start_ns, trace_id, span_id, statement, links) SELECT 'acme', 't', number + 1, MD5(toString(intDiv(number, 16))),
			reinterpretAsFixedString(number + 1), number + 1, 1 FROM numbers(1600)`,
			`INSERT INTO %s.links (tenant, trace_id, span_id, statement, n, to_trace, to_span) SELECT 'acme', MD5(toString(intDiv(number, 16))),
			reinterpretAsFixedString(number + 1), number + 1, 0, MD5(toString(intDiv(number, 16) + 1)), reinterpretAsFixedString(number + 17) FROM numbers(1600)`,
		} {
			if err := conn.Exec(ctx, fmt.Sprintf(statement, d.name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	traces := map[string]int{}
	for _, table := range []string{"spans", "links", "links_rev"} {
		here, away := count(t, d, "SELECT count() FROM "+d.name+"."+table+"_local"), count(t, there, "SELECT count() FROM "+d.name+"."+table+"_local")
		if here == 0 || away == 0 || here+away != 1600 {
			t.Errorf("%s: %d rows on one shard and %d on the other, want some on each and 1600 in all", table, here, away)
		}
		if got := column[string](t, d, "SELECT hex(trace_id) FROM "+d.name+"."+table+" WHERE tenant = 'acme'"); len(got) != 1600 {
			t.Errorf("%s: %d rows are read over both shards, want 1600", table, len(got))
		}
		for _, each := range []*database{there, d} {
			for _, trace := range column[string](t, each, "SELECT DISTINCT hex(trace_id) FROM "+d.name+"."+table+"_local") {
				traces[table+trace]++
			}
		}
	}
	if len(traces) != 300 {
		t.Errorf("%d traces in three tables, want 300", len(traces))
	}
	for name, shards := range traces {
		if shards != 1 {
			t.Errorf("%s is on %d shards", name, shards)
		}
	}
}
