package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence/clickhouse"
	"github.com/otelcol-agent/otelcol-agent/testbed/clickhouse/instance"
)

// What is missing or differs is named, exactly.
func TestCheckNamesWhatDiffers(t *testing.T) {
	server := instance.Start(t)
	d := fresh(server)
	s := d.settings(now)
	s.CreateSchema = false
	_, err := clickhouse.Open(short(t), s)
	if err == nil || !strings.Contains(err.Error(), "table spans is missing") || !strings.Contains(err.Error(), "materialized view links_to_rev is missing") {
		t.Errorf("of an empty server: %v", err)
	}
	_ = d.Writer(t, now).Close()
	if err := clickhouse.Check(short(t), s); err != nil {
		t.Fatalf("what the store made is not what it needs: %v", whole(err))
	}
	conn := d.conn(t)
	for _, c := range []struct{ change, says string }{
		{"ALTER TABLE %s.spans DROP COLUMN model", "table spans: column model is missing"},
		{"ALTER TABLE %s.claims MODIFY COLUMN claimed_by LowCardinality(String)", "table claims: column claimed_by is LowCardinality(String), want String"},
		{"DROP TABLE %s.links_to_rev", "materialized view links_to_rev is missing"},
		{"DROP TABLE %s.verdicts", "table verdicts is missing"},
		{"DROP TABLE %[1]s.prunings; CREATE TABLE %[1]s.prunings (evidence_before_ns Int64, records_before_ns Int64, rows Int64, at_ns Int64) ENGINE = Log", "table prunings: engine Log, want MergeTree"},
	} {
		for _, statement := range strings.Split(fmt.Sprintf(c.change, d.name), "; ") {
			if err := conn.Exec(context.Background(), statement); err != nil {
				t.Fatal(err)
			}
		}
		err := clickhouse.Check(short(t), s)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("after %q: %v, want %q", c.change, err, c.says)
		}
	}
}

func TestMigrations(t *testing.T) {
	server := instance.Start(t)
	d := fresh(server)
	s := d.settings(now)
	dry, err := clickhouse.Migrate(short(t), s, true)
	if err != nil || len(dry) < 20 {
		t.Fatalf("%d statements, %v", len(dry), err)
	}
	if n := count(t, d, "SELECT count() FROM system.databases WHERE name = '"+d.name+"'"); n != 0 {
		t.Fatal("a dry run made the database")
	}
	done, err := clickhouse.Migrate(short(t), s, false)
	if err != nil || len(done) != len(dry) {
		t.Fatalf("%d statements, %v", len(done), whole(err))
	}
	if again, err := clickhouse.Migrate(short(t), s, false); err != nil || len(again) != 0 {
		t.Errorf("again: %d statements, %v", len(again), err)
	}
	// One that broke off goes on where it stopped.
	conn := d.conn(t)
	exec := func(statement string) {
		t.Helper()
		if err := conn.Exec(context.Background(), statement); err != nil {
			t.Fatal(err)
		}
	}
	migrations := d.name + ".schema_migrations"
	exec("ALTER TABLE " + migrations + " DELETE WHERE step > 5 OR version > 1 SETTINGS mutations_sync = 1")
	exec("DROP TABLE " + d.name + ".verdicts")
	if _, err := clickhouse.OpenReader(short(t), s); err == nil || !strings.Contains(err.Error(), "start its collector") {
		t.Errorf("half a schema is read: %v", err)
	}
	rest, err := clickhouse.Migrate(short(t), s, false)
	if err != nil || len(rest) == 0 || len(rest) >= len(dry) {
		t.Errorf("the rest: %d statements, %v", len(rest), err)
	}
	if err := clickhouse.Check(short(t), s); err != nil {
		t.Error(err)
	}
	// A later schema is refused with a hint, and so are other files.
	exec("INSERT INTO " + migrations + " SELECT 99, 1, 1, '0099_later.sql', 'x', 0")
	for _, open := range []func() error{
		func() error { _, err := clickhouse.Open(short(t), s); return err },
		func() error { _, err := clickhouse.OpenReader(short(t), s); return err },
	} {
		if err := open(); err == nil || !strings.Contains(err.Error(), "upgrade otelcol-agent") {
			t.Errorf("a later schema: %v", err)
		}
	}
	exec("ALTER TABLE " + migrations + " DELETE WHERE version = 99 SETTINGS mutations_sync = 1")
	exec("ALTER TABLE " + migrations + " UPDATE checksum = 'other' WHERE 1 SETTINGS mutations_sync = 1")
	if _, err := clickhouse.Open(short(t), s); err == nil || !strings.Contains(err.Error(), "other content") {
		t.Errorf("another migration of that number: %v", err)
	}
}

// The statements for a cluster are at least ClickHouse's SQL.
func TestClusterStatementsParse(t *testing.T) {
	server := instance.Start(t)
	d := fresh(server)
	s := d.settings(now)
	s.Cluster = "main"
	statements, err := clickhouse.Migrate(short(t), s, true)
	if err != nil {
		t.Fatal(err)
	}
	distributed := 0
	for _, statement := range statements {
		quoted := strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(statement)
		parsed := column[string](t, d, "SELECT formatQuery('"+quoted+"')")
		if !strings.Contains(parsed[0], "ON CLUSTER main") {
			t.Errorf("not on the cluster: %s", parsed[0])
		}
		if strings.Contains(parsed[0], "ENGINE = Distributed(") {
			distributed++
		}
	}
	if distributed < 15 {
		t.Errorf("%d tables are spread over the cluster", distributed)
	}
}

// Every table remembers blocks by their tokens, targets of views included, and
// gives rows up by itself.
func TestEveryTableHasWindowAndTTL(t *testing.T) {
	server := instance.Start(t)
	d := fresh(server)
	open := func(evidence, records time.Duration) *clickhouse.Writer {
		t.Helper()
		s := d.settings(now)
		s.Evidence, s.Records = evidence, records
		w, err := clickhouse.Open(short(t), s)
		if err != nil {
			t.Fatal(whole(err))
		}
		return w
	}
	engines := func() []string {
		t.Helper()
		return column[string](t, d, "SELECT concat(name, ' ', engine_full) FROM system.tables WHERE database = '"+d.name+"' AND engine LIKE '%MergeTree'")
	}
	const year = 365 * 24 * time.Hour
	w := open(2*year, year)
	list := engines()
	if len(list) < 19 {
		t.Fatalf("%d tables", len(list))
	}
	for _, e := range list {
		name, _, _ := strings.Cut(e, " ")
		if name != "schema_migrations" && !strings.Contains(e, "non_replicated_deduplication_window = ") {
			t.Errorf("no deduplication window: %s", e)
		}
		if forEver := []string{"schema_migrations", "prunings", "erasures", "log_leaves", "log_heads"}; !slices.Contains(forEver, name) && !strings.Contains(e, " TTL ") {
			t.Errorf("no TTL: %s", e)
		}
	}
	// The server takes what is too old, and nothing else.
	b := agentSpans(0, 2)
	b.Spans[31].Start, b.Spans[31].End = clock.Add(-3*year).UnixNano(), clock.Add(-3*year).UnixNano()+1
	write(t, w, b)
	if err := d.conn(t).Exec(context.Background(), "OPTIMIZE TABLE "+d.name+".spans FINAL"); err != nil {
		t.Fatal(err)
	}
	if n := count(t, d, "SELECT count() FROM "+d.name+".spans"); n != 31 {
		t.Errorf("%d spans, want all but the old one", n)
	}
	_ = w.Close()
	// A retention that was changed holds for tables that are there.
	_ = open(3*year, 0).Close()
	for _, e := range engines() {
		name, _, _ := strings.Cut(e, " ")
		switch {
		case name == "spans" && !strings.Contains(e, "toIntervalSecond(94608000)"), name == "events" && strings.Contains(e, " TTL "):
			t.Errorf("kept as before: %s", e)
		}
	}
	_ = open(100*year, 0).Close()
	for _, e := range engines() {
		if strings.Contains(e, " TTL ") && !strings.HasPrefix(e, "schema") {
			t.Errorf("more years than the server can count: %s", e)
		}
	}
}
