package e2e

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// eventWith is a log event as a coding agent writes it, with one attribute more.
func eventWith(value string) string {
	at := time.Now().UnixNano()
	return fmt.Sprintf(`{"resourceLogs":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"claude-code"}}]},`+
		`"scopeLogs":[{"scope":{"name":"com.anthropic.claude_code.events"},"logRecords":[{"timeUnixNano":"%d","traceId":null,"body":{"stringValue":"claude_code.api_request"},`+
		`"attributes":[{"key":"event.name","value":{"stringValue":"api_request"}},{"key":"session.id","value":{"stringValue":"s"}},`+
		`{"key":"prompt.id","value":{"stringValue":"p"}},{"key":"model","value":{"stringValue":"m"}},{"key":"cost_usd","value":%s}]}]}]}]}`, at, value)
}

// A batch with a field that no decoder takes is kept, connect --check says that it
// came, and what cannot be mended is answered with its path and no value.
func TestOneBadFieldDoesNotCostTheBatch(t *testing.T) {
	m := newMachine(t)
	p := m.start()
	agent := semconv.Agents()[0]
	said := make(chan string, 1)
	go func() { said <- m.run("connect", "--check", agent.Name, "--endpoint", p.Endpoint, "--timeout", "1m") }()
	var arrived string
	for arrived == "" { // only what is sent after it began counts
		m.send(p, []byte(eventWith(`{"doubleValue":{}}`)))
		select {
		case arrived = <-said:
		case <-time.After(200 * time.Millisecond):
		}
	}
	require.Contains(t, arrived, "arrived: claude-code ("+agent.Dialect()+"): ")

	resp, err := http.Post(p.Endpoint+"/v1/logs", "application/json", strings.NewReader(eventWith(`{"doubleValue":"hunter2"}`)))
	require.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusBadRequest, resp.StatusCode)
	require.Contains(t, string(body), "$.resourceLogs[0].scopeLogs[0].logRecords[0].attributes[4].value.doubleValue: must be a number")
	require.NoError(t, p.Stop())
	require.NotContains(t, string(body)+p.Stderr(), "hunter2")
	require.Contains(t, p.Stderr(), "a request was refused")

	got := m.try("connect", "--check", "--endpoint", p.Endpoint)
	require.Equal(t, 1, got.Code)
	require.Contains(t, got.Stderr, "no collector listens at")
	require.Equal(t, 2, m.try("connect", "nobody").Code)
}
