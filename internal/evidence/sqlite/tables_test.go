package sqlite

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// A batch sent again must not touch a single row.
func TestSentAgainChangesNoRow(t *testing.T) {
	w := open(t, newPath(t))
	b := everyFact()
	require.Equal(t, len(b.Spans)+len(b.Records), write(t, w, b).Stored)
	changes := func() (n int) {
		require.NoError(t, w.do(&request{ctx: t.Context(), step: func(c *connection) error {
			return c.row("SELECT total_changes()", nil, &n)
		}}))
		return n
	}
	before := changes()
	require.Zero(t, write(t, w, b).Stored)
	require.Zero(t, write(t, w, evidence.Batch{Spans: b.Spans[1:2], Records: b.Records}).Stored)
	require.Equal(t, before, changes())
}

// everyFact is a small run whose spans and records state a fact for every table.
func everyFact() evidence.Batch {
	at := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC).UnixNano()
	step := func(n byte) evidence.StepID {
		return evidence.StepID{Trace: evidence.TraceID{1}, Span: evidence.SpanID{n}}
	}
	var b evidence.Batch
	for i, attrs := range []evidence.Attrs{
		{"app.task.id": "t", "app.task.parent.id": "p", "app.task.attempt": int64(2), "app.outcome": "completed", "app.claim.basis": []any{"x"},
			"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "coder"},
		{"app.task.id": "t", "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "Bash", "gen_ai.tool.call.id": "c1",
			"app.tool.effect_class": "write", "app.permission.decision": "deny", "app.permission.decided_by": "policy"},
		{"app.effect.id": "e", "app.effect.stage": "dispatched", "app.tool.effect_class": "write", "gen_ai.operation.name": "execute_tool"},
		{"app.control.id": "k", "app.control.kind": "cancel", "app.control.layer": "user", "app.control.phase": "requested"},
		{"app.verifier.name": "tests", "app.verifier.version": "1", "app.verifier.kind": "deterministic", "app.verifier.verdict": "pass",
			"app.verifier.subject.kind": "task", "app.verifier.subject.id": "t", "gen_ai.evaluation.score.value": 0.5},
		{"app.protocol.name": "mcp", "app.protocol.version.negotiated": "2025-06-18", "app.protocol.degraded": []any{"y"}},
		{"app.extension.kind": "hook", "app.extension.id": "h", "app.extension.decision": "invoked"},
	} {
		b.Spans = append(b.Spans, evidence.Span{ID: step(byte(i + 1)), Name: "s", Start: at + int64(i), End: at + int64(i) + 5, Attrs: attrs})
		b.Records = append(b.Records, evidence.Record{Time: at + int64(i), Step: step(byte(i + 1)), Event: "app.effect.recorded", Attrs: attrs})
	}
	return b
}

func TestFactsAreRows(t *testing.T) {
	path := newPath(t)
	w := open(t, path)
	b := everyFact()
	write(t, w, b)
	want := evidence.Facts{}
	for i := range b.Spans {
		f := evidence.FactsOf(&b.Spans[i])
		want.Decisions = append(want.Decisions, f.Decisions...)
		want.Effects = append(want.Effects, f.Effects...)
		want.Controls = append(want.Controls, f.Controls...)
		want.Verdicts = append(want.Verdicts, f.Verdicts...)
		want.Claims = append(want.Claims, f.Claims...)
		want.Protocols = append(want.Protocols, f.Protocols...)
		want.Extensions = append(want.Extensions, f.Extensions...)
	}
	for table, n := range map[string]int{
		"decisions": len(want.Decisions), "effects": len(want.Effects), "controls": len(want.Controls), "verdicts": len(want.Verdicts),
		"claims": len(want.Claims), "protocols": len(want.Protocols), "extensions": len(want.Extensions),
	} {
		require.Positive(t, n, table)
		require.Equal(t, n, count1(t, path, "SELECT count(*) FROM "+table+" WHERE length(source) = 8"), table)
	}
	require.Equal(t, 1, count1(t, path, "SELECT count(*) FROM decisions WHERE length(source) = 8 AND verdict = 'deny' AND tool_call_id = 'c1' AND task_id = 't'"))
	require.Equal(t, 1, count1(t, path, "SELECT count(*) FROM verdicts WHERE length(source) = 8 AND score = 0.5 AND verifier = 'tests' AND subject_id = 't'"))
	require.Equal(t, 1, count1(t, path, "SELECT count(*) FROM tasks WHERE task_id = 't' AND parent_id = 'p' AND agent = 'coder' AND attempts = 2"))
	require.Equal(t, 1, count1(t, path, "SELECT count(*) FROM steps WHERE operation = 'execute_tool' AND tool = 'Bash' AND task_id = 't' AND trace_id = '01000000000000000000000000000000'"))

	// A span that grows states its facts anew; a refusal that was stated stays.
	grown := b.Spans[1]
	grown.End += 10
	grown.Attrs = evidence.Attrs{"app.permission.decision": "allow", "gen_ai.tool.call.id": "c1"}
	require.Equal(t, 1, write(t, w, evidence.Batch{Spans: []evidence.Span{grown}}).Stored)
	require.Equal(t, 1, count1(t, path, "SELECT count(*) FROM decisions WHERE length(source) = 8 AND verdict = 'allow'"))
	require.Equal(t, 1, count1(t, path, "SELECT count(*) FROM decisions WHERE length(source) = 8 AND verdict = 'deny'"))
}

func TestPruningLeavesNoCrumbs(t *testing.T) {
	path := newPath(t)
	w := open(t, path)
	b := everyFact()
	write(t, w, b)
	later := time.Unix(0, b.Spans[0].End).Add(3 * 24 * time.Hour)

	// Facts of records outlive the records.
	_, err := w.Prune(t.Context(), time.Unix(0, 0), later)
	require.NoError(t, err)
	require.Zero(t, count1(t, path, "SELECT count(*) FROM events"))
	require.Positive(t, count1(t, path, "SELECT count(*) FROM decisions WHERE length(source) = 16"))
	require.Equal(t, len(b.Spans), spans(t, path))

	_, err = w.Prune(t.Context(), later, later)
	require.NoError(t, err)
	for _, table := range append(slices.Clone(factTables), "spans", "links", "events", "tasks", "run_keys", "runs", "sources", "names") {
		require.Zero(t, count1(t, path, "SELECT count(*) FROM "+table), table)
	}
	write(t, w, b)
	require.Equal(t, len(b.Spans), spans(t, path))
}

// Names and sources live as long as the youngest row that uses them.
func TestPruningKeepsWhatYoungRowsShare(t *testing.T) {
	path := newPath(t)
	w := open(t, path)
	old, young := agentSpans(0, 16), agentSpans(1, 16)
	for i := range young.Spans {
		young.Spans[i].Start += 10 * day
		young.Spans[i].End += 10 * day
	}
	write(t, w, old)
	write(t, w, young)
	cut := time.Unix(0, young.Spans[0].Start-2*day)
	_, err := w.Prune(t.Context(), cut, cut)
	require.NoError(t, err)
	readable(t, path, 16)
	require.Zero(t, write(t, w, young).Stored)
}

func TestPruningGivesPagesBack(t *testing.T) {
	path := newPath(t)
	w := open(t, path)
	for i := range 10 {
		write(t, w, agentSpans(i, 128))
	}
	before := count1(t, path, "SELECT page_count FROM pragma_page_count")
	_, err := w.Prune(t.Context(), time.Now(), time.Now())
	require.NoError(t, err)
	pages := count1(t, path, "SELECT page_count FROM pragma_page_count")
	free := count1(t, path, "SELECT freelist_count FROM pragma_freelist_count")
	require.Less(t, pages-free, before-20)
	require.Less(t, free, 10)
}

// Made-up keys and names must not fill the memory of writer and readers.
func TestDictionaryIsBounded(t *testing.T) {
	path := newPath(t)
	w := open(t, path)
	for i := range 10 {
		b := agentSpans(i, 16)
		for j := range b.Spans {
			b.Spans[j].Name = fmt.Sprintf("name %d %d %s", i, j, strings.Repeat("x", 20*j))
			for k := range 100 {
				b.Spans[j].Attrs[fmt.Sprintf("made.up.%d.%d.%d", i, j, k)] = "x"
			}
		}
		write(t, w, b)
	}
	require.LessOrEqual(t, count1(t, path, "SELECT count(*) FROM names WHERE kind = 0"), maxNames)
	require.Zero(t, count1(t, path, "SELECT count(*) FROM names WHERE length(name) > ?", maxNameLength))
	require.Zero(t, write(t, w, evidence.Batch{}).Stored)
}

// Every question is answered by an index.
func TestQueriesScanNothing(t *testing.T) {
	path := made(t)
	r, err := OpenReader(path)
	require.NoError(t, err)
	defer r.Close()
	for name, c := range map[string]struct {
		query string
		args  int
	}{
		"spans of a run": {runSpans, 1}, "links of a run": {runLinks, 1}, "records of a run": {runEvents, 1}, "version of a run": {runVersion, 1},
		"find": {findKey, 3}, "recent": {recentAll, 1}, "recent of a tenant": {recentTenant, 2},
		"who links to a step":  {"SELECT key, span_id FROM links WHERE to_trace = ? AND to_span = ?", 2},
		"who links to a trace": {"SELECT key, span_id FROM links WHERE to_trace = ?", 1},
		"stored span":          {selectSpan, 2}, "its links": {selectLink, 2},
		"stored record":          {"SELECT 1 FROM events WHERE time_ns = ? AND record = ?", 2},
		"old keys":               {"SELECT id FROM run_keys WHERE oldest < ? ORDER BY oldest LIMIT ?", 2},
		"old records":            {"SELECT rowid FROM events WHERE time_ns < ?1 AND seen IS NULL ORDER BY time_ns LIMIT ?2", 2},
		"strange records":        {"SELECT rowid FROM events WHERE seen IS NOT NULL AND seen < ?1 LIMIT ?2", 2},
		"a leaf":                 {"SELECT first, data FROM leaves WHERE first <= ? ORDER BY first DESC LIMIT 1", 1},
		"leaves beyond the head": {"SELECT 1 FROM leaves WHERE first >= ?", 1},
		"facts of a record":      {"SELECT 1 FROM decisions WHERE key = ? AND source = ?", 2},
		"next spans to erase":    {someSpans, 2},
		"next records to erase":  {someEvents, 2},
		"keys of a run":          {"UPDATE run_keys SET run = ? WHERE run = ?", 2},
	} {
		rows, err := r.db.Query("EXPLAIN QUERY PLAN "+c.query, make([]any, c.args)...)
		require.NoError(t, err, name)
		for rows.Next() {
			var id, parent, unused int
			var detail string
			require.NoError(t, rows.Scan(&id, &parent, &unused, &detail))
			if name != "version of a run" || !strings.HasPrefix(detail, "SCAN (subquery") { // which has its rows by index
				require.NotContains(t, detail, "SCAN", name)
			}
			if name != "find" { // DISTINCT over the few runs of one id
				require.NotContains(t, detail, "TEMP B-TREE", name)
			}
		}
		require.NoError(t, rows.Close())
	}
}
