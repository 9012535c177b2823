package store

import (
	"slices"
	"strings"
	"testing"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence/clickhouse"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/storetest"
	"github.com/otelcol-agent/otelcol-agent/testbed/clickhouse/instance"
)

const cluster = "main"

// On a cluster every statement goes through Distributed tables, which a member of
// it makes and asks. Its only member is the server itself, so nothing is spread
// or replicated.
func TestContractOnACluster(t *testing.T) {
	server := instance.StartInCluster(t, cluster)
	storetest.Run(t, func(*testing.T) storetest.Store {
		d := fresh(server)
		d.cluster, d.native = cluster, true
		return d
	}, contractPart...)
}

func TestTablesOfACluster(t *testing.T) {
	server := instance.StartInCluster(t, cluster)
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
