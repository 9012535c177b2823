package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/sqlite"
	"github.com/otelcol-agent/otelcol-agent/internal/review"
)

// reviewed is a store with a run of two traces.
func reviewed(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "evidence.db")
	w, err := sqlite.Open(path, sqlite.Settings{Now: time.Now})
	require.NoError(t, err)
	at := time.Date(2026, 11, 1, 9, 0, 0, 0, time.UTC).UnixNano()
	span := func(trace, n, parent byte, name string, attrs evidence.Attrs, links ...evidence.Link) evidence.Span {
		s := evidence.Span{ID: evidence.StepID{Trace: evidence.TraceID{trace, trace, trace}, Span: evidence.SpanID{n}}, Name: name, Start: at + int64(n)*1e9, End: at + int64(n)*1e9 + 2e9, Status: "unset", Attrs: attrs, Links: links}
		if parent != 0 {
			s.Parent = evidence.SpanID{parent}
		}
		return s
	}
	first := span(0xaa, 1, 0, "invoke_agent coder", evidence.Attrs{"app.task.id": "t-1", "app.session.id": "s-1", "gen_ai.agent.name": "coder"})
	call := span(0xaa, 2, 1, "execute_tool bash\x1b[31m", evidence.Attrs{"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "bash", "gen_ai.tool.call.id": "call 7", "app.effect.id": "eff-1", "app.effect.receipt.id": "r-1"})
	call.Status, call.Attrs["error.type"] = "error", "timeout"
	other := span(0xbb, 3, 0, "invoke_agent helper", evidence.Attrs{"app.task.id": "t-1"}, evidence.Link{To: first.ID, Relation: "delegated_from"})
	_, err = w.Write(t.Context(), evidence.Batch{Spans: []evidence.Span{first, call, other}})
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return path
}

func TestTrace(t *testing.T) {
	store := reviewed(t)
	out, _, err := execute("trace", "aaaaaa", "--store", store)
	require.NoError(t, err)
	require.Equal(t, `trace aaaaaa00000000000000000000000000  task t-1
  2026-11-01 09:00:01, took 3.0s, 2 steps
      +0s    2.0s  ████████████████········  invoke_agent coder  ← delegated from invoke_agent helper in trace bbbbbb00
    +1.0s    2.0s  ········████████████████    `+"▶ execute_tool bash\ufffd[31m ✗(timeout)  ◌ unknown"+`
other traces of the run: bbbbbb00
`, out)
	out, _, err = execute("trace", "bbbbbb", "--store", store, "--format", "json")
	require.NoError(t, err)
	var data review.TraceData
	require.NoError(t, json.Unmarshal([]byte(out), &data))
	require.Equal(t, "invoke_agent helper", data.Rows[0].Name)
	require.Equal(t, []review.HopData{{Direction: "to", Relation: "delegated from", Name: "invoke_agent coder", Place: "/traces/aaaaaa00000000000000000000000000/spans/0100000000000000"}}, data.Rows[0].Links)
	_, _, err = execute("trace", "t-1", "--store", store)
	require.ErrorContains(t, err, "a run of 2 traces")
	_, _, err = execute("trace", "cccccc", "--store", store)
	require.ErrorContains(t, err, "`otelcol-agent tasks` lists")
}

func TestSearch(t *testing.T) {
	store := reviewed(t)
	for text, want := range map[string]string{
		"t-1":    "task       1 run              otelcol-agent task t-1\n",
		"aaaaaa": "task       1 run              otelcol-agent task aaaaaa\n",
		"s-1":    "session    1 run              otelcol-agent tasks --session s-1\n",
		"call 7": "tool call  1 run              otelcol-agent tasks --tool-call 'call 7'\n",
		"bash":   "tool       1 run              otelcol-agent tasks --tool bash\n",
		"eff-1":  "effect     1 run              otelcol-agent tasks --effect eff-1\n",
		"r-1":    "receipt    1 run              otelcol-agent tasks --receipt r-1\n",
	} {
		out, _, err := execute("search", text, "--store", store)
		require.NoError(t, err)
		require.Equal(t, want, out)
	}
	out, _, err := execute("search", "nothing", "--store", store, "--format", "json")
	require.ErrorContains(t, err, "no task, trace, session, tool call, artifact, effect, receipt, decision, agent or tool is called that")
	require.JSONEq(t, `{"query":"nothing","hits":[]}`, out)
	for _, flag := range [][]string{{"--session", "s-1"}, {"--tool-call", "call 7"}, {"--tool", "bash", "--session", "s-1"}, {"--effect", "eff-1", "--receipt", "r-1"}} {
		out, _, err := execute(append([]string{"tasks", "--store", store}, flag...)...)
		require.NoError(t, err)
		require.Contains(t, out, "t-1")
	}
	out, _, err = execute("tasks", "--store", store, "--tool", "bash", "--session", "s-2")
	require.NoError(t, err)
	require.Empty(t, out)
}

// The command serves the pages until it is stopped, and refuses a store that is not
// there.
func TestReviewServesUntilItIsStopped(t *testing.T) {
	_, _, err := execute("review", "--store", filepath.Join(t.TempDir(), "no.db"))
	require.ErrorContains(t, err, "no evidence store")

	ctx, stop := context.WithCancel(t.Context())
	cmd := newCommand()
	said, tell := io.Pipe()
	cmd.SetErr(tell)
	cmd.SetArgs([]string{"review", "--store", reviewed(t), "--listen", "127.0.0.1:0", "--mcp"})
	var ended error
	var done sync.WaitGroup
	done.Go(func() { ended = cmd.ExecuteContext(ctx) })
	line := make([]byte, 200)
	n, err := said.Read(line)
	require.NoError(t, err)
	at := regexp.MustCompile(`http://\S+`).FindString(string(line[:n]))
	res, err := http.Get(at + "/tasks/t-1")
	require.NoError(t, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.Contains(t, string(body), "execute_tool bash\ufffd")
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: at + "/mcp"}, nil)
	require.NoError(t, err)
	found, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "search", Arguments: map[string]any{"q": "eff-1"}})
	require.NoError(t, err)
	require.Contains(t, found.Content[0].(*mcp.TextContent).Text, `"/tasks?effect=eff-1"`)
	require.NoError(t, session.Close())
	stop()
	done.Wait()
	require.NoError(t, ended)
}
