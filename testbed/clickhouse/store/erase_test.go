package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/clickhouse"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/ledger"
	"github.com/otelcol-agent/otelcol-agent/testbed/clickhouse/instance"
)

const someone = "5f1d2a77c0ffee12345678"

func spokenAt(n byte) evidence.StepID {
	return evidence.StepID{Trace: evidence.TraceID{9, n}, Span: evidence.SpanID{n}}
}

// spokenOf is a batch in which a subject is spoken of in every place, and rows
// beside it that say nothing of it.
func spokenOf() (b evidence.Batch, spans, records int) {
	at := clock.UnixNano()
	base := func(n byte) evidence.Span {
		return evidence.Span{Tenant: "acme", ID: spokenAt(n), Name: "s", Status: "unset", Start: at, End: at + 1, Attrs: evidence.Attrs{"app.task.id": "t"}}
	}
	for n, change := range []func(*evidence.Span){
		func(s *evidence.Span) { s.Attrs["app.authority.subject"] = someone },
		func(s *evidence.Span) { s.Attrs["nested"] = []any{map[string]any{"k": "for " + someone}} },
		func(s *evidence.Span) { s.Attrs[someone] = int64(1) },
		func(s *evidence.Span) { s.Attrs["list"] = []any{"a", someone + "'s"} },
		func(s *evidence.Span) {
			s.Attrs["app.permission.policy.id"], s.Attrs["app.permission.decision"] = someone, "deny"
		},
		func(s *evidence.Span) { s.Resource, s.Scope = evidence.Attrs{"host.name": someone}, "x" },
		func(s *evidence.Span) {
			s.Events = []evidence.SpanEvent{{Name: "e", Attrs: evidence.Attrs{"u": someone}},
				{Name: "app.tool.decided", Time: at, Attrs: evidence.Attrs{"app.permission.decision": "deny", "app.permission.policy.id": someone}}}
		},
		func(s *evidence.Span) {
			s.Links = []evidence.Link{{To: spokenAt(1), Attrs: evidence.Attrs{"u": someone}}}
		},
		func(s *evidence.Span) { s.StatusMessage = someone },
		func(s *evidence.Span) { s.Attrs["app.task.id"] = someone },
		func(s *evidence.Span) { s.Attrs["bytes"] = []byte("x" + someone) },
		func(s *evidence.Span) { s.Tenant = someone },
	} {
		s := base(byte(n + 1))
		change(&s)
		b.Spans = append(b.Spans, s)
		spans++
	}
	unspoken := base(100)
	unspoken.Links = []evidence.Link{{To: spokenAt(10), Relation: "related"}} // whose task gives the run its name
	b.Spans = append(b.Spans, unspoken)
	for _, attrs := range []evidence.Attrs{{"u": someone}, {"app.control.kind": "cancel", "app.control.layer": "user", "app.control.phase": "requested", "app.control.id": someone},
		{"app.task.root.id": someone}} {
		b.Records = append(b.Records, evidence.Record{Tenant: "acme", Time: at, Event: "e", Attrs: attrs})
		records++
	}
	for i := range b.Records {
		b.Records[i].ID = evidence.RecordIDOf(&b.Records[i])
	}
	return b, spans, records
}

// saying returns the tables that hold the text anywhere, and in how many rows,
// those included that are only hidden.
func saying(t *testing.T, d *database, text string) (out []string) {
	t.Helper()
	for _, table := range column[string](t, d, "SELECT name FROM system.tables WHERE database = '"+d.name+"' AND engine LIKE '%MergeTree' ORDER BY name") {
		if n := count(t, d, fmt.Sprintf("SELECT count() FROM %s.%s WHERE position(toString(tuple(*)), '%s') > 0 SETTINGS apply_deleted_mask = 0", d.name, table, text)); n > 0 {
			out = append(out, fmt.Sprintf("%s %d", table, n))
		}
	}
	return out
}

func eraser(t *testing.T, d *database) *clickhouse.Writer {
	t.Helper()
	w, err := clickhouse.Open(short(t), d.settings(now))
	if err != nil {
		t.Fatal(whole(err))
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

func erase(t *testing.T, w evidence.Eraser, what evidence.Erasure) evidence.Erased {
	t.Helper()
	got, err := w.Erase(context.Background(), what)
	if err != nil {
		t.Fatal(whole(err))
	}
	return got
}

// Nothing of any table says the subject afterwards, and the erasure is on record.
func TestErasureForgetsASubjectAndSaysSo(t *testing.T) {
	server := instance.Start(t)
	d := fresh(server)
	w := eraser(t, d)
	b, spans, records := spokenOf()
	beside := agentSpans(0, 2)
	write(t, w, beside)
	// What retention has hidden goes too, and what it has left of that.
	old := b.Records[1]
	old.Time = clock.Add(-time.Hour).UnixNano()
	old.ID = evidence.RecordIDOf(&old)
	write(t, w, evidence.Batch{Records: []evidence.Record{old}})
	if _, err := w.Prune(short(t), time.Unix(0, 0), clock.Add(-time.Minute)); err != nil {
		t.Fatal(whole(err))
	}
	write(t, w, b)
	grown := b.Spans[0] // a statement that does not say it, of a span that did
	grown.Attrs, grown.End = evidence.Attrs{"app.task.id": "t"}, grown.End+1
	write(t, w, evidence.Batch{Spans: []evidence.Span{grown}})
	refused := evidence.Span{Tenant: "acme", Name: someone, Start: clock.UnixNano(), End: clock.UnixNano()}
	if res, err := w.Write(short(t), evidence.Batch{Spans: []evidence.Span{refused}}); err != nil || res.Quarantined != 1 {
		t.Fatalf("%+v, %v", res, err)
	}
	before := saying(t, d, someone)
	decided := "SELECT count() FROM " + d.name + ".decisions WHERE policy_id = '" + someone + "'"
	if n := count(t, d, decided); n != 2 {
		t.Errorf("%d decisions say the subject, want that of a span and that of an event", n)
	}
	for _, table := range []string{"spans", "links", "events", "event_decisions", "controls", "sources", "quarantine", "run_keys", "run_edges", "run_roots"} {
		if !slices.ContainsFunc(before, func(s string) bool { return len(s) > len(table) && s[:len(table)+1] == table+" " }) {
			t.Errorf("the subject is not in table %s: this test proves nothing of it", table)
		}
	}
	want := evidence.Erased{Spans: int64(spans), Records: int64(records), Facts: 4, Refused: 1}
	if got := erase(t, w, evidence.Erasure{Subject: someone, DryRun: true}); got != want {
		t.Errorf("a dry run counts %+v, want %+v", got, want)
	}
	if after := saying(t, d, someone); !slices.Equal(after, before) {
		t.Errorf("a dry run changed %v to %v", before, after)
	}
	if got := erase(t, w, evidence.Erasure{Subject: someone}); got != want {
		t.Errorf("erased %+v, want %+v", got, want)
	}
	if left := saying(t, d, someone); len(left) > 0 {
		t.Errorf("still said: %v", left)
	}
	if n := count(t, d, decided); n != 0 {
		t.Errorf("%d decisions still say the subject", n)
	}
	if n := count(t, d, "SELECT uniqExact(trace_id, span_id) FROM "+d.name+".spans"); int(n) != len(beside.Spans)+1 {
		t.Errorf("%d spans are left, want %d and one", n, len(beside.Spans))
	}
	states := column[string](t, d, fmt.Sprintf("SELECT concat(state, ' ', subject, ' ', toString(spans)) FROM %s.erasures", d.name))
	slices.Sort(states)
	hash := ledger.SubjectHash(someone)
	if logged := []string{fmt.Sprintf("begun %s %d", hash, spans), fmt.Sprintf("done %s %d", hash, spans)}; !slices.Equal(states, logged) {
		t.Errorf("on record are %q, want %q", states, logged)
	}
	if got := erase(t, w, evidence.Erasure{Subject: someone}); got != (evidence.Erased{}) {
		t.Errorf("again: %+v, want nothing", got)
	}
	// What is sent again is a new batch, and has its source again.
	// The span that stayed counts too: the name of its run was forgotten.
	if res, err := w.Write(short(t), b); err != nil || res.Stored != spans+records+1 {
		t.Errorf("sent again: %+v, %v; want %d rows", res, err, spans+records+1)
	}
	r := d.Reader(t)
	defer r.Close()
	run, err := r.Find(short(t), "acme", "t")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(run.Spans, func(s evidence.Span) bool { return s.Resource.Str("host.name") == someone }) {
		t.Error("the source of a span that was sent again is not there")
	}
}

// A run goes as a whole if that is asked for, with facts whose record retention
// took before.
func TestErasureOfWholeRuns(t *testing.T) {
	server := instance.Start(t)
	d := fresh(server)
	w := eraser(t, d)
	at := clock.UnixNano()
	said := evidence.Span{ID: spokenAt(1), Name: "s", Status: "unset", Start: at, End: at, Attrs: evidence.Attrs{"app.task.id": "t", "who": someone}}
	beside := evidence.Span{ID: spokenAt(2), Name: "s", Status: "unset", Start: at, End: at, Attrs: evidence.Attrs{"app.task.id": "t"}}
	other := evidence.Span{ID: spokenAt(3), Name: "s", Status: "unset", Start: at, End: at, Attrs: evidence.Attrs{"app.task.id": "u"}}
	old := evidence.Record{Time: at, Event: "e", Attrs: evidence.Attrs{"app.task.id": "t", "app.outcome": "completed"}}
	old.ID = evidence.RecordIDOf(&old)
	write(t, w, evidence.Batch{Spans: []evidence.Span{said, beside, other}, Records: []evidence.Record{old}})
	if _, err := w.Prune(short(t), time.Unix(0, 0), clock.Add(time.Nanosecond)); err != nil {
		t.Fatal(whole(err))
	}
	if n := count(t, d, "SELECT count() FROM "+d.name+".claims"); n != 1 {
		t.Fatalf("%d claims, want that of the record", n)
	}
	if got, want := erase(t, w, evidence.Erasure{Subject: someone, WholeRuns: true}), (evidence.Erased{Spans: 2, Facts: 1}); got != want {
		t.Errorf("erased %+v, want %+v", got, want)
	}
	r := d.Reader(t)
	defer r.Close()
	if _, err := r.Find(short(t), "", "t"); !errors.Is(err, evidence.ErrNotFound) {
		t.Errorf("the run: %v, want that there is none", err)
	}
	if run, err := r.Find(short(t), "", "u"); err != nil || len(run.Spans) != 1 {
		t.Errorf("the other run: %d spans, %v", len(run.Spans), err)
	}
}
