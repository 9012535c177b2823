package store

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/clickhouse"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/ledger"
	"github.com/otelcol-agent/otelcol-agent/testbed/clickhouse/instance"
)

// verified verifies a store at a time, with the keys in these files, else its own.
func verified(t *testing.T, d *database, at time.Time, since []byte, files ...string) ledger.Report {
	t.Helper()
	if len(files) == 0 {
		files = []string{d.key}
	}
	var names []string
	for _, f := range files {
		name, err := ledger.LoadVerifier(f)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	keys, err := ledger.Verifiers(names)
	if err != nil {
		t.Fatal(err)
	}
	r, err := clickhouse.OpenReader(short(t), d.settings(nil))
	if err != nil {
		t.Fatal(whole(err))
	}
	defer r.Close()
	report, err := r.Verify(context.Background(), ledger.Question{Keys: keys, Since: since, Now: at})
	if err != nil {
		t.Fatal(whole(err))
	}
	return report
}

func clean(t *testing.T, what string, r ledger.Report) ledger.Report {
	t.Helper()
	for _, f := range r.Findings {
		t.Errorf("%s: %s", what, f)
	}
	return r
}

func run(t *testing.T, d *database, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if err := d.conn(t).Exec(context.Background(), strings.ReplaceAll(s, "%s", d.name)); err != nil {
			t.Fatal(err)
		}
	}
}

// everyKind is a batch with rows of every kind that leaves are of.
func everyKind() evidence.Batch {
	b := agentSpans(0, 2)
	b.Spans[1].Events = []evidence.SpanEvent{{Time: 5, Name: "exception", Attrs: evidence.Attrs{"k": []any{"v", nil}}}}
	b.Spans = append(b.Spans, evidence.Span{Name: "without ids", Tenant: "acme"})
	return b
}

// Whatever is changed behind the store's back is found, and named.
func TestTamperingIsFound(t *testing.T) {
	t.Parallel()
	p := &pool{server: instance.Start(t)}
	const sync = " SETTINGS mutations_sync = 1"
	span := "span_id = (SELECT min(span_id) FROM %s.spans)"
	for name, c := range map[string]struct {
		change  []string
		problem ledger.Problem
		row     string
	}{
		"nothing":                    {nil, "", ""},
		"a span's status":            {[]string{"ALTER TABLE %s.spans UPDATE status = 'ok' WHERE " + span + sync}, ledger.Changed, "span "},
		"an attribute":               {[]string{"ALTER TABLE %s.spans UPDATE attrs_int = map('made.up', toInt64(77)) WHERE " + span + sync}, ledger.Changed, "span "},
		"a promoted attribute":       {[]string{"ALTER TABLE %s.spans UPDATE tool = 'Read' WHERE " + span + sync}, ledger.Changed, "span "},
		"a resource":                 {[]string{"ALTER TABLE %s.sources UPDATE resource = '' WHERE 1" + sync}, ledger.Changed, "span "},
		"a link":                     {[]string{"ALTER TABLE %s.links UPDATE to_span = 'xxxxxxxx' WHERE 1" + sync}, ledger.Changed, "span "},
		"a link that is gone":        {[]string{"DELETE FROM %s.links WHERE 1"}, ledger.Changed, "span "},
		"an event of a span":         {[]string{"ALTER TABLE %s.spans UPDATE events = '' WHERE events != ''" + sync}, ledger.Changed, "span "},
		"a span that cannot be read": {[]string{"ALTER TABLE %s.spans UPDATE events = '\\x01\\xff' WHERE events != ''" + sync}, ledger.Changed, "span "},
		"a span that is gone":        {[]string{"DELETE FROM %s.spans WHERE " + span}, ledger.Removed, "span "},
		"a record":                   {[]string{"ALTER TABLE %s.events UPDATE observed_ns = 1 WHERE 1" + sync}, ledger.Changed, "record "},
		"a record that is gone":      {[]string{"DELETE FROM %s.events WHERE record = (SELECT min(record) FROM %s.events)"}, ledger.Removed, "record "},
		"a refusal's reason":         {[]string{"ALTER TABLE %s.quarantine UPDATE reason = 'x' WHERE 1" + sync}, ledger.Removed, "refused row"},
		"a refusal that is gone":     {[]string{"DELETE FROM %s.quarantine WHERE 1"}, ledger.Removed, "refused row"},
		"a span that was made up": {[]string{"INSERT INTO %s.spans (tenant, task_id, start_ns, trace_id, span_id, statement, name) SELECT tenant, task_id, start_ns, trace_id, 'xxxxxxxx', 1, name FROM %s.spans LIMIT 1"},
			ledger.Uncovered, "7878787878787878"},
		"a statement that was made up": {[]string{"INSERT INTO %s.spans (tenant, task_id, start_ns, trace_id, span_id, statement, name) SELECT tenant, task_id, start_ns, trace_id, span_id, 1, name FROM %s.spans LIMIT 1"},
			ledger.Uncovered, "span "},
		"leaves":               {[]string{"ALTER TABLE %s.log_leaves UPDATE leaves = concat(substring(leaves, 1, length(leaves) - 1), 'x') WHERE chunk = 2" + sync}, ledger.LogChanged, ""},
		"a leaf that is gone":  {[]string{"ALTER TABLE %s.log_leaves UPDATE leaves = substring(leaves, 1, length(leaves) - 49) WHERE chunk = 2" + sync}, ledger.LogMalformed, ""},
		"a chunk that is gone": {[]string{"DELETE FROM %s.log_leaves WHERE chunk = 2"}, ledger.LogShort, ""},
		"the beginning":        {[]string{"ALTER TABLE %s.log_leaves UPDATE entry = replace(entry, 'begun', 'bygone') WHERE 1" + sync}, ledger.Changed, "log entry"},
		"a head's signature":   {[]string{"ALTER TABLE %s.log_heads UPDATE note = replace(note, '\\n\\n', '\\nx\\n\\n') WHERE size > 30" + sync}, ledger.BadCheckpoint, ""},
		"a head in the middle": {[]string{"DELETE FROM %s.log_heads WHERE size < 30"}, ledger.LogChanged, ""},
		"a head of what was announced": {[]string{"INSERT INTO %s.log_leaves SELECT log, 99, leaves, '', note FROM %s.log_leaves WHERE chunk = 2",
			"INSERT INTO %s.log_heads SELECT log, size + 36, 99, signer, made_ns, note FROM %s.log_heads ORDER BY size DESC LIMIT 1"}, ledger.BadCheckpoint, ""},
		"an erasure made up": {[]string{`INSERT INTO %s.log_leaves SELECT log, 98, leaves, '{"what":"erasure","erasure":{"subject":"x","leaves":[],"rows":[],"until":{}}}', '' FROM %s.log_leaves WHERE chunk = 0`,
			"DELETE FROM %s.events WHERE 1"}, ledger.Removed, "record "},
	} {
		t.Run(name, func(t *testing.T) {
			d := p.lend(t)
			w := d.Writer(t, now)
			if _, err := w.Write(short(t), everyKind()); err != nil {
				t.Fatal(whole(err))
			}
			_ = w.Close()
			if r := verified(t, d, clock, nil); !r.OK() || r.Present != 35 || r.Leaves != 36 || r.Unlogged != 0 {
				t.Fatalf("before: %+v", r)
			}
			run(t, d, c.change...)
			report := verified(t, d, clock, nil)
			if report.OK() != (c.problem == "") {
				t.Fatalf("%+v", report)
			}
			found := map[ledger.Problem]string{}
			for _, f := range report.Findings {
				found[f.Problem] += f.String() + "\n"
			}
			if text, there := found[c.problem]; c.problem != "" && (!there || !strings.Contains(text, c.row)) {
				t.Errorf("%q, want %s of %q", found, c.problem, c.row)
			}
		})
	}
}

// Who cuts the log off with what it covered is found by a checkpoint from
// elsewhere, or by the log that began after it.
func TestLogsThatAreCutOffAreFound(t *testing.T) {
	server := instance.Start(t)
	d := fresh(server)
	w := d.Writer(t, now)
	write(t, w, agentSpans(0, 1))
	early := clean(t, "at first", verified(t, d, clock, nil)).Heads
	write(t, w, agentSpans(1, 1))
	late := verified(t, d, clock, early).Heads
	_ = w.Close()
	if r := clean(t, "against an earlier checkpoint", verified(t, d, clock, early)); r.Since != 18 || r.Leaves != 35 {
		t.Errorf("%+v", r)
	}
	cut := []string{"DELETE FROM %s.log_heads WHERE size > 18", "DELETE FROM %s.log_leaves WHERE chunk > 1",
		"DELETE FROM %s.spans WHERE trace_id != (SELECT trace_id FROM %s.spans ORDER BY start_ns LIMIT 1)", "DELETE FROM %s.events WHERE time_ns > (SELECT min(time_ns) FROM %s.events)"}
	run(t, d, cut...)
	clean(t, "the store alone cannot tell", verified(t, d, clock, early))
	if r := verified(t, d, clock, late); r.OK() || r.Findings[0].Problem != ledger.LogShort || r.Findings[0].Leaf != 18 {
		t.Errorf("%+v, want that the log is short", r.Findings)
	}

	// The next start names what it found.
	next := fresh(server)
	for i := range 2 {
		w := next.Writer(t, now)
		write(t, w, agentSpans(i, 1))
		_ = w.Close()
		if i == 0 {
			first := verified(t, next, clock, nil).Logs[0].Origin
			defer func() {
				run(t, next, "DELETE FROM %s.log_heads WHERE log = '"+first+"'")
				if r := verified(t, next, clock, nil); r.OK() || r.Findings[0].Log != first || r.Findings[0].Problem != ledger.LogShort || r.Findings[0].Last != 17 {
					t.Errorf("a log that is gone is not missed: %+v", r.Findings)
				}
			}()
		}
	}
	if r := clean(t, "two starts", verified(t, next, clock, nil)); len(r.Logs) != 2 || len(ledger.SplitNotes(r.Heads)) != 1 {
		t.Errorf("%+v", r.Logs)
	}
	if r := verified(t, next, clock, early, d.key, next.key); r.OK() || !strings.Contains(r.Findings[0].Detail, "of another store") {
		t.Errorf("a checkpoint of another store: %+v", r.Findings)
	}
}

// Two collectors store several batches each at the same time, partly the same
// rows; then they come again.
func TestWritersAtTheSameTime(t *testing.T) {
	server := instance.Start(t)
	d, e := fresh(server), fresh(server)
	e.name = d.name
	_ = d.Writer(t, now).Close()
	var wg sync.WaitGroup
	for _, place := range []*database{d, e} {
		w := place.Writer(t, now)
		defer w.Close()
		for i := range 6 {
			wg.Go(func() { write(t, w, agentSpans(i, 2)) })
		}
	}
	wg.Wait()
	r := clean(t, "two writers", verified(t, d, clock, nil, d.key, e.key))
	if len(r.Logs) != 2 || r.Present != 7*17 || r.Repeated == 0 || r.Unlogged != 0 {
		t.Errorf("%+v", r)
	}
	if r := verified(t, d, clock, nil); r.OK() || r.Findings[0].Problem != ledger.BadCheckpoint || len(r.Unknown) != 1 || r.Problems != 1 {
		t.Errorf("with one key alone: %+v", r)
	}
	// Both with one key, by mistake: each has a log of its own.
	e.key = d.key
	shared := ""
	s := e.settings(func() time.Time { return clock.Add(time.Hour) })
	s.KeyShared = func(name string) { shared = name }
	two, err := clickhouse.Open(short(t), s)
	if err != nil {
		t.Fatal(whole(err))
	}
	defer two.Close()
	write(t, two, agentSpans(30, 1))
	third := e.settings(func() time.Time { return clock.Add(2 * time.Hour) })
	one, err := clickhouse.Open(short(t), third)
	if err != nil {
		t.Fatal(whole(err))
	}
	defer one.Close()
	write(t, one, agentSpans(31, 1))
	if _, err := two.Prune(short(t), time.Unix(0, 0), time.Unix(0, 0)); err != nil {
		t.Fatal(whole(err))
	}
	if shared == "" {
		t.Error("nobody is told that two collectors have one key")
	}
}

// A row that may have expired is not missed, one that may not is.
func TestExpiredIsNotRemoved(t *testing.T) {
	server := instance.Start(t)
	d := fresh(server)
	s := d.settings(now)
	const day = 24 * time.Hour
	s.Evidence, s.Records = 400*day, 30*day
	w := opened(t, s)
	write(t, w, agentSpans(0, 1))
	run(t, d, "DELETE FROM %s.events WHERE 1")
	if r := verified(t, d, clock.Add(29*day), nil); r.OK() || r.Findings[0].Problem != ledger.Removed {
		t.Errorf("a record is gone after 29 days: %+v", r.Findings)
	}
	if r := clean(t, "after 30 days", verified(t, d, clock.Add(30*day), nil)); r.Retained != 1 || r.Present != 16 {
		t.Errorf("%+v", r)
	}
	run(t, d, "DELETE FROM %s.spans WHERE 1")
	if r := verified(t, d, clock.Add(31*day), nil); r.Problems != 16 {
		t.Errorf("%d problems, want every span", r.Problems)
	}
	clean(t, "after 400 days", verified(t, d, clock.Add(400*day), nil))
	// What the server's own TTL takes: a row as old as that goes at the next merge.
	old := agentSpans(10, 1)
	for i := range old.Spans {
		old.Spans[i].Start, old.Spans[i].End = time.Now().Add(-2*400*day).UnixNano(), time.Now().Add(-2*400*day).UnixNano()+1
	}
	write(t, w, old)
	run(t, d, "OPTIMIZE TABLE %s.spans FINAL")
	if n := count(t, d, "SELECT count() FROM "+d.name+".spans"); n != 0 {
		t.Fatalf("%d spans are left, the server's retention did nothing", n)
	}
	if r := verified(t, d, clock.Add(401*day), nil); r.Problems != 0 || r.Retained != 34-1 {
		t.Errorf("%+v", r)
	}
	// A pruning says what it takes, whenever it comes.
	write(t, w, agentSpans(20, 1))
	if _, err := w.Prune(short(t), clock, clock); err != nil {
		t.Fatal(whole(err))
	}
	if r := clean(t, "after pruning", verified(t, d, clock, nil)); len(r.Entries) != 1 || r.Entries[0].What != ledger.Retention {
		t.Errorf("%+v", r.Entries)
	}
	// A shorter retention is signed before the server knows of it.
	_ = w.Close()
	w = opened(t, s)
	write(t, w, agentSpans(40, 1))
	_ = w.Close()
	before := len(verified(t, d, clock, nil).Logs)
	s.Evidence, s.Records = time.Hour, time.Hour
	w = opened(t, s)
	defer w.Close()
	if logs := verified(t, d, clock, nil).Logs; len(logs) != before+1 {
		t.Errorf("%d logs after the retention was changed, want one more than %d", len(logs), before)
	}
	run(t, d, "DELETE FROM %s.spans WHERE 1", "DELETE FROM %s.events WHERE 1")
	clean(t, "after a shorter retention", verified(t, d, clock.Add(day), nil))
}

func opened(t *testing.T, s clickhouse.Settings) *clickhouse.Writer {
	t.Helper()
	w, err := clickhouse.Open(short(t), s)
	if err != nil {
		t.Fatal(whole(err))
	}
	return w
}

// An erasure explains what it took and nothing that came later.
func TestErasedIsNotRemoved(t *testing.T) {
	server := instance.Start(t)
	d := fresh(server)
	w := eraser(t, d)
	b, spans, records := spokenOf()
	write(t, w, b)
	refused := evidence.Span{Tenant: "acme", Name: someone, Start: clock.UnixNano(), End: clock.UnixNano()}
	if res, err := w.Write(short(t), evidence.Batch{Spans: []evidence.Span{refused}}); err != nil || res.Quarantined != 1 {
		t.Fatalf("%+v, %v", res, err)
	}
	erase(t, w, evidence.Erasure{Subject: someone})
	r := clean(t, "erased", verified(t, d, clock, nil))
	if r.Erased != int64(spans+records)+1 || len(r.Entries) != 2 || r.Entries[0].Leaves != spans+records+1 {
		t.Errorf("%+v", r)
	}
	for _, table := range []string{"log_leaves", "log_heads"} {
		if n := count(t, d, fmt.Sprintf("SELECT count() FROM %s.%s WHERE position(toString(tuple(*)), '%s') > 0", d.name, table, someone)); n != 0 {
			t.Errorf("table %s says the subject", table)
		}
	}
	write(t, w, evidence.Batch{Spans: b.Spans[:1]})
	clean(t, "recorded again", verified(t, d, clock, nil))
	run(t, d, "DELETE FROM %s.spans WHERE status_message = '' AND attrs_text['app.authority.subject'] != ''")
	if r := verified(t, d, clock, nil); r.Problems != 1 || r.Findings[0].Problem != ledger.Removed {
		t.Errorf("removed after it was recorded again: %+v", r.Findings)
	}
}

// A key that is not the store's signs nothing unless that is asked for.
func TestKeysOfWhoLooksAfterTheStore(t *testing.T) {
	server := instance.Start(t)
	d := fresh(server)
	w := d.Writer(t, now)
	write(t, w, agentSpans(0, 1))
	_ = w.Close()
	s := d.settings(now)
	s.CreateSchema, s.KeepKey, s.KeyFile = false, true, d.key+".other"
	if _, err := clickhouse.Open(short(t), s); err == nil || !strings.Contains(err.Error(), "no key is there") || !strings.Contains(err.Error(), "--new-key") {
		t.Errorf("without a key: %v", err)
	}
	if _, err := os.Stat(s.KeyFile); err == nil {
		t.Error("a key was made")
	}
	told := ""
	s.KeepKey, s.KeyNew = false, func(name string) { told = name }
	prune := func() {
		t.Helper()
		w, err := clickhouse.Open(short(t), s)
		if err != nil {
			t.Fatal(whole(err))
		}
		if _, err := w.Prune(short(t), clock, time.Unix(0, 0)); err != nil {
			t.Fatal(whole(err))
		}
		_ = w.Close()
	}
	prune()
	if told == "" {
		t.Error("nobody is told of the new key")
	}
	if r := verified(t, d, clock, nil); r.OK() {
		t.Error("a retention counts that nobody known has signed")
	}
	r := clean(t, "with both keys", verified(t, d, clock, nil, d.key, s.KeyFile))
	if r.Retained != 16 || len(r.Logs) != 2 {
		t.Errorf("%+v", r)
	}
	s.KeepKey = true
	prune() // the key has signed here
	if err := os.WriteFile(d.key+".bad", []byte("no key"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.KeepKey, s.KeyFile = false, d.key+".bad"
	if _, err := clickhouse.Open(short(t), s); err == nil || !strings.Contains(err.Error(), "no ed25519 signing key") {
		t.Errorf("with a file that is no key: %v", err)
	}
}

// Rows from before the log are told and accuse nobody; what is added to them does.
func TestRowsFromBeforeTheLog(t *testing.T) {
	server := instance.Start(t)
	d := fresh(server)
	s := d.settings(now)
	s.KeyFile = ""
	w, err := clickhouse.Open(short(t), s)
	if err != nil {
		t.Fatal(whole(err))
	}
	write(t, w, agentSpans(0, 1))
	_ = w.Close()
	w2 := d.Writer(t, now)
	write(t, w2, agentSpans(1, 1))
	_ = w2.Close()
	if r := clean(t, "rows from before", verified(t, d, clock, nil)); r.Unlogged != 17 || r.Present != 17 || r.Unsigned == "" {
		t.Errorf("%+v", r)
	}
	run(t, d, "INSERT INTO %s.spans (tenant, task_id, start_ns, trace_id, span_id, statement, name) SELECT tenant, task_id, start_ns, trace_id, 'xxxxxxxx', 1, name FROM %s.spans LIMIT 1")
	if r := verified(t, d, clock, nil); r.Problems != 1 || r.Findings[0].Problem != ledger.Uncovered {
		t.Errorf("%+v", r.Findings)
	}
}
