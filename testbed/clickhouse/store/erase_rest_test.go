package store

import (
	"context"
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/testbed/clickhouse/instance"
)

// The bare ids of erased traces and tasks go with them, but for those that a row
// names which stays.
func TestErasureLeavesNoBareIDs(t *testing.T) {
	server := instance.Start(t)
	d := fresh(server)
	w := eraser(t, d)
	at := clock.UnixNano()
	span := func(tenant string, n byte, attrs evidence.Attrs, links ...byte) evidence.Span {
		s := evidence.Span{Tenant: tenant, ID: spokenAt(n), Name: "s", Status: "unset", Start: at, End: at, Attrs: attrs}
		for _, l := range links {
			s.Links = append(s.Links, evidence.Link{To: spokenAt(l), Relation: "continues"})
		}
		return s
	}
	long := strings.Repeat("long", 200)
	write(t, w, evidence.Batch{Spans: []evidence.Span{
		span("acme", 1, evidence.Attrs{"app.task.id": "goes", "app.task.parent.id": "stays", "app.task.root.id": long, "who": someone}, 2, 9),
		span("acme", 2, evidence.Attrs{"app.task.id": "also"}),
		span("acme", 3, evidence.Attrs{"app.task.parent.id": "stays"}, 4),
		span("acme", 4, evidence.Attrs{"who": someone}), // a span that stays links to it
		span("acme", 5, evidence.Attrs{"app.task.root.id": long}),
		span("acme", 6, evidence.Attrs{"app.task.id": "task of a record", "who": someone}),
		span("other", 1, evidence.Attrs{"app.task.id": "goes"}),
	}, Records: []evidence.Record{record("acme", evidence.Attrs{"app.task.id": "task of a record"}), record("acme", evidence.Attrs{"app.task.id": "lonely", "who": someone})}})
	before := runs(t, d.Reader(t))
	erase(t, w, evidence.Erasure{Subject: someone})
	ids := map[string]bool{}
	for _, from := range []string{"key FROM %s.run_keys", "key FROM %s.run_roots", "key FROM %s.run_edges", "to_key FROM %s.run_edges"} {
		column, table, _ := strings.Cut(from, " ")
		for _, key := range column2(t, d, "SELECT concat(tenant, ' ', if(length("+column+") = 16 AND ("+strings.Replace(column, "key", "kind", 1)+" = 0), lower(hex("+column+")), "+column+")) "+table+" SETTINGS apply_deleted_mask = 0") {
			ids[key] = true
		}
	}
	trace := func(n byte) string { id := spokenAt(n).Trace; return hex.EncodeToString(id[:]) }
	for key, there := range map[string]bool{
		"acme " + trace(1): false, "acme goes": false, "acme " + trace(9): false, "acme lonely": false, "acme " + trace(6): false,
		"acme " + trace(2): true, "acme also": true, "acme stays": true, "acme " + trace(3): true, "acme " + trace(4): true, "acme " + trace(5): true,
		"acme task of a record": true, "other " + trace(1): true, "other goes": true,
	} {
		if ids[key] != there {
			t.Errorf("key %q is there: %t, want %t", key, ids[key], there)
		}
	}
	if len(before) < 3 {
		t.Errorf("%d runs before", len(before))
	}
	r := d.Reader(t)
	defer r.Close()
	for _, task := range []string{"also", "stays", "task of a record"} {
		if _, err := r.Find(context.Background(), "acme", task); err != nil {
			t.Errorf("task %s: %v", task, err)
		}
	}
	if found := damage(t, d); len(found) > 0 {
		t.Errorf("damaged: %v", found)
	}
	clean(t, "after", verified(t, d, clock, nil))
}

func record(tenant string, attrs evidence.Attrs) evidence.Record {
	r := evidence.Record{Tenant: tenant, Time: clock.UnixNano(), Event: "e", Attrs: attrs}
	r.ID = evidence.RecordIDOf(&r)
	return r
}

// column2 is column with the name of the database put in.
func column2(t *testing.T, d *database, query string) []string {
	t.Helper()
	return column[string](t, d, strings.ReplaceAll(query, "%s", d.name))
}

// The same, where the collector stored nothing meanwhile, and goes on afterwards:
// also with what was erased, which its sender sends again.
func TestRowsStoredAfterAnErasureAreWhole(t *testing.T) {
	server := instance.Start(t)
	d := fresh(server)
	collector := d.Writer(t, now)
	at := clock.UnixNano()
	one := func(n int) evidence.Batch {
		return evidence.Batch{Spans: []evidence.Span{{Tenant: "acme", ID: stepID(n, 0), Name: "s", Status: "unset", Start: at, End: at, Resource: evidence.Attrs{"host.name": someone}, Scope: "x"}}}
	}
	write(t, collector, one(0))
	erase(t, eraser(t, d), evidence.Erasure{Subject: someone})
	for n := range 2 {
		if res := write(t, collector, one(n)); res.Stored != 1 {
			t.Errorf("batch %d: %+v", n, res)
		}
	}
	if r := clean(t, "after an erasure", verified(t, d, clock, nil)); r.Present != 2 {
		t.Errorf("%d rows are there", r.Present)
	}
	if n := count(t, d, "SELECT count() FROM "+d.name+".spans"); n != 2 {
		t.Errorf("%d rows are there of 2 that were acknowledged", n)
	}
	if found := damage(t, d); len(found) > 0 {
		t.Errorf("damaged: %v", found)
	}
	_ = collector.Close()
}

// A collector goes on storing rows of a resource that names the subject while
// another process erases. What it stored meanwhile says what it said, and verify
// accuses nobody.
func TestRowsStoredDuringAnErasureAreWhole(t *testing.T) {
	server := instance.Start(t)
	d := fresh(server)
	collector := d.Writer(t, now)
	at := clock.UnixNano()
	resource := evidence.Attrs{"host.name": someone}
	one := func(n int) evidence.Batch {
		return evidence.Batch{Spans: []evidence.Span{{Tenant: "acme", ID: stepID(n, 0), Name: "s", Status: "unset", Start: at, End: at, Resource: resource, Scope: "x", Attrs: evidence.Attrs{"n": int64(n)}}}}
	}
	write(t, collector, one(0))
	stop, stopped := make(chan struct{}), make(chan int)
	go func() {
		n := 1
		for ; ; n++ {
			select {
			case <-stop:
				stopped <- n
				return
			default:
			}
			if _, err := collector.Write(context.Background(), one(n)); err != nil {
				t.Error(err)
			}
		}
	}()
	time.Sleep(300 * time.Millisecond)
	w := eraser(t, d)
	erase(t, w, evidence.Erasure{Subject: someone})
	close(stop)
	n := <-stopped
	write(t, collector, one(n))
	r := clean(t, "after an erasure beside a collector", verified(t, d, clock, nil))
	if r.Erased == 0 || r.Present < 2 {
		t.Errorf("%d rows erased, %d present: nothing was stored meanwhile", r.Erased, r.Present)
	}
	for _, run := range runs(t, d.Reader(t)) {
		for _, s := range run.Spans {
			if s.Resource.Str("host.name") != someone {
				t.Fatalf("span %d lost its resource", s.Attrs["n"])
			}
		}
	}
	_ = collector.Close()
	t.Logf("%d rows erased, %d stored meanwhile", r.Erased, r.Present)
}
