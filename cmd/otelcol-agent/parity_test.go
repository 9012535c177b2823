package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/extension/review/web"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/planted"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/sqlite"
)

// plantedStore has one incident of every kind, of tenants of their own.
func plantedStore(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "evidence.db")
	w, err := sqlite.Open(path, sqlite.Settings{})
	require.NoError(t, err)
	for seed := range uint64(planted.Kinds()) {
		run := planted.New(seed).Run
		for i := range run.Spans {
			a := run.Spans[i].Attrs
			a["gen_ai.usage.input_tokens"], a["app.usage.cost"] = int64(seed+1), 0.01
		}
		_, err = w.Write(t.Context(), evidence.Batch{Spans: run.Spans, Records: run.Records})
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return path
}

// What the API answers, the command of the same name prints: lists and reports, byte
// for byte, of whatever tenant.
func TestCommandsAnswerAsTheAPIDoes(t *testing.T) {
	store := plantedStore(t)
	h, err := web.New(web.Settings{Now: time.Now, Open: func(context.Context) (evidence.Reader, error) { return sqlite.OpenReader(store) }})
	require.NoError(t, err)
	defer h.Close()
	get := func(address string) string {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/v1"+address, http.NoBody))
		require.Equal(t, http.StatusOK, w.Code, address)
		return w.Body.String()
	}
	said := func(args ...string) string {
		out, _, err := execute(append(args, "--format", "json", "--store", store)...)
		require.NoError(t, err, "%v", args)
		return out
	}
	var page struct{ Tasks []json.RawMessage }
	require.NoError(t, json.Unmarshal([]byte(get("/tasks?limit=500")), &page))
	var rows []json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(said("tasks", "--limit", "500")), &rows))
	require.Len(t, rows, len(page.Tasks))
	require.Greater(t, len(rows), 10)
	for i := range rows {
		require.JSONEq(t, string(page.Tasks[i]), string(rows[i]))
		var row struct{ ID string }
		require.NoError(t, json.Unmarshal(rows[i], &row))
		require.Equal(t, get("/tasks/"+row.ID), said("task", row.ID))
		require.Equal(t, get("/search?q="+row.ID), said("search", row.ID))
	}
	var listed []struct{ Agents []string }
	require.NoError(t, json.Unmarshal([]byte(said("tasks", "--limit", "500")), &listed))
	of := map[string]int{}
	for _, row := range listed {
		for _, agent := range row.Agents {
			of[agent]++
		}
	}
	require.Greater(t, len(of), 2)
	for agent, n := range of {
		require.NoError(t, json.Unmarshal([]byte(said("tasks", "--limit", "500", "--agent", agent)), &rows))
		require.NoError(t, json.Unmarshal([]byte(get("/tasks?limit=500&agent="+url.QueryEscape(agent))), &page))
		require.Len(t, rows, n, agent)
		require.Len(t, page.Tasks, n, agent)
	}
	trace := planted.New(3).Run.Spans[0].ID.Trace.String()
	require.Equal(t, get("/traces/"+trace), said("trace", trace))
}

// A command finds the run of the one tenant that has the id, as the page does, and
// keeps to a tenant that is named.
func TestTheOneTenantIsFound(t *testing.T) {
	path := filepath.Join(t.TempDir(), "evidence.db")
	w, err := sqlite.Open(path, sqlite.Settings{})
	require.NoError(t, err)
	at := time.Date(2026, 11, 1, 9, 0, 0, 0, time.UTC).UnixNano()
	span := func(trace byte, tenant, task string) evidence.Span {
		return evidence.Span{Tenant: tenant, ID: evidence.StepID{Trace: evidence.TraceID{trace}, Span: evidence.SpanID{trace}}, Name: "step", Start: at, End: at + 1, Attrs: evidence.Attrs{"app.task.id": task}}
	}
	_, err = w.Write(t.Context(), evidence.Batch{Spans: []evidence.Span{span(1, "acme", "team/t"), span(2, "acme", "both"), span(3, "other", "both")}})
	require.NoError(t, err)
	require.NoError(t, w.Close())
	for _, command := range []string{"task", "trace", "explain"} {
		_, _, err := execute(command, "team/t", "--store", path)
		require.NoError(t, err, command)
		for _, tenant := range []string{"", "other"} {
			_, _, err = execute(command, "team/t", "--store", path, "--tenant", tenant)
			require.ErrorContains(t, err, "acme", command)
		}
		_, _, err = execute(command, "both", "--store", path)
		require.ErrorContains(t, err, "acme", command)
		_, _, err = execute(command, "both", "--store", path, "--tenant", "other")
		require.NoError(t, err, command)
	}
}

func TestNothingToLookForIsWrongUsage(t *testing.T) {
	for _, text := range []string{"", " ", string(make([]byte, 2000))} {
		_, _, err := execute("search", text, "--store", reviewed(t))
		var usage usageError
		require.ErrorAs(t, err, &usage)
	}
}
