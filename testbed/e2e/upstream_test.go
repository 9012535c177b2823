package e2e

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// standIn is a gateway that notes which log records it gets.
type standIn struct {
	mu  sync.Mutex
	got map[string]bool
}

func (g *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, word := range strings.FieldsFunc(string(body), func(c rune) bool { return c == '"' }) {
		if strings.HasPrefix(word, "task-of-a-record-") {
			g.got[word] = true
		}
	}
	w.Header().Set("Content-Type", r.Header.Get("Content-Type"))
}

func (g *standIn) count() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.got)
}

// record is a request of one log record of a task that is made of n.
func record(n int) string {
	return fmt.Sprintf(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"1796040000000000000","eventName":"app.tool.decided","attributes":[
		{"key":"app.permission.decision","value":{"stringValue":"allow"}},{"key":"app.task.id","value":{"stringValue":"task-of-a-record-%d"}}]}]}]}]}`, n)
}

// unreachable is an address that nothing listens on.
func unreachable(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	return l.Addr().String()
}

const plainJSON = "--config=yaml:exporters::otlp_http/upstream: {encoding: json, compression: none, retry_on_failure: {max_interval: 1s}}"

// TestAnUnreachableGatewayCostsTheLocalStoreNothing sends more requests than fit into a
// queue of the collector's default size, then restarts the agent, and only then is
// there a gateway.
func TestAnUnreachableGatewayCostsTheLocalStoreNothing(t *testing.T) {
	const requests = 1500
	address := unreachable(t)
	m := newMachine(t)
	m.set.Env = []string{"OTELCOL_AGENT_GATEWAY=http://" + address}
	p := m.start(plainJSON)
	var senders sync.WaitGroup
	for sender := range 10 {
		senders.Go(func() {
			for n := sender; n < requests; n += 10 {
				resp, err := http.Post(p.Endpoint+"/v1/logs", "application/json", strings.NewReader(record(n)))
				if err != nil || resp.StatusCode != http.StatusOK {
					t.Errorf("request %d: %v", n, err)
					return
				}
				resp.Body.Close()
			}
		})
	}
	senders.Wait()
	require.Equal(t, requests, m.count("events"), "everything is stored here")
	began := time.Now()
	require.NoError(t, p.Stop())
	require.Less(t, time.Since(began), soon, "a gateway that is away does not hold a stop")
	said := strings.Count(p.Stderr(), "\n")
	require.Contains(t, p.Stderr(), "connection refused", "that nothing is forwarded is said")
	require.Less(t, said, 40, "and not for every request:\n%s", p.Stderr())

	p = m.start(plainJSON) // the gateway is still away
	l, err := net.Listen("tcp", address)
	require.NoError(t, err)
	gateway := &standIn{got: map[string]bool{}}
	server := &httptest.Server{Listener: l, Config: &http.Server{Handler: gateway}}
	server.Start()
	defer server.Close()
	require.Eventually(t, func() bool { return gateway.count() == requests }, time.Minute, 50*time.Millisecond,
		"what waited is sent, over a restart")
	require.NoError(t, p.Stop())
}

// TestAFullQueueDropsAndDoesNotRefuse: a queue that holds next to nothing.
func TestAFullQueueDropsAndDoesNotRefuse(t *testing.T) {
	m := newMachine(t)
	m.set.Env = []string{"OTELCOL_AGENT_GATEWAY=http://" + unreachable(t)}
	p := m.start("--config=yaml:exporters::otlp_http/upstream::sending_queue: {sizer: requests, queue_size: 1, batch: {sizer: items}}")
	for n := range 50 {
		m.send(p, []byte(record(n)), []byte(strings.Replace(string(trace(n)), `"attributes"`, `"status":{"code":2},"attributes"`, 1)))
	}
	require.Equal(t, 50, m.count("events"))
	require.Equal(t, 50, m.count("spans"))
	require.NoError(t, p.Stop())
	require.Contains(t, p.Stderr(), "queue is full", "that something is dropped is said")
	require.Less(t, strings.Count(p.Stderr(), "queue is full"), 10)
}

// TestKillLosesNothingOnItsWayUp ends an agent right after it has acknowledged the last
// request. What it said it has goes to the gateway that the next one finds: log records,
// and runs whose decision is made at once.
func TestKillLosesNothingOnItsWayUp(t *testing.T) {
	const requests = 60
	address := unreachable(t)
	m := newMachine(t)
	m.set.Env = []string{"OTELCOL_AGENT_GATEWAY=http://" + address}
	soonDecided := "--config=yaml:processors::tailpolicy: {decision_wait: 20ms}"
	p := m.start(plainJSON, soonDecided)
	for n := range requests {
		failed := strings.NewReplacer(`"attributes"`, `"status":{"code":2},"attributes"`, `"t-`, `"task-of-a-record-and-`).Replace(string(trace(n)))
		m.send(p, []byte(record(n)), []byte(failed))
		time.Sleep(10 * time.Millisecond)
	}
	p.Kill()
	l, err := net.Listen("tcp", address)
	require.NoError(t, err)
	gateway := &standIn{got: map[string]bool{}}
	server := &httptest.Server{Listener: l, Config: &http.Server{Handler: gateway}}
	server.Start()
	defer server.Close()
	p = m.start(plainJSON, soonDecided)
	require.Eventually(t, func() bool { return gateway.count() == 2*requests }, 20*time.Second, 50*time.Millisecond, "all that was acknowledged arrives")
	require.NoError(t, p.Stop())
}

func TestBadAddressesAreRefusedByValidate(t *testing.T) {
	for env, want := range map[string]string{
		"OTELCOL_AGENT_METRICS=banana":                       "OTELCOL_AGENT_METRICS must be host:port",
		"OTELCOL_AGENT_METRICS=127.0.0.1:70000":              "OTELCOL_AGENT_METRICS must be host:port",
		"OTELCOL_AGENT_GATEWAY=http://127.0.0.1:99999":       "OTELCOL_AGENT_GATEWAY must have a port from 1 to 65535",
		"OTELCOL_AGENT_GATEWAY=grpc://127.0.0.1":             "OTELCOL_AGENT_GATEWAY must have a port",
		"OTELCOL_AGENT_GATEWAY=https://gw.example:otlp/path": "OTELCOL_AGENT_GATEWAY must be https://host:port",
	} {
		m := newMachine(t)
		m.set.Env = []string{env}
		require.Contains(t, m.refused("validate"), want)
	}
}
