package store

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/clickhouse"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/ledger"
	"github.com/otelcol-agent/otelcol-agent/testbed/clickhouse/instance"
)

const oneDay = 24 * time.Hour

// Tables that a command makes have the retention that it was told, tables that are
// there get one only if it is asked for, and the log says so.
func TestMigrateGivesTablesARetention(t *testing.T) {
	server := instance.Start(t)
	d := fresh(server)
	s := d.settings(now)
	s.CreateSchema, s.Evidence, s.Records = false, 400*oneDay, 30*oneDay
	ttl := func(table string) string {
		t.Helper()
		engine := column[string](t, d, "SELECT engine_full FROM system.tables WHERE database = '"+d.name+"' AND name = '"+table+"'")[0]
		_, after, _ := strings.Cut(engine, "toIntervalSecond(")
		seconds, _, _ := strings.Cut(after, ")")
		return seconds
	}
	wants := func(evidence, records string) {
		t.Helper()
		for table, want := range map[string]string{"spans": evidence, "claims": evidence, "quarantine": evidence, "events": records} {
			if got := ttl(table); got != want {
				t.Errorf("table %s keeps rows for %q seconds, want %q", table, got, want)
			}
		}
	}
	if m, err := clickhouse.Upgrade(short(t), s, false, false); err != nil || m.Retained != 0 {
		t.Fatalf("%+v, %v", m, whole(err))
	}
	wants("34560000", "2592000")
	// A collector that may not change tables takes these, and states its retention.
	collector := s
	collector.Retains = true
	w := opened(t, collector)
	write(t, w, agentSpans(0, 1))
	_ = w.Close()
	// What its server deletes by itself is explained.
	run(t, d, "ALTER TABLE %s.spans DELETE WHERE 1 SETTINGS mutations_sync = 1", "ALTER TABLE %s.events DELETE WHERE 1 SETTINGS mutations_sync = 1")
	if r := verified(t, d, clock.Add(time.Hour), nil); r.OK() {
		t.Error("rows that are gone too early accuse nobody")
	}
	if r := clean(t, "after 401 days", verified(t, d, clock.Add(401*oneDay), nil)); r.Retained != 17 {
		t.Errorf("%d rows are explained by retention, want 17", r.Retained)
	}
	// Tables that give up rows before the collector's retention is over are named.
	collector.Evidence = 401 * oneDay
	if _, err := clickhouse.Open(short(t), collector); err == nil || !strings.Contains(err.Error(), "table spans: the server deletes rows after 9600h0m0s, and they are to be kept for 9624h0m0s (retention)") {
		t.Errorf("tables that forget too early: %v", err)
	}
	collector.Evidence = 0
	if _, err := clickhouse.Open(short(t), collector); err == nil || !strings.Contains(err.Error(), "to be kept for ever (retention)") {
		t.Errorf("tables that forget at all: %v", err)
	}
	// An upgrade leaves what is there, unless it is told; first it only says so.
	s.Evidence, s.Records, s.KeepKey = 100*oneDay, 0, true
	if m, err := clickhouse.Upgrade(short(t), s, false, false); err != nil || m.Retained != 0 {
		t.Errorf("%+v, %v", m, err)
	}
	m, err := clickhouse.Upgrade(short(t), s, true, true)
	if err != nil || m.Retained < 15 || len(m.Statements) != m.Retained || !strings.Contains(strings.Join(m.Statements, "\n"), "REMOVE TTL") {
		t.Errorf("%+v, %v", m, err)
	}
	wants("34560000", "2592000")
	if m, err = clickhouse.Upgrade(short(t), s, false, true); err != nil || m.Retained < 15 {
		t.Errorf("%+v, %v", m, whole(err))
	}
	wants("8640000", "")
	entries := strings.Join(column2(t, d, "SELECT entry FROM %s.log_leaves WHERE entry != ''"), "\n")
	if !strings.Contains(entries, `"kept":{"evidence_seconds":8640000,"records_seconds":0}`) {
		t.Errorf("the log does not say it: %s", entries)
	}
	if m, err = clickhouse.Upgrade(short(t), s, false, true); err != nil || m.Retained != 0 {
		t.Errorf("again: %+v, %v", m, err)
	}
	// Tables without one are told by a check, as no damage.
	var notes []evidence.Damage
	r, err := clickhouse.OpenReader(short(t), s)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.Check(context.Background(), func(x evidence.Damage) { notes = append(notes, x) }); err != nil {
		t.Fatal(err)
	}
	if len(notes) != 1 || !notes[0].Note || !strings.Contains(notes[0].Detail, "deletes nothing by itself from sources, run_keys, run_edges, run_roots") && !strings.Contains(notes[0].Detail, "events") {
		t.Errorf("told: %+v", notes)
	}
}

// A collector may do without the log: it needs no key, and nothing is signed. It
// does not go on in a store that has a log, nor does a command begin one.
func TestStoreWithoutALog(t *testing.T) {
	server := instance.Start(t)
	d := fresh(server)
	s := d.settings(now)
	s.KeyFile = ""
	w := opened(t, s)
	write(t, w, agentSpans(0, 2))
	again := opened(t, s)
	write(t, again, agentSpans(0, 2))
	command := d.settings(now)
	command.KeepKey, command.CreateSchema = true, false
	for _, do := range []func(w *clickhouse.Writer) error{
		func(w *clickhouse.Writer) error {
			n, err := w.Prune(short(t), time.Unix(0, 0), clock.Add(time.Hour))
			if n == 0 {
				t.Error("nothing was pruned")
			}
			return err
		},
		func(w *clickhouse.Writer) error {
			_, err := w.Erase(short(t), evidence.Erasure{Subject: "call-0-1-0"})
			if err != nil {
				_, err = w.Erase(short(t), evidence.Erasure{Subject: "execute_tool Bash"})
			}
			return err
		},
	} {
		w := opened(t, command)
		if err := do(w); err != nil {
			t.Error(whole(err))
		}
		_ = w.Close()
	}
	if n := count(t, d, "SELECT (SELECT count() FROM "+d.name+".log_heads) + (SELECT count() FROM "+d.name+".log_leaves)"); n != 0 {
		t.Errorf("a log of %d rows was begun", n)
	}
	if _, err := filepath.Glob(d.key); err != nil {
		t.Fatal(err)
	}
	if _, err := ledger.LoadVerifier(d.key); err == nil {
		t.Error("a key was made")
	}
	r, err := clickhouse.OpenReader(short(t), d.settings(nil))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Verify(short(t), ledger.Question{}); !errors.Is(err, ledger.ErrNoLog) {
		t.Errorf("verify: %v", err)
	}
	_ = r.Close()

	// Somebody begins one: rows from before are no finding, and who keeps none
	// deletes nothing and does not start.
	logged := d.Writer(t, now)
	write(t, logged, agentSpans(4, 1))
	if r := clean(t, "a log begins", verified(t, d, clock, nil)); r.Present != 17 {
		t.Errorf("%d rows are proved", r.Present)
	}
	if _, err := w.Prune(short(t), clock, clock); err == nil || !strings.Contains(err.Error(), "has a signed log, and this collector keeps none") {
		t.Errorf("pruned without a word: %v", err)
	}
	_ = w.Close()
	_ = again.Close()
	_ = logged.Close()
	s.Evidence = oneDay // which would delete at once
	if _, err := clickhouse.Open(short(t), s); err == nil || !strings.Contains(err.Error(), "ledger.enabled") {
		t.Errorf("started: %v", err)
	}
	clean(t, "afterwards", verified(t, d, clock, nil))
}
