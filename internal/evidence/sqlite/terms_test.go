package sqlite

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// terms counts the rows that lead from a term to keys, and all of them.
func terms(t *testing.T, path string, term evidence.Term) (of, all int) {
	r, err := OpenReader(path)
	require.NoError(t, err)
	defer r.Close()
	require.NoError(t, r.db.QueryRow("SELECT count(*) FILTER (WHERE term = ?), count(*) FROM terms", termHash(term)).Scan(&of, &all))
	return of, all
}

func TestErasureForgetsWhatItIsSearchedBy(t *testing.T) {
	path := newPath(t)
	w := open(t, path)
	at := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC).UnixNano()
	span := func(n byte, attrs evidence.Attrs) evidence.Span {
		return evidence.Span{ID: evidence.StepID{Trace: evidence.TraceID{1}, Span: evidence.SpanID{n}}, Start: at, End: at, Attrs: attrs}
	}
	write(t, w, evidence.Batch{
		Spans:   []evidence.Span{span(1, evidence.Attrs{"app.session.id": someone, "gen_ai.agent.name": "coder"}), span(2, evidence.Attrs{"gen_ai.agent.name": "coder"})},
		Records: []evidence.Record{{Time: at, Step: evidence.StepID{Trace: evidence.TraceID{1}}, Attrs: evidence.Attrs{"gen_ai.tool.name": "bash"}}},
	})
	session, agent, tool := evidence.Term{Kind: evidence.TermSession, Text: someone}, evidence.Term{Kind: evidence.TermAgent, Text: "coder"}, evidence.Term{Kind: evidence.TermTool, Text: "bash"}
	of, all := terms(t, path, session)
	require.Equal(t, []int{1, 3}, []int{of, all})
	_, err := w.Erase(t.Context(), evidence.Erasure{Subject: someone})
	require.NoError(t, err)
	of, all = terms(t, path, session)
	require.Equal(t, []int{0, 2}, []int{of, all}, "the session is forgotten, the rest is not")
	for _, left := range []evidence.Term{agent, tool} {
		of, _ = terms(t, path, left)
		require.Equal(t, 1, of, left)
	}
}

func TestPruningTakesTermsOfKeysThatAreGone(t *testing.T) {
	path := newPath(t)
	w := open(t, path)
	write(t, w, agentSpans(0, 64))
	_, before := terms(t, path, evidence.Term{})
	require.NotZero(t, before)
	_, err := w.Prune(t.Context(), time.Now().AddDate(100, 0, 0), time.Now().AddDate(100, 0, 0))
	require.NoError(t, err)
	_, after := terms(t, path, evidence.Term{})
	require.Zero(t, after)
}

// A term that many keys have leads to the same runs in the same order.
func TestCommonTermsLeadToTheSameRuns(t *testing.T) {
	path := newPath(t)
	w := open(t, path)
	write(t, w, agentSpans(0, 512))
	r, err := OpenReader(path)
	require.NoError(t, err)
	defer r.Close()
	var term evidence.Term
	sp := agentSpans(0, 1).Spans[0]
	sp.EachTerm(func(t evidence.Term) { term = t })
	list := func() (out []evidence.Place) {
		err := r.Page(t.Context(), evidence.PageQuery{Query: evidence.Query{AllTenants: true}, Term: term}, func(_ evidence.Run, at evidence.Place) bool {
			out = append(out, at)
			return true
		})
		require.NoError(t, err)
		return out
	}
	want := list()
	require.NotEmpty(t, want)
	before := commonTerm
	defer func() { commonTerm = before }()
	commonTerm = 1
	require.Equal(t, want, list())
}

// Effects, receipts and decisions of a store that was written before they were
// searched by are found after its migration.
func TestMigrationMakesTermsOfFacts(t *testing.T) {
	path := newPath(t)
	w := open(t, path)
	span := evidence.Span{ID: evidence.StepID{Trace: evidence.TraceID{1}, Span: evidence.SpanID{1}}, Start: 1, End: 2, Attrs: evidence.Attrs{
		semconv.AppEffectID: "e-1", semconv.AppEffectIdempotencyKey: "key-1", semconv.AppEffectReceiptID: "r-1",
		semconv.AppPermissionDecision: "deny", semconv.AppPermissionDecisionID: "d-1"}}
	write(t, w, evidence.Batch{Spans: []evidence.Span{span}})
	require.NoError(t, w.Close())
	plain(t, path, "DELETE FROM terms", "DELETE FROM schema_migrations WHERE version = 4").Close()
	_, err := Migrate(t.Context(), path, Settings{}, false)
	require.NoError(t, err)
	for _, term := range []evidence.Term{{Kind: evidence.TermEffect, Text: "e-1"}, {Kind: evidence.TermEffect, Text: "key-1"}, {Kind: evidence.TermReceipt, Text: "r-1"}, {Kind: evidence.TermDecision, Text: "d-1"}} {
		of, all := terms(t, path, term)
		require.Equal(t, []int{1, 4}, []int{of, all}, term)
	}
}
