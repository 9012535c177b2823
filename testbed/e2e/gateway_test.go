package e2e

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// certificate writes a self-signed certificate for loopback and its key.
func certificate(t *testing.T, dir string) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "gateway of a test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	require.NoError(t, err)
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	require.NoError(t, os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	require.NoError(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8}), 0o600))
	return cert, key
}

func TestAgentForwardsToAGatewayByTLSAndToken(t *testing.T) {
	dir := t.TempDir()
	cert, key := certificate(t, dir)
	token := filepath.Join(dir, "token")
	require.NoError(t, os.WriteFile(token, []byte("a-token-of-the-test-0001\n"), 0o600))

	gw := newMachine(t)
	gw.set.Preset = "gateway"
	gw.set.Env = []string{"OTELCOL_AGENT_TLS_CERT=" + cert, "OTELCOL_AGENT_TLS_KEY=" + key, "OTELCOL_AGENT_TOKEN_FILE=" + token}
	gateway := gw.start(noMetricsPort, decideSoon, "--config=yaml:connectors::agentevents::wait: 10ms", "--config=yaml:extensions::review::mcp: {enabled: true}")
	address := strings.TrimPrefix(gateway.Endpoint, "http://")

	pool := x509.NewCertPool()
	root, err := os.ReadFile(cert)
	require.NoError(t, err)
	require.True(t, pool.AppendCertsFromPEM(root))
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
	for _, header := range []string{"", "Bearer ", "Bearer wrong-token-wrong-token"} {
		req, err := http.NewRequest(http.MethodPost, "https://"+address+"/v1/traces", bytes.NewReader(trace(7)))
		require.NoError(t, err)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", header)
		resp, err := client.Do(req)
		require.NoError(t, err)
		resp.Body.Close()
		require.Equal(t, http.StatusUnauthorized, resp.StatusCode, "%q", header)
	}
	for header, want := range map[string]int{"": http.StatusUnauthorized, "Bearer wrong-token-wrong-token": http.StatusUnauthorized, "Bearer a-token-of-the-test-0001": http.StatusOK} {
		for _, path := range []string{"/tasks", "/static/app.css", "/api/v1/tasks"} {
			req, err := http.NewRequest(http.MethodGet, strings.Replace(gateway.Review, "http:", "https:", 1)+path, http.NoBody)
			require.NoError(t, err)
			req.Header.Set("Authorization", header)
			resp, err := client.Do(req)
			require.NoError(t, err)
			resp.Body.Close()
			require.Equal(t, want, resp.StatusCode, "%s with %q", path, header)
		}
	}
	// A browser asks its user for a name and a password, and the token is the password.
	for password, want := range map[string]int{"": http.StatusUnauthorized, "wrong-token-wrong-token": http.StatusUnauthorized, "a-token-of-the-test-0001": http.StatusOK} {
		req, err := http.NewRequest(http.MethodGet, strings.Replace(gateway.Review, "http:", "https:", 1)+"/tasks", http.NoBody)
		require.NoError(t, err)
		if password != "" {
			req.SetBasicAuth("dana", password)
		}
		resp, err := client.Do(req)
		require.NoError(t, err)
		resp.Body.Close()
		require.Equal(t, want, resp.StatusCode)
		if want == http.StatusUnauthorized {
			require.Contains(t, resp.Header.Get("WWW-Authenticate"), "Basic realm=")
		}
	}

	for i, target := range []string{"https://" + address, "grpcs://" + gateway.GRPC} {
		m := newMachine(t)
		m.set.Env = []string{"OTELCOL_AGENT_GATEWAY=" + target, "OTELCOL_AGENT_GATEWAY_CA=" + cert, "OTELCOL_AGENT_TOKEN_FILE=" + token}
		p := m.start(decideSoon)
		for _, r := range incident(t).Requests {
			m.send(p, r.Body)
		}
		m.send(p, []byte(failing(i)))
		require.Eventually(t, func() bool { return len(gw.tasks()) == 2+i }, 60*time.Second, 500*time.Millisecond,
			"what was decided here is there")
		require.NoError(t, p.Stop())
		require.Len(t, m.tasks(), 2, "the local store keeps it too")
	}
	// An agent asks for the same report, by the door of the pages.
	for header, want := range map[string]int{"": http.StatusUnauthorized, "Bearer wrong-token-wrong-token": http.StatusUnauthorized, "Bearer a-token-of-the-test-0001": http.StatusOK} {
		req, err := http.NewRequest(http.MethodPost, strings.Replace(gateway.Review, "http:", "https:", 1)+"/mcp",
			strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_report","arguments":{"id":"t-deploy"}}}`))
		require.NoError(t, err)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		req.Header.Set("Authorization", header)
		resp, err := client.Do(req)
		require.NoError(t, err)
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		resp.Body.Close()
		require.Equal(t, want, resp.StatusCode, "%q", header)
		require.Equal(t, want == http.StatusOK, strings.Contains(string(body), `"span_id":"b200000000000004"`), "%s", body)
	}
	require.NoError(t, gateway.Stop())

	require.Len(t, gw.tasks(), 3, "sent by two machines, stored once")
	report := gw.report("t-deploy")
	require.Equal(t, "b200000000000004", report.Attribution.SpanID, "the gateway comes to the same answer")
	require.Equal(t, "security_denial", report.Keep.Class)
	require.Len(t, report.Decisions, 1)
	require.True(t, report.Decisions[0].Bypass, "records that were joined before make no call of their own")
	require.Zero(t, gw.count("quarantine"))
}

// decideSoon is for tests that wait for a decision of tailpolicy.
const decideSoon = "--config=yaml:processors::tailpolicy::decision_wait: 1s"

// TestOnlyRedactedDataLeavesTheMachine stands in for a gateway and reads what
// arrives.
func TestOnlyRedactedDataLeavesTheMachine(t *testing.T) {
	var mu sync.Mutex
	var got bytes.Buffer
	paths := map[string]bool{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		paths[r.URL.Path] = true
		_, _ = io.Copy(&got, r.Body)
		w.Header().Set("Content-Type", r.Header.Get("Content-Type"))
	}))
	defer server.Close()

	m := newMachine(t)
	m.set.Env = []string{"OTELCOL_AGENT_GATEWAY=" + server.URL}
	p := m.start(decideSoon, "--config=yaml:exporters::otlp_http/upstream: {encoding: json, compression: none}")
	m.send(p, salted(t, "claude_code.json"), salted(t, "openinference_langgraph.json"), textEverywhere(), logsEverywhere())
	require.Eventually(t, func() bool {
		mu.Lock()
		defer mu.Unlock()
		return bytes.Contains(got.Bytes(), []byte("toolu_01EXAMPLEREJ")) && paths["/v1/traces"]
	}, 60*time.Second, 100*time.Millisecond, "runs are sent when they are decided")
	require.NoError(t, p.Stop())

	require.Equal(t, map[string]bool{"/v1/traces": true, "/v1/logs": true}, paths)
	require.Contains(t, got.String(), "toolu_01EXAMPLEREJ", "a denied call is always sent")
	require.NotContains(t, got.String(), canary)
	require.NotContains(t, got.String(), "@corp.example")
}

func TestGatewayOfTheEnvironmentIsTheOnlyWayOut(t *testing.T) {
	m := newMachine(t)
	out := m.try("print-config", "--config=preset:agent", "--format=json")
	require.Zero(t, out.Code, out.Stderr)
	var conf struct {
		Exporters map[string]any `json:"exporters"`
	}
	require.NoError(t, json.Unmarshal([]byte(out.Stdout), &conf))
	require.Len(t, conf.Exporters, 2)
	require.Contains(t, conf.Exporters, "evidencestore")
	require.Contains(t, conf.Exporters, "nop")
}
