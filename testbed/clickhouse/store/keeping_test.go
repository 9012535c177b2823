package store

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/clickhouse"
	"github.com/otelcol-agent/otelcol-agent/testbed/clickhouse/instance"
)

func damage(t *testing.T, d *database) (out []string) {
	t.Helper()
	r, err := clickhouse.OpenReader(short(t), d.settings(nil))
	if err != nil {
		t.Fatal(whole(err))
	}
	defer r.Close()
	err = r.Check(context.Background(), func(x evidence.Damage) {
		if !x.Note {
			out = append(out, x.Table+" "+x.Row+": "+x.Detail)
		}
	})
	if err != nil {
		t.Fatal(whole(err))
	}
	return out
}

// Every kind of damage is named, and a sound store has none.
func TestCheckNamesDamagedRows(t *testing.T) {
	server := instance.Start(t)
	for change, says := range map[string]string{
		"":                               "",
		"DELETE FROM %s.sources WHERE 1": "spans 09010000000000000000000000000000/0100000000000000: has a source that is not there",
		"DELETE FROM %s.sources WHERE source NOT IN (SELECT source FROM %s.spans)":                                   "events",
		"DELETE FROM %s.links WHERE 1":                                                                               "spans 09080000000000000000000000000000/0800000000000000: has not as many links as it says",
		"DELETE FROM %s.run_keys WHERE kind = 0":                                                                     "spans 09010000000000000000000000000000/0100000000000000: hangs on a key that is not there",
		"ALTER TABLE %s.spans UPDATE attrs_other = '\\x01\\xff' WHERE attrs_other != '' SETTINGS mutations_sync = 1": "span span 09020000000000000000000000000000/0200000000000000: cannot be read",
		"ALTER TABLE %s.events UPDATE body_text = '', body = '\\x01\\xff' WHERE 1 SETTINGS mutations_sync = 1":       "cannot be read",
		"DELETE FROM %s.log_leaves WHERE chunk = 1":                                                                  "log_heads otelcol-agent-evidence/",
		"DROP TABLE %s.links_to_rev":                                                                                 "schema : materialized view links_to_rev is missing",
	} {
		d := fresh(server)
		w := eraser(t, d)
		b, _, _ := spokenOf()
		b.Records[0].Service, b.Records[0].Scope = "other", "other"
		b.Records[0].ID = evidence.RecordIDOf(&b.Records[0])
		write(t, w, b)
		if change != "" {
			if err := d.conn(t).Exec(context.Background(), strings.ReplaceAll(change, "%s", d.name)); err != nil {
				t.Fatal(err)
			}
		}
		found := strings.Join(damage(t, d), "\n")
		if says == "" && found != "" || !strings.Contains(found, says) {
			t.Errorf("after %q:\n%s\nwant %q", change, found, says)
		}
	}
}

func TestStats(t *testing.T) {
	server := instance.Start(t)
	d := fresh(server)
	w := eraser(t, d)
	b, spans, records := spokenOf()
	write(t, w, b)
	write(t, w, evidence.Batch{Spans: b.Spans}) // the same rows in another block
	r, err := clickhouse.OpenReader(short(t), d.settings(nil))
	if err != nil {
		t.Fatal(whole(err))
	}
	defer r.Close()
	s, err := r.Stats(context.Background())
	if err != nil || !s.About || s.Rows["spans"] <= int64(spans) {
		t.Fatalf("%v, %v; want the spans that came twice counted twice, and said so", s, err)
	}
	for table := range s.Rows {
		if !slices.Contains([]string{"decisions", "effects"}, table) { // which are views
			run(t, d, "OPTIMIZE TABLE %s."+table+" FINAL")
		}
	}
	run(t, d, "OPTIMIZE TABLE %s.event_decisions FINAL")
	if s, err = r.Stats(context.Background()); err != nil {
		t.Fatal(whole(err))
	}
	if s.Rows["spans"] != int64(spans)+1 || s.Rows["events"] != int64(records) || s.Rows["decisions"] != 2 {
		t.Errorf("%v, want %d spans, %d records and two decisions", s.Rows, spans+1, records)
	}
	if s.Bytes <= s.Free || s.Engine != "clickhouse" || s.Leaves != int64(spans+1+records)+1 || !s.Oldest.Equal(clock) || s.Newest.Sub(clock) != 1 {
		t.Errorf("%+v", s)
	}
}

// A user who may only make tables by hand is told every statement.
func TestUpgradeByHand(t *testing.T) {
	server := instance.Start(t)
	d := fresh(server)
	dry, err := clickhouse.Upgrade(short(t), d.settings(now), true, false)
	if err != nil || dry.From != 0 || len(dry.Steps) != dry.To {
		t.Fatalf("%+v, %v", dry, err)
	}
	conn := d.conn(t)
	for i, statement := range dry.Statements {
		if i == len(dry.Statements)-2 { // half way
			part, err := clickhouse.Upgrade(short(t), d.settings(now), true, false)
			if err != nil || part.From != dry.To-1 || len(part.Steps) != 1 || len(part.Statements) != 2 {
				t.Errorf("before the last step: %+v, %v", part, err)
			}
		}
		if err := conn.Exec(context.Background(), statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := clickhouse.Check(short(t), d.settings(now)); err != nil {
		t.Error(err)
	}
	done, err := clickhouse.Upgrade(short(t), d.settings(now), false, false)
	if err != nil || done.From != done.To || len(done.Steps) != 0 {
		t.Errorf("%+v, %v", done, err)
	}
	other, err := clickhouse.Upgrade(short(t), fresh(server).settings(now), false, false)
	if err != nil || other.From != 0 || other.To != dry.To || len(other.Statements) != 0 {
		t.Errorf("%+v, %v", other, err)
	}
}
