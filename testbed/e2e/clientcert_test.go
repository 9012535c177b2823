package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestAGatewayWithAClientCATakesItsAgents: a certificate is enough where the gateway
// names a CA alone; where it names tokens too, an agent needs both.
func TestAGatewayWithAClientCATakesItsAgents(t *testing.T) {
	cert, key := certificate(t, t.TempDir())
	agentCert, agentKey := certificate(t, t.TempDir())
	token := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(token, []byte("a-token-of-the-test-0001\n"), 0o600))
	const wait = "--config=yaml:service::telemetry::metrics: {level: none, readers: []}"

	for name, tokens := range map[string][]string{"a CA": nil, "a CA and tokens": {"OTELCOL_AGENT_TOKEN_FILE=" + token}} {
		t.Run(name, func(t *testing.T) {
			gw := newMachine(t)
			gw.set.Preset = "gateway"
			gw.set.Env = append([]string{"OTELCOL_AGENT_TLS_CERT=" + cert, "OTELCOL_AGENT_TLS_KEY=" + key, "OTELCOL_AGENT_TLS_CLIENT_CA=" + agentCert}, tokens...)
			gateway := gw.start(wait)

			for protocol, target := range map[string]string{
				"http": strings.Replace(gateway.Endpoint, "http://", "https://", 1), "grpc": "grpcs://" + gateway.GRPC,
			} {
				base := []string{"OTELCOL_AGENT_GATEWAY=" + target, "OTELCOL_AGENT_GATEWAY_CA=" + cert}
				own := []string{"OTELCOL_AGENT_GATEWAY_CERT=" + agentCert, "OTELCOL_AGENT_GATEWAY_KEY=" + agentKey}

				m := newMachine(t) // has one of what is needed, and then it has not enough
				m.set.Env = append(base[:len(base):len(base)], "OTELCOL_AGENT_TOKEN_FILE="+token)
				if tokens != nil {
					m.set.Env = append(base[:len(base):len(base)], own...)
				}
				p := m.start("--config=yaml:exporters::otlp_" + protocol + "/upstream::retry_on_failure: {initial_interval: 100ms, max_interval: 1s}")
				before := gw.count("events")
				m.send(p, []byte(record(before)))
				require.Eventually(t, func() bool { return strings.Contains(p.Stderr(), "Will retry") }, soon, 50*time.Millisecond)
				require.NoError(t, p.Stop())
				require.Equal(t, before, gw.count("events"))

				m.set.Env = append(append(base[:len(base):len(base)], own...), tokens...)
				p = m.start()
				require.Eventually(t, func() bool { return gw.count("events") == before+1 }, soon, 50*time.Millisecond, "what waited is sent")
				require.NoError(t, p.Stop())
			}
			require.NoError(t, gateway.Stop())
		})
	}
}
