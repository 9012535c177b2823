package e2e

import (
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/testbed/collector"
)

// page asks the review pages of a collector.
func page(t *testing.T, p *collector.Process, path string) (int, string) {
	t.Helper()
	res, err := http.Get(p.Review + path)
	require.NoError(t, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res.StatusCode, string(body)
}

// The collector shows the incident that it was sent: the first wrong step without a
// click, the other trace and the way back with one each, and the report as the
// command prints it.
func TestReviewPagesShowTheIncident(t *testing.T) {
	ex := incident(t)
	m := newMachine(t)
	p := m.start(ex.Args()...)
	code, body := page(t, p, "/tasks")
	require.Equal(t, http.StatusOK, code)
	require.Contains(t, body, "No tasks yet")
	require.NoError(t, ex.Play(m.context(), p.Endpoint))

	_, body = page(t, p, "/tasks?class=security_denial")
	require.Contains(t, body, `href="/tasks/`+ex.Task+`"`)
	_, body = page(t, p, "/tasks/"+ex.Task)
	for _, want := range []string{"First wrong step", "tools/call kube_apply of deployer", "may have happened: sent, no receipt", "bypassed: it ran", "not obeyed by mcp", "8/10"} {
		require.Contains(t, body, want)
	}
	const step = "/traces/b27e5d1c8f0a4c639e14d7a2c5b80f02/spans/b200000000000004"
	require.Contains(t, body, `href="`+step+`"`)
	code, body = page(t, p, step)
	require.Equal(t, http.StatusOK, code)
	require.Contains(t, body, "first wrong step")
	_, body = page(t, p, "/traces/4a1f0c7d9b3e48a2a6d5c0b1e2f39701")
	require.Contains(t, body, "delegated from", "the caller's trace tells what came of it")
	_, body = page(t, p, "/search?q="+ex.Task)
	require.Contains(t, body, "Evidence supports", "search leads to the task")
	_, body = page(t, p, "/policy")
	require.Contains(t, body, "no-retry-without-receipt")

	_, body = page(t, p, "/api/v1/tasks/"+ex.Task)
	require.Equal(t, m.run("task", ex.Task, "--format=json"), body)
}

// What the redactor took out is on no page.
func TestReviewPagesHaveNoContent(t *testing.T) {
	m := newMachine(t)
	p := m.start()
	now := time.Now().UnixNano()
	attribute := func(key, value string) string {
		return fmt.Sprintf(`{"key":%q,"value":{"stringValue":%q}}`, key, value)
	}
	messages := `[{"role":"user","parts":[{"type":"text","content":"` + canary + ` wrote to jo.` + canary + `@corp.example"}]}]`
	m.send(p, []byte(fmt.Sprintf(`{"resourceSpans":[{"resource":{"attributes":[%s]},"scopeSpans":[{"spans":[{"traceId":"%s","spanId":"0101010101010101","name":"chat m","startTimeUnixNano":"%d","endTimeUnixNano":"%d","attributes":[%s]}]}]}]}`,
		attribute("service.name", "coder"), strings.Repeat("1a", 16), now, now+1000,
		strings.Join([]string{attribute("app.task.id", "t-canary"), attribute("gen_ai.operation.name", "chat"), attribute("gen_ai.input.messages", messages), attribute("gen_ai.system_instructions", canary),
			attribute("note", "this is what "+canary+" wrote"), attribute("enduser.id", "jo@corp.example")}, ","))))
	trace := hex.EncodeToString([]byte(strings.Repeat("\x1a", 16)))
	for _, path := range []string{"/tasks", "/tasks/t-canary", "/tasks/t-canary/graph", "/tasks/t-canary/report", "/traces/" + trace, "/traces/" + trace + "/spans/0101010101010101", "/quality", "/health",
		"/api/v1/tasks", "/api/v1/tasks/t-canary", "/api/v1/traces/" + trace + "/spans/0101010101010101"} {
		code, body := page(t, p, path)
		require.Equal(t, http.StatusOK, code, path)
		require.NotContains(t, body, canary, path)
		require.NotContains(t, body, "jo@corp", path)
	}
	_, body := page(t, p, "/traces/"+trace+"/spans/0101010101010101")
	require.Contains(t, body, "gen_ai.operation.name", "the step is there")
	code, _ := page(t, p, "/search?q="+canary)
	require.Equal(t, http.StatusOK, code)
	_, body = page(t, p, "/api/v1/search?q="+canary)
	require.Contains(t, body, `"hits": []`)
}
