package e2e

import (
	"io"
	"net"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// tokens is a metric as a coding agent sends it, with an account's address.
var tokens = []byte(`{"resourceMetrics":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"some-agent"}}]},"scopeMetrics":[{"scope":{"name":"s"},"metrics":[
	{"name":"agent.tokens","unit":"{token}","sum":{"aggregationTemporality":2,"isMonotonic":true,"dataPoints":[
	{"startTimeUnixNano":"1796040000000000000","timeUnixNano":"1796040060000000000","asInt":"512","attributes":[
	{"key":"model","value":{"stringValue":"example-large-2"}},{"key":"user.email","value":{"stringValue":"jo.` + canary + `@corp.example"}}]}]}}]}]}]}`)

func TestMetricsAreAcceptedAndServedOnlyWhereAsked(t *testing.T) {
	silent := newMachine(t)
	p := silent.start()
	silent.send(p, tokens) // accepted, so that an agent does not complain

	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := l.Addr().String()
	require.NoError(t, l.Close())
	m := newMachine(t)
	m.set.Env = []string{"OTELCOL_AGENT_METRICS=" + address}
	p = m.start("--config=yaml:service::telemetry::metrics: {level: none, readers: []}")
	m.send(p, tokens)
	resp, err := http.Get("http://" + address + "/metrics")
	require.NoError(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Contains(t, string(text), "agent_tokens")
	require.Contains(t, string(text), " 512")
	require.NotContains(t, string(text), canary)
}
