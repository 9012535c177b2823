package sqlite

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/ledger"
)

// verify verifies the store with its own key, and a checkpoint if one is given.
func verify(t *testing.T, path string, since []byte) ledger.Report {
	t.Helper()
	r, err := OpenReader(path)
	require.NoError(t, err)
	defer r.Close()
	vkey, err := ledger.LoadVerifier(ledger.PublicFile(KeyFile(path)))
	require.NoError(t, err)
	keys, err := ledger.Verifiers([]string{vkey})
	require.NoError(t, err)
	var report ledger.Report
	require.NoError(t, r.Log(t.Context(), func(src ledger.Source) error {
		report, err = ledger.Verify(t.Context(), src, ledger.Question{Keys: keys, Since: since})
		return err
	}))
	return report
}

func checkpoint(t *testing.T, path string) []byte {
	t.Helper()
	r, err := OpenReader(path)
	require.NoError(t, err)
	defer r.Close()
	text, err := r.Checkpoint(t.Context(), ledger.None)
	require.NoError(t, err)
	return text
}

// many is a run that has everything: spans with links, events and facts, records
// with and without facts, some of them without a trace, and a row that is refused.
func many() evidence.Batch {
	b := everyFact()
	b.Spans = append(b.Spans, agentSpans(0, 64).Spans...)
	b.Spans[0].Links = []evidence.Link{{To: b.Spans[1].ID, Relation: "retries", Attrs: evidence.Attrs{"a": int64(1)}}, {To: b.Spans[10].ID}}
	b.Spans[1].Events = []evidence.SpanEvent{{Time: 5, Name: "exception", Attrs: evidence.Attrs{"k": []any{"v", nil}}}}
	at := b.Spans[0].Start
	b.Records = append(b.Records,
		evidence.Record{Tenant: "acme", Time: at, Event: "loose", Body: map[string]any{"a": 1.5}},
		evidence.Record{Tenant: "acme", Time: at, Event: "by task", Attrs: evidence.Attrs{"app.task.id": "task-00000000"}},
		evidence.Record{Time: at, Event: "loose with facts", Attrs: evidence.Attrs{"app.permission.decision": "deny", "gen_ai.tool.call.id": "x"}})
	b.Spans = append(b.Spans, evidence.Span{Name: "without ids"})
	return b
}

func TestAStoreThatNobodyTouchedVerifies(t *testing.T) {
	path := newPath(t)
	w := open(t, path)
	b := many()
	write(t, w, b)
	early := checkpoint(t, path)
	grown := b.Spans[2]
	grown.End += 10
	grown.Attrs = evidence.Attrs{"app.effect.id": "e", "app.effect.stage": "receipt"}
	write(t, w, evidence.Batch{Spans: []evidence.Span{grown}})
	write(t, w, b)

	report := verify(t, path, early)
	require.True(t, report.OK(), "%v", report.Findings)
	rows := int64(len(b.Spans) + len(b.Records))
	require.Equal(t, rows+2, report.Leaves, "a leaf for every row, one for the beginning and one for the span that grew")
	require.Equal(t, int64(1), report.Instead)
	require.Equal(t, rows+1, report.Present)
	require.Equal(t, rows+1, report.Since)
	require.Equal(t, 2, report.Checkpoints, "the given one and the newest")
	require.Zero(t, report.Unlogged)

	require.NoError(t, w.Close())
	w = open(t, path)
	write(t, w, agentSpans(3, 16))
	report = verify(t, path, early)
	require.True(t, report.OK(), "%v", report.Findings)
	require.Equal(t, rows+2+16, report.Leaves, "opening again leaves nothing")
}

// Whatever is changed behind the store's back is found, and named.
func TestTamperingIsFound(t *testing.T) {
	if testing.Short() {
		t.Skip("one step after another: nothing that could race")
	}
	for name, c := range map[string]struct {
		sql     string
		problem ledger.Problem
		row     string // part of its name
	}{
		"a span's status":          {"UPDATE spans SET status = 0, end_ns = end_ns + 1 WHERE span_id = x'0200000000000000'", ledger.Changed, "span 01000000000000000000000000000000/0200000000000000"},
		"an attribute":             {"UPDATE spans SET attrs = (SELECT attrs FROM spans WHERE span_id = x'0400000000000000') WHERE span_id = x'0300000000000000'", ledger.Changed, "/0300000000000000"},
		"a name that many share":   {"UPDATE names SET name = 'Write' WHERE name = 'Bash'", ledger.Changed, "span"},
		"a resource":               {"UPDATE sources SET service = 'other'", ledger.Changed, "span"},
		"a tenant":                 {"UPDATE run_keys SET tenant = 'x' WHERE tenant = 'acme' AND kind = 0", ledger.Changed, "span"},
		"a link":                   {"UPDATE links SET to_span = x'0900000000000000' WHERE n = 0", ledger.Changed, "/0100000000000000"},
		"a link that is gone":      {"DELETE FROM links WHERE n = 1", ledger.Changed, "/0100000000000000"},
		"an event of a span":       {"UPDATE spans SET events = NULL WHERE events IS NOT NULL", ledger.Changed, "/0200000000000000"},
		"a span that is gone":      {"DELETE FROM spans WHERE span_id = x'0500000000000000'", ledger.Removed, "/0500000000000000"},
		"a record":                 {"UPDATE events SET observed_ns = 1 WHERE key IS NULL", ledger.Changed, "record"},
		"a record that is gone":    {"DELETE FROM events WHERE rowid = 1", ledger.Removed, "record"},
		"a fact":                   {"UPDATE decisions SET verdict = 'allow' WHERE verdict = 'deny' AND length(source) = 8", ledger.FactsChanged, "/0200000000000000"},
		"a fact of a record":       {"UPDATE verdicts SET score = 0.75 WHERE length(source) = 16", ledger.FactsChanged, "record"},
		"a fact that is gone":      {"DELETE FROM controls", ledger.FactsRemoved, "/0400000000000000"},
		"a fact that was made up":  {"INSERT INTO claims (key, source, n, time_ns, state, leaf) SELECT key, source, 7, 1, 'completed', leaf FROM controls LIMIT 1", ledger.FactsChanged, "/0400000000000000"},
		"a span that was made up":  {"INSERT INTO spans SELECT key, x'ffffffffffffffff', parent_id, source, name, kind, start_ns, end_ns, status, status_message, trace_state, task_id, operation, agent, tool, attrs, events, 0, 0, seen, NULL FROM spans LIMIT 1", ledger.Uncovered, "ffffffffffffffff"},
		"a span with another leaf": {"UPDATE spans SET leaf = 5 WHERE leaf = 4", ledger.Removed, "span"},
		"a refusal's reason":       {"UPDATE quarantine SET reason = 'x'", ledger.Removed, "refused"},
		"a refusal that is gone":   {"DELETE FROM quarantine", ledger.Removed, "refused"},
		"an entry of the log":      {`UPDATE log_entries SET body = replace(body, 'begun', 'bygone')`, ledger.Changed, "log entry"},
		"an erasure made up":       {`INSERT INTO log_entries VALUES (4, NULL, '{"what":"erasure","erasure":{"subject":"x","leaves":[1,2,3]}}')`, ledger.Uncovered, "log entry"},
		"the end of the log":       {"DELETE FROM leaves WHERE first = (SELECT max(first) FROM leaves)", ledger.LogShort, ""},
		"the middle of the log":    {"DELETE FROM leaves WHERE first = (SELECT max(first) FROM leaves WHERE first < (SELECT max(first) FROM leaves))", ledger.LogShort, ""},
		"the newest checkpoint":    {"DELETE FROM checkpoints", ledger.BadCheckpoint, ""},
		"a signature":              {"UPDATE checkpoints SET note = replace(note, char(10) || char(10), char(10) || 'x' || char(10) || char(10))", ledger.BadCheckpoint, ""},
	} {
		t.Run(name, func(t *testing.T) {
			path := newPath(t)
			w := open(t, path)
			write(t, w, many())
			require.NoError(t, w.Close())
			require.True(t, verify(t, path, nil).OK())
			plain(t, path, c.sql).Close()
			report := verify(t, path, nil)
			require.NotEmpty(t, report.Findings)
			problems := map[ledger.Problem]string{}
			for _, f := range report.Findings {
				problems[f.Problem] += f.String() + "\n"
			}
			require.Contains(t, problems, c.problem, "%v", report.Findings)
			require.Contains(t, problems[c.problem], c.row)
		})
	}
}

// Who changes a row and its leaf too is found by the checkpoint, which narrows
// down where it was.
func TestTamperingWithTheLogIsFoundByCheckpoints(t *testing.T) {
	path := newPath(t)
	now := time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC)
	w, err := Open(path, Settings{Now: func() time.Time { return now }})
	require.NoError(t, err)
	for i := range 5 {
		now = now.Add(time.Hour)
		write(t, w, agentSpans(i, 16))
	}
	require.NoError(t, w.Close())
	require.Equal(t, 6, verify(t, path, nil).Checkpoints, "one an hour")
	// The third batch is leaves 33 to 48.
	db := plain(t, path)
	var first int64
	var data []byte
	require.NoError(t, db.QueryRow("SELECT first, data FROM leaves WHERE first = 33").Scan(&first, &data))
	data[len(data)-1] ^= 1
	_, err = db.Exec("UPDATE leaves SET data = ? WHERE first = ?", data, first)
	require.NoError(t, err)
	require.NoError(t, db.Close())
	report := verify(t, path, nil)
	require.Equal(t, ledger.Finding{Leaf: 33, Last: 48, Problem: ledger.LogChanged, Detail: "the checkpoint of 49 leaves was made over others"}, report.Findings[0])
	require.Equal(t, 3, report.Checkpoints)
}

func TestAStoreThatWasCutBackIsFoundByACheckpointFromOutside(t *testing.T) {
	path := newPath(t)
	w := open(t, path)
	write(t, w, agentSpans(0, 16))
	require.NoError(t, w.Close())
	earlier, err := os.ReadFile(path)
	require.NoError(t, err)
	w = open(t, path)
	write(t, w, agentSpans(1, 16))
	require.NoError(t, w.Close())
	outside := checkpoint(t, path)
	require.NoError(t, os.WriteFile(path, earlier, 0o600))
	require.True(t, verify(t, path, nil).OK(), "the store alone cannot tell")
	report := verify(t, path, outside)
	require.Equal(t, ledger.LogShort, report.Findings[0].Problem)
	require.Equal(t, int64(17), report.Findings[0].Leaf)
}

func TestACheckpointOfAnotherStoreProvesNothing(t *testing.T) {
	one, two := made(t), made(t)
	key, err := os.ReadFile(KeyFile(one))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(KeyFile(two), key, 0o600))
	r, err := OpenReader(one)
	require.NoError(t, err)
	defer r.Close()
	vkey, err := ledger.LoadVerifier(KeyFile(one))
	require.NoError(t, err)
	keys, err := ledger.Verifiers([]string{vkey})
	require.NoError(t, err)
	require.NoError(t, r.Log(t.Context(), func(src ledger.Source) error {
		for text, says := range map[string]string{string(checkpoint(t, two)): "no known key", "hello": "not a checkpoint"} {
			_, err := ledger.Verify(t.Context(), src, ledger.Question{Keys: keys, Since: []byte(text)})
			require.ErrorContains(t, err, says)
		}
		return nil
	}))
}

// A leaf that somebody put behind the newest checkpoint is not signed by the next
// commit.
func TestAForgedEndOfTheLogIsNotContinued(t *testing.T) {
	path := made(t)
	entry := ledger.Entry{What: ledger.Retention, Old: &ledger.Retained{Evidence: time.Now(), Records: time.Now()}}
	text, digest, err := entry.Encode()
	require.NoError(t, err)
	leaf := ledger.Leaf{Kind: ledger.Note, Instead: ledger.None, Content: digest}
	db := plain(t, path, "DELETE FROM spans", "DELETE FROM decisions", "DELETE FROM effects")
	_, err = db.Exec("INSERT INTO leaves VALUES (5, ?)", leaf.Append(nil))
	require.NoError(t, err)
	_, err = db.Exec("INSERT INTO log_entries VALUES (5, NULL, ?)", text)
	require.NoError(t, err)
	require.NoError(t, db.Close())
	_, err = Open(path, Settings{})
	require.ErrorContains(t, err, "behind the newest checkpoint")
	report := verify(t, path, nil)
	require.Equal(t, []ledger.Finding{{Leaf: 5, Last: 5, Problem: ledger.LogChanged, Detail: "leaves that no checkpoint covers"}}, report.Findings)
}

func TestALostKeyIsReplacedAndSaidSo(t *testing.T) {
	path := made(t)
	old, err := ledger.LoadVerifier(KeyFile(path))
	require.NoError(t, err)
	require.NoError(t, os.Remove(KeyFile(path)))
	require.NoError(t, os.Remove(ledger.PublicFile(KeyFile(path))))
	require.NoError(t, open(t, path).Close())
	require.Equal(t, 1, count1(t, path, "SELECT count(*) FROM log_entries WHERE body LIKE '%new_key%'"))
	fresh, err := ledger.LoadVerifier(KeyFile(path))
	require.NoError(t, err)
	require.NotEqual(t, old, fresh)
}

func TestTheSigningKeyIsForItsOwner(t *testing.T) {
	path := made(t)
	info, err := os.Stat(KeyFile(path))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	require.NoError(t, os.Chmod(KeyFile(path), 0o640))
	_, err = Open(path, Settings{})
	require.ErrorContains(t, err, "chmod 600")
	require.NoError(t, os.Chmod(KeyFile(path), 0o600))
	require.NoError(t, os.WriteFile(KeyFile(path), []byte("no key"), 0o600))
	_, err = Open(path, Settings{})
	require.ErrorContains(t, err, "no ed25519 signing key")
	elsewhere := filepath.Join(t.TempDir(), "keys", "ledger.key")
	w, err := Open(path, Settings{KeyFile: elsewhere})
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.FileExists(t, elsewhere)
}

// A store from before the log verifies what came later.
func TestRowsFromBeforeTheLogAreCounted(t *testing.T) {
	path := made(t)
	plain(t, path, "UPDATE spans SET leaf = NULL", "UPDATE decisions SET leaf = NULL", "UPDATE effects SET leaf = NULL",
		"DELETE FROM leaves", "DELETE FROM log_entries", "DELETE FROM checkpoints").Close()
	w := open(t, path)
	write(t, w, agentSpans(1, 16))
	report := verify(t, path, nil)
	require.True(t, report.OK(), "%v", report.Findings)
	require.Equal(t, int64(4), report.Unlogged)
	grown := agentSpans(0, 4)
	grown.Spans[1].Attrs["more"] = "x"
	grown.Spans[1].End++
	write(t, w, grown)
	report = verify(t, path, nil)
	require.True(t, report.OK(), "%v", report.Findings)
	require.Equal(t, int64(3), report.Unlogged)
	plain(t, path, fmt.Sprintf("UPDATE spans SET end_ns = end_ns + 1 WHERE span_id = x'%s'", grown.Spans[1].ID.Span)).Close()
	require.False(t, verify(t, path, nil).OK())
}
