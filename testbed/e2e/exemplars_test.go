package e2e

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// scrape asks for OpenMetrics, the text that has exemplars.
func scrape(t *testing.T, address string) string {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, "http://"+address+"/metrics", nil)
	require.NoError(t, err)
	req.Header.Set("Accept", "application/openmetrics-text; version=1.0.0")
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return string(text)
}

var (
	exemplarLine = regexp.MustCompile(`(?m)^(\S+)\{.* # \{.*trace_id="([0-9a-f]{32})".*\}`)
	callsLine    = regexp.MustCompile(`(?m)^traces_span_metrics_calls_total\{[^}]*\} (\S+)`)
)

// call is one run of one span, of a service.
func call(n int) []byte {
	return bytes.Replace(trace(n), []byte(`"resource":{}`), []byte(`"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"coder"}}]}`), 1)
}

// TestExemplarsLeadToStoredRuns: a gateway counts every span before it samples,
// and every exemplar of its metrics names a run that its store has.
func TestExemplarsLeadToStoredRuns(t *testing.T) {
	runs := 60
	dir := t.TempDir()
	cert, key := certificate(t, dir)
	token := filepath.Join(dir, "token")
	require.NoError(t, os.WriteFile(token, []byte("a-token-of-the-test-0001\n"), 0o600))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	metrics := l.Addr().String()
	require.NoError(t, l.Close())

	gw := newMachine(t)
	gw.set.Preset = "gateway"
	gw.set.Env = []string{"OTELCOL_AGENT_TLS_CERT=" + cert, "OTELCOL_AGENT_TLS_KEY=" + key, "OTELCOL_AGENT_TOKEN_FILE=" + token, "OTELCOL_AGENT_METRICS=" + metrics}
	gateway := gw.start("--config=yaml:service::telemetry::metrics: {level: none, readers: []}",
		"--config=yaml:connectors::span_metrics::metrics_flush_interval: 500ms",
		"--config=yaml:processors::tailpolicy: {decision_wait: 1s, baseline: {ratio: 0.3}}")

	m := newMachine(t)
	m.set.Env = []string{"OTELCOL_AGENT_GATEWAY=https://" + strings.TrimPrefix(gateway.Endpoint, "http://"), "OTELCOL_AGENT_GATEWAY_CA=" + cert, "OTELCOL_AGENT_TOKEN_FILE=" + token}
	p := m.start("--config=yaml:processors::tailpolicy: {decision_wait: 100ms, baseline: {ratio: 1}}")
	for i := range runs {
		m.send(p, call(i+1))
	}

	found := exemplarLine.FindAllStringSubmatch(scrape(t, metrics), -1)
	for try := 0; len(found) == 0; try++ {
		require.Less(t, try, 120, "no exemplar appeared in\n%s", scrape(t, metrics))
		time.Sleep(250 * time.Millisecond)
		if try%4 == 3 { // a flush has few exemplars, and the runs of all may have been dropped
			runs++
			m.send(p, call(runs))
		}
		found = exemplarLine.FindAllStringSubmatch(scrape(t, metrics), -1)
	}
	time.Sleep(3 * time.Second) // the decisions on all other runs
	require.NoError(t, p.Stop())
	text := scrape(t, metrics)
	found = exemplarLine.FindAllStringSubmatch(text, -1)
	require.NoError(t, gateway.Stop())

	stored := map[string]bool{}
	for _, run := range gw.runs() {
		for _, s := range run.Spans {
			stored[s.ID.Trace.String()] = true
		}
	}
	require.NotEmpty(t, found)
	require.NotEmpty(t, stored)
	require.Less(t, len(stored), runs, "the gateway must have sampled, or the test proves nothing")
	kinds := map[string]bool{}
	for _, line := range found {
		require.True(t, stored[line[2]], "%s has an exemplar of %s, which is not stored", line[1], line[2])
		kinds[line[1]] = true
		require.Contains(t, gw.run("task", line[2]), "t-", "the review of it opens")
	}
	require.True(t, kinds["traces_span_metrics_calls_total"] && kinds["traces_span_metrics_duration_seconds_bucket"], "%v", kinds)
	calls := 0.0
	for _, line := range callsLine.FindAllStringSubmatch(text, -1) {
		n, err := strconv.ParseFloat(line[1], 64)
		require.NoError(t, err)
		calls += n
	}
	require.Equal(t, float64(runs), calls, "every span is counted, before sampling")
}
