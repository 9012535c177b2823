package e2e

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/testbed/collector"
)

// TestAGatewayWithAnotherTokenLosesNothing: the gateway's token is changed before the
// agents', and then changed back.
func TestAGatewayWithAnotherTokenLosesNothing(t *testing.T) {
	for _, protocol := range []string{"http", "grpc"} {
		t.Run(protocol, func(t *testing.T) {
			dir := t.TempDir()
			cert, key := certificate(t, dir)
			write := func(name, token string) string {
				path := filepath.Join(dir, name)
				require.NoError(t, os.WriteFile(path, []byte(token+"\n"), 0o600))
				return path
			}
			old, changed := write("old", "a-token-of-the-test-0001"), write("changed", "a-token-of-the-test-0002")
			addresses := map[string]string{"http": unreachable(t), "grpc": unreachable(t)}
			gw := newMachine(t)
			gw.set.Preset = "gateway"
			gateway := func(tokens string) *collector.Process {
				gw.set.Env = []string{"OTELCOL_AGENT_TLS_CERT=" + cert, "OTELCOL_AGENT_TLS_KEY=" + key, "OTELCOL_AGENT_TOKEN_FILE=" + tokens}
				return gw.start("--config=yaml:service::telemetry::metrics: {level: none, readers: []}",
					"--config=yaml:receivers::lenientotlp::endpoint: "+addresses["http"],
					"--config=yaml:receivers::otlp::protocols::grpc::endpoint: "+addresses["grpc"])
			}
			first := gateway(changed)

			m := newMachine(t)
			scheme := map[string]string{"http": "https://", "grpc": "grpcs://"}[protocol]
			m.set.Env = []string{"OTELCOL_AGENT_GATEWAY=" + scheme + addresses[protocol], "OTELCOL_AGENT_GATEWAY_CA=" + cert, "OTELCOL_AGENT_TOKEN_FILE=" + old}
			p := m.start("--config=yaml:exporters::otlp_" + protocol + "/upstream::retry_on_failure: {initial_interval: 100ms, max_interval: 1s}")
			for n := range 20 {
				m.send(p, []byte(record(n)))
			}
			require.Eventually(t, func() bool { return strings.Contains(p.Stderr(), "the credentials are not accepted") }, soon, 50*time.Millisecond)
			require.NoError(t, first.Stop())
			require.Zero(t, gw.count("events"))

			second := gateway(old)
			require.Eventually(t, func() bool { return gw.count("events") == 20 }, time.Minute, 50*time.Millisecond, "what waited is sent")
			require.NoError(t, p.Stop())
			require.NoError(t, second.Stop())
			require.NotContains(t, p.Stderr(), "Dropping data")
			require.NotContains(t, p.Stderr(), "a-token-of-the-test")
		})
	}
}

// TestAGatewayThatRefusesForGoodStillDrops: a bad request does not hold the queue.
func TestAGatewayThatRefusesForGoodStillDrops(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadRequest) }))
	defer server.Close()
	m := newMachine(t)
	m.set.Env = []string{"OTELCOL_AGENT_GATEWAY=" + server.URL}
	p := m.start(plainJSON)
	m.send(p, []byte(record(1)))
	require.Eventually(t, func() bool { return strings.Contains(p.Stderr(), "Dropping data") }, soon, 50*time.Millisecond)
	require.NoError(t, p.Stop())
}
