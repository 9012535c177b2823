package sqlite

import (
	"bytes"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/ledger"
)

const someone = "5f1d2a77c0ffee12345678"

// spokenOf is a batch in which a subject is spoken of in every place, and rows
// beside it that say nothing of it.
func spokenOf() (b evidence.Batch, spans, records int) {
	b = many()
	at := b.Spans[0].Start
	id := func(n byte) evidence.StepID {
		return evidence.StepID{Trace: evidence.TraceID{9, n}, Span: evidence.SpanID{n}}
	}
	base := func(n byte) evidence.Span {
		return evidence.Span{Tenant: "acme", ID: id(n), Name: "s", Status: "unset", Start: at, End: at + 1, Attrs: evidence.Attrs{"app.task.id": "t"}}
	}
	for n, change := range []func(*evidence.Span){
		func(s *evidence.Span) { s.Attrs["app.authority.subject"] = someone },
		func(s *evidence.Span) { s.Attrs["nested"] = []any{map[string]any{"k": "for " + someone}} },
		func(s *evidence.Span) { s.Attrs[someone] = "as a key" },
		func(s *evidence.Span) {
			s.Attrs["app.permission.policy.id"], s.Attrs["app.permission.decision"] = someone, "deny"
		},
		func(s *evidence.Span) { s.Resource = evidence.Attrs{"host.name": someone}; s.Scope = "x" },
		func(s *evidence.Span) {
			s.Events = []evidence.SpanEvent{{Name: "e", Attrs: evidence.Attrs{"u": someone}}}
		},
		func(s *evidence.Span) { s.Links = []evidence.Link{{To: id(1), Attrs: evidence.Attrs{"u": someone}}} },
		func(s *evidence.Span) { s.StatusMessage = someone },
		func(s *evidence.Span) { s.Attrs["app.task.id"] = someone },
		func(s *evidence.Span) { s.Attrs["bytes"] = []byte("x" + someone) },
	} {
		s := base(byte(n + 1))
		change(&s)
		b.Spans = append(b.Spans, s)
		spans++
	}
	b.Spans = append(b.Spans, base(100))
	for _, attrs := range []evidence.Attrs{{"u": someone}, {"app.control.kind": "cancel", "app.control.layer": "user", "app.control.phase": "requested", "app.control.id": someone}, {"app.task.id": someone}} {
		b.Records = append(b.Records, evidence.Record{Tenant: "acme", Time: at, Event: "e", Attrs: attrs})
		records++
	}
	return b, spans, records
}

func TestErasureForgetsASubjectAndSaysSo(t *testing.T) {
	path := newPath(t)
	w := open(t, path)
	b, wantSpans, wantRecords := spokenOf()
	before := spans(t, path)
	write(t, w, b)
	outside := checkpoint(t, path)
	all := spans(t, path)
	what := evidence.Erasure{Subject: someone, DryRun: true}
	counted, err := w.Erase(t.Context(), what)
	require.NoError(t, err)
	require.Equal(t, all, spans(t, path), "a dry run deletes nothing")
	require.Equal(t, int64(wantSpans), counted.Spans)
	require.Equal(t, int64(wantRecords), counted.Records)
	require.Equal(t, int64(2), counted.Facts)

	what.DryRun = false
	erased, err := w.Erase(t.Context(), what)
	require.NoError(t, err)
	require.Equal(t, counted, erased)
	require.Equal(t, all-before-wantSpans, spans(t, path))
	again, err := w.Erase(t.Context(), what)
	require.NoError(t, err)
	require.Zero(t, again, "nothing is left")

	report := verify(t, path, outside)
	require.True(t, report.OK(), "%v", report.Findings)
	require.Equal(t, int64(wantSpans+wantRecords), report.Erased)
	require.Equal(t, 2, count1(t, path, "SELECT count(*) FROM log_entries WHERE body LIKE ?", "%erasure%"+ledger.SubjectHash(someone)+"%"))

	// Not even the bytes are there.
	require.NoError(t, w.Close())
	file, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NotContains(t, string(file), someone)
	require.True(t, bytes.Contains(file, []byte("agentevents")), "the search finds what is there")

	// What was erased stays logged, and may not come back unseen: it is a row of
	// its own with a leaf of its own.
	w = open(t, path)
	write(t, w, b)
	report = verify(t, path, outside)
	require.True(t, report.OK(), "%v", report.Findings)
}

func TestErasureOfWholeRuns(t *testing.T) {
	path := newPath(t)
	w := open(t, path)
	b, _, _ := spokenOf()
	write(t, w, b)
	erased, err := w.Erase(t.Context(), evidence.Erasure{Subject: someone, WholeRuns: true})
	require.NoError(t, err)
	require.Equal(t, int64(11), erased.Spans, "the one of the same task too")
	require.Zero(t, count1(t, path, "SELECT count(*) FROM spans s JOIN run_keys k ON k.id = s.key WHERE k.key >= x'09000000' AND k.key < x'0A'"))
	require.True(t, verify(t, path, nil).OK())
	_, err = w.Erase(t.Context(), evidence.Erasure{Subject: "short"})
	require.ErrorContains(t, err, "at least 14 bytes")
}

// Facts outlive their record, and are erased all the same.
func TestErasureAfterRetention(t *testing.T) {
	path := newPath(t)
	w := open(t, path)
	b, _, _ := spokenOf()
	write(t, w, b)
	outside := checkpoint(t, path)
	later := time.Unix(0, b.Spans[0].End).Add(24 * time.Hour)
	_, err := w.Prune(t.Context(), time.Unix(0, 0), later)
	require.NoError(t, err)
	require.Equal(t, 1, count1(t, path, "SELECT count(*) FROM controls WHERE control_id = ?", someone))
	report := verify(t, path, outside)
	require.True(t, report.OK(), "%v", report.Findings)
	require.Positive(t, report.Retained)
	// A record that comes again states nothing twice.
	write(t, w, b)
	report = verify(t, path, outside)
	require.True(t, report.OK(), "%v", report.Findings)
	_, err = w.Prune(t.Context(), time.Unix(0, 0), later)
	require.NoError(t, err)

	erased, err := w.Erase(t.Context(), evidence.Erasure{Subject: someone})
	require.NoError(t, err)
	require.Zero(t, erased.Records)
	require.Zero(t, count1(t, path, "SELECT count(*) FROM controls WHERE control_id = ?", someone))
	report = verify(t, path, outside)
	require.True(t, report.OK(), "%v", report.Findings)

	// Everything goes in the end, and all of it is explained.
	_, err = w.Prune(t.Context(), later, later)
	require.NoError(t, err)
	_, err = w.Prune(t.Context(), time.Now().Add(time.Hour), later)
	require.NoError(t, err)
	report = verify(t, path, outside)
	require.True(t, report.OK(), "%v", report.Findings)
	require.Zero(t, spans(t, path))
	// A retention that was logged explains nothing that came after it.
	write(t, w, agentSpans(0, 16))
	require.NoError(t, w.Close())
	plain(t, path, "DELETE FROM spans", "DELETE FROM decisions", "DELETE FROM effects").Close()
	report = verify(t, path, nil)
	require.Equal(t, int64(16), report.Problems, "%v", report.Findings)
}
