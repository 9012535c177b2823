package e2e

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"database/sql"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/testbed/collector"
)

// stall opens connections that hold a server: one that sends nothing, and a request
// whose body does not come. When it returns the server reads that body, which it says
// by asking for it ("100 Continue").
func stall(t *testing.T, p *collector.Process, config *tls.Config) {
	t.Helper()
	mute, err := net.Dial("tcp", p.GRPC)
	require.NoError(t, err)
	t.Cleanup(func() { mute.Close() })
	var half net.Conn
	address := strings.TrimPrefix(p.Endpoint, "http://")
	if config == nil {
		half, err = net.Dial("tcp", address)
	} else {
		half, err = tls.Dial("tcp", address, config)
	}
	require.NoError(t, err)
	t.Cleanup(func() { half.Close() })
	_, err = fmt.Fprintf(half, "POST /v1/traces HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer a-token-of-the-test-0001\r\nContent-Length: 1000\r\nExpect: 100-continue\r\n\r\n")
	require.NoError(t, err)
	require.NoError(t, half.SetReadDeadline(time.Now().Add(30*time.Second)))
	line, err := bufio.NewReader(half).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "HTTP/1.1 100 Continue\r\n", line)
	_, err = fmt.Fprint(half, "{\"res")
	require.NoError(t, err)
}

// soon is how long a stop may take that waits for receivers only.
const soon = 15 * time.Second

func TestStalledConnectionsDoNotHoldAStop(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	p := m.start()
	m.send(p, corpus(t, "claude_code.json"))
	stall(t, p, nil)
	began := time.Now()
	require.NoError(t, p.Stop(), "exit code 0")
	require.Less(t, time.Since(began), soon)
	require.Contains(t, p.Stderr(), "waiting for connections to end")
	run := runWithSpans(t, m.runs())
	require.NotEmpty(t, where(run, "gen_ai.operation.name", "invoke_agent"), "the turn that was still open is there")
}

// gatewayMachine is a gateway with a certificate and a token of the test.
func gatewayMachine(t *testing.T) (*machine, *tls.Config) {
	t.Helper()
	dir := t.TempDir()
	cert, key := certificate(t, dir)
	token := filepath.Join(dir, "token")
	require.NoError(t, os.WriteFile(token, []byte("a-token-of-the-test-0001\n"), 0o600))
	pool := x509.NewCertPool()
	root, err := os.ReadFile(cert)
	require.NoError(t, err)
	require.True(t, pool.AppendCertsFromPEM(root))
	m := newMachine(t)
	m.set.Preset = "gateway"
	m.set.Env = []string{"OTELCOL_AGENT_TLS_CERT=" + cert, "OTELCOL_AGENT_TLS_KEY=" + key, "OTELCOL_AGENT_TOKEN_FILE=" + token}
	return m, &tls.Config{RootCAs: pool}
}

const noMetricsPort = "--config=yaml:service::telemetry::metrics: {level: none, readers: []}"

// post sends a request to a gateway, which must accept it.
func (m *machine) post(p *collector.Process, config *tls.Config, signal, body string) {
	m.Helper()
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: config}}
	defer client.CloseIdleConnections()
	req, err := http.NewRequest(http.MethodPost, strings.Replace(p.Endpoint, "http:", "https:", 1)+"/v1/"+signal, strings.NewReader(body))
	require.NoError(m, err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer a-token-of-the-test-0001")
	resp, err := client.Do(req)
	require.NoError(m, err)
	defer resp.Body.Close()
	require.Equal(m, http.StatusOK, resp.StatusCode)
}

// failing is a request of one span that ended in an error: its run is kept.
func failing(n int) string {
	return strings.Replace(string(trace(n)), `"attributes"`, `"status":{"code":2},"attributes"`, 1)
}

func TestStalledConnectionsDoNotCostAGatewayItsPendingRuns(t *testing.T) {
	t.Parallel()
	m, config := gatewayMachine(t)
	p := m.start(noMetricsPort)
	for n := range 5 {
		m.post(p, config, "traces", failing(n))
	}
	stall(t, p, config)
	began := time.Now()
	require.NoError(t, p.Stop(), "exit code 0")
	require.Less(t, time.Since(began), soon)
	m.continues(5)
}

// continues starts a gateway again that was stopped with runs that it had not decided:
// they are on disk, and stored when their wait is over.
func (m *machine) continues(runs int) {
	m.Helper()
	p := m.start(noMetricsPort)
	require.Eventually(m, func() bool { return len(m.tasks()) == runs }, 60*time.Second, 500*time.Millisecond,
		"what was acknowledged and waited for a decision is stored")
	require.NoError(m, p.Stop())
}

// lock keeps other programs from writing to the store of the machine until unlock.
func (m *machine) lock() (unlock func()) {
	m.Helper()
	db, err := sql.Open("sqlite", "file:"+m.store()+"?_pragma=busy_timeout(5000)")
	require.NoError(m, err)
	m.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	_, err = db.Exec("BEGIN IMMEDIATE")
	require.NoError(m, err)
	return func() { require.NoError(m, db.Close()) }
}

func TestALockedStoreDoesNotHoldAStop(t *testing.T) {
	t.Parallel()
	t.Run("of an agent, which has acknowledged nothing that is not stored", func(t *testing.T) {
		m := newMachine(t)
		p := m.start()
		m.send(p, trace(1))
		m.lock()
		answered := make(chan int, 1)
		go func() {
			resp, err := http.Post(p.Endpoint+"/v1/traces", "application/json", strings.NewReader(string(trace(2))))
			if err != nil {
				answered <- 0
				return
			}
			resp.Body.Close()
			answered <- resp.StatusCode
		}()
		require.Eventually(t, func() bool { return strings.Contains(p.Stderr(), "is locked") }, 30*time.Second, 50*time.Millisecond,
			"that the store is locked is said while it is tried again")
		began := time.Now()
		require.NoError(t, p.Stop(), "exit code 0")
		require.Less(t, time.Since(began), 20*time.Second)
		require.NotEqual(t, http.StatusOK, <-answered)
	})
	t.Run("of a gateway, which goes on where it was", func(t *testing.T) {
		m, config := gatewayMachine(t)
		p := m.start(noMetricsPort)
		m.post(p, config, "traces", failing(1))
		unlock := m.lock()
		began := time.Now()
		require.NoError(t, p.Stop(), "exit code 0: nothing is lost")
		require.Less(t, time.Since(began), 30*time.Second)
		unlock()
		m.continues(1)
	})
}

// TestAComponentThatDoesNotStopDoesNotHoldTheProcess: an exporter without a timeout
// waits for a server that never answers.
func TestAComponentThatDoesNotStopDoesNotHoldTheProcess(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	m := newMachine(t)
	p := m.start("--config=yaml:exporters::otlp_http/hole: {endpoint: 'http://"+l.Addr().String()+"', timeout: 0s}",
		"--config=yaml:service::pipelines::traces/hole: {receivers: [forward/clean], exporters: [otlp_http/hole]}")
	m.send(p, trace(1))
	hole, err := l.Accept()
	require.NoError(t, err, "the exporter waits for an answer")
	t.Cleanup(func() { hole.Close() })
	began := time.Now()
	err = p.Stop()
	require.ErrorContains(t, err, "exit status 1")
	require.ErrorContains(t, err, "did not stop within")
	require.Less(t, time.Since(began), 40*time.Second)
	require.Len(t, m.tasks(), 1, "what was acknowledged is stored")
}
