package store

import (
	"context"
	"fmt"
	"reflect"
	"sync"
	"testing"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/testbed/clickhouse/instance"
)

// tables are those whose rows a batch writes; the last two are filled by
// materialized views.
var tables = []string{"spans", "links", "events", "sources", "run_keys", "run_edges", "run_roots", "decisions", "effects", "links_rev", "tasks"}

// sums are what somebody with SQL would add up, over every table.
func sums(t *testing.T, d *database) map[string]uint64 {
	t.Helper()
	out := map[string]uint64{}
	for _, table := range tables {
		out[table] = count(t, d, "SELECT count() FROM "+d.name+"."+table+" FINAL")
	}
	out["attempts"] = count(t, d, "SELECT toUInt64(sum(attempts)) FROM "+d.name+".tasks FINAL")
	out["made.up"] = count(t, d, "SELECT toUInt64(sum(attrs_int['made.up'])) FROM "+d.name+".spans FINAL")
	return out
}

// raw counts the rows that are there before any merge.
func raw(t *testing.T, d *database) map[string]uint64 {
	t.Helper()
	out := map[string]uint64{}
	for _, table := range tables {
		out[table] = count(t, d, "SELECT count() FROM "+d.name+"."+table)
	}
	return out
}

func reports(t *testing.T, r evidence.Reader) (out []evidence.Report) {
	t.Helper()
	for _, run := range runs(t, r) {
		out = append(out, evidence.NewReport(run, ""))
	}
	return out
}

// A batch may come again whole, in pieces, together with others, after a
// restart of the collector and of the server: nothing changes, also behind the
// materialized views, in counts, sums and the ten questions.
func TestSentAgain(t *testing.T) { overBoth(t, sentAgain) }

func sentAgain(t *testing.T, server *instance.Instance, d *database) {
	w := d.Writer(t, now)
	b := agentSpans(0, 8)
	rows := len(b.Spans) + len(b.Records)
	if res := write(t, w, b); res.Stored != rows {
		t.Fatalf("stored %+v, want %d", res, rows)
	}
	r := d.Reader(t)
	want, wantSums, wantRaw := reports(t, r), sums(t, d), raw(t, d)
	if len(want) != 4 || wantSums["links_rev"] != 4 || wantSums["tasks"] != 4 || wantSums["decisions"] == 0 {
		t.Fatalf("%d runs, %v", len(want), wantSums)
	}
	same := func(what string, alsoRaw bool) {
		t.Helper()
		if got := sums(t, d); !reflect.DeepEqual(got, wantSums) {
			t.Errorf("%s: sums are %v, want %v", what, got, wantSums)
		}
		if got := reports(t, r); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: the reports differ", what)
		}
		if got := raw(t, d); alsoRaw && !reflect.DeepEqual(got, wantRaw) {
			t.Errorf("%s: rows before merging are %v, want %v", what, got, wantRaw)
		}
	}
	again := func(w evidence.Writer, b evidence.Batch) {
		t.Helper()
		if res := write(t, w, b); res.Stored != 0 {
			t.Errorf("%d rows count as stored again", res.Stored)
		}
	}
	again(w, b)
	// Known by its token: the server does not even keep a second row for a while.
	same("whole", true)
	for i := 0; i < len(b.Spans); i += 37 {
		again(w, evidence.Batch{Spans: b.Spans[i:min(i+37, len(b.Spans))]})
	}
	again(w, evidence.Batch{Records: b.Records})
	same("in pieces", false)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w = d.Writer(t, now)
	again(w, b)
	same("after the collector started again", false)
	server.Kill()
	server.Restart(t)
	again(w, b)
	same("after the server started again", false)
	var wg sync.WaitGroup
	for range 4 {
		other := d.Writer(t, now)
		wg.Go(func() {
			if _, err := other.Write(context.Background(), b); err != nil {
				t.Error(err)
			}
			_ = other.Close()
		})
	}
	wg.Wait()
	same("by four collectors at once", false)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// Names of runs follow a link that arrives late, for rows that SQL joins with
// run_roots, also where two collectors store at the same time.
func TestLateLinkNamesRunsAnew(t *testing.T) {
	server := instance.Start(t)
	d := fresh(server)
	w := d.Writer(t, now)
	a, b := agentSpans(0, 2), agentSpans(2, 2) // tasks task-0 and task-1, two traces each
	write(t, w, a)
	write(t, w, b)
	roots := func() []string {
		return column[string](t, d, "SELECT DISTINCT root_task_id FROM "+d.name+".run_roots FINAL ORDER BY root_task_id")
	}
	if got := roots(); !reflect.DeepEqual(got, []string{"task-0", "task-1"}) {
		t.Fatalf("roots %q", got)
	}
	late := evidence.Batch{Spans: []evidence.Span{{Tenant: "acme", ID: stepID(9, 0), Start: clock.UnixNano() - 5, End: clock.UnixNano() - 4,
		Links: []evidence.Link{{To: stepID(3, 7), Relation: "delegated_from"}, {To: stepID(0, 3), Relation: "related"}}}}}
	other := late
	other.Spans = append([]evidence.Span{}, late.Spans...)
	other.Spans[0].Tenant = "other"
	write(t, w, other) // another tenant's link joins nothing here
	if got := roots(); len(got) != 3 {
		t.Fatalf("roots %q after another tenant's link", got)
	}
	write(t, w, late)
	if got := column[string](t, d, "SELECT DISTINCT root_task_id FROM "+d.name+".run_roots FINAL WHERE tenant = 'acme'"); !reflect.DeepEqual(got, []string{"task-0"}) {
		t.Errorf("roots %q after the link", got)
	}
	r := d.Reader(t)
	run, err := r.Find(context.Background(), "acme", "task-1")
	if err != nil || len(run.Spans) != 4*16+1 {
		t.Errorf("%d spans in the joined run, %v", len(run.Spans), err)
	}
	// A link that closes a circle leads nowhere new.
	circle := evidence.Batch{Spans: []evidence.Span{{Tenant: "acme", ID: stepID(0, 900), Start: 1, End: 2, Links: []evidence.Link{{To: stepID(9, 0), Relation: "related"}}}}}
	write(t, w, circle)
	if run, err = r.Find(context.Background(), "acme", fmt.Sprintf("trace:%s", stepID(2, 0).Trace)); err != nil || len(run.Spans) != 4*16+2 {
		t.Errorf("%d spans in the circle, %v", len(run.Spans), err)
	}
	_ = w.Close()
}
