package e2e

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/otelcol-agent/otelcol-agent/testbed/collector"
	"github.com/otelcol-agent/otelcol-agent/testbed/replay"
)

var tailKills = flag.Int("tail-kills", 5, "how often TestKillLosesNoProtectedRun kills; make kill-loop has 100")

// sink is a next component: it counts the spans that it took, by id, and is down
// now and then.
type sink struct {
	*httptest.Server
	mu   sync.Mutex
	took map[string]int
	down bool
}

func newSink(t *testing.T) *sink {
	s := &sink{took: map[string]int{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		req := ptraceotlp.NewExportRequest()
		if err != nil || req.UnmarshalProto(body) != nil {
			http.Error(w, "no OTLP", http.StatusBadRequest)
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.down {
			http.Error(w, "down", http.StatusServiceUnavailable)
			return
		}
		for _, rs := range req.Traces().ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, span := range ss.Spans().All() {
					s.took[span.TraceID().String()+"/"+span.SpanID().String()]++
				}
			}
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *sink) set(down bool) { s.mu.Lock(); s.down = down; s.mu.Unlock() }

// has counts the ids that were taken, and how often one was taken again.
func (s *sink) has(want map[string]bool) (here, again int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id := range want {
		if n := s.took[id]; n > 0 {
			here++
			again += n - 1
		}
	}
	return here, again
}

const tailOverlay = `
processors:
  tailpolicy:
    decision_wait: 1s
    baseline: {ratio: 0}
    memory_mib: 8
    storage: {directory: %q, max_mib: 256, fsync: 50ms}
exporters:
  otlp_http/sink:
    endpoint: %q
    compression: none
    sending_queue: {enabled: false}
    retry_on_failure: {enabled: false}
service:
  pipelines:
    traces/store: {receivers: [forward/clean, agentevents, evaluation], processors: [tailpolicy], exporters: [otlp_http/sink]}
`

// run of a request: one span, failed if it is to be protected.
func tailSpan(n int, failed bool) []byte {
	status := ""
	if failed {
		status = `,"status":{"code":2}`
	}
	return fmt.Appendf(nil, `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"%032x","spanId":"%016x","name":"step","kind":1,
		"startTimeUnixNano":"1796040000000000000","endTimeUnixNano":"1796040001000000000"%s,
		"attributes":[{"key":"house.note","value":{"stringValue":"%0512d"}}]}]}]}]}`, n+1, n+1, status, n)
}

// TestKillLosesNoProtectedRun ends the process at once, again and again on one
// storage, while senders wait for an answer, runs wait for their decision and the
// next component is down half of the time. Every protected run that was
// acknowledged arrives.
func TestKillLosesNoProtectedRun(t *testing.T) {
	m := newMachine(t)
	next := newSink(t)
	overlay := filepath.Join(m.set.Home, "tail.yaml")
	require.NoError(t, os.WriteFile(overlay, fmt.Appendf(nil, tailOverlay, filepath.Join(m.set.Home, "runs"), next.URL), 0o600))
	rnd := rand.New(rand.NewPCG(1, 1))
	var mu sync.Mutex
	protected, ordinary := map[string]bool{}, 0
	var slowest time.Duration
	start := func() *collector.Process {
		began := time.Now()
		p := m.start("--config=" + overlay)
		slowest = max(slowest, time.Since(began))
		return p
	}
	for round := range *tailKills {
		next.set(rnd.IntN(2) == 0)
		p := start()
		var senders sync.WaitGroup
		for sender := range 4 {
			senders.Go(func() {
				for i := 0; ; i++ {
					n := round*1_000_000 + sender*100_000 + i
					failed := i%5 == 0
					r, err := replay.Parse("", tailSpan(n, failed))
					if err != nil || replay.Send(context.Background(), p.Endpoint, r) != nil {
						return // the collector is gone
					}
					mu.Lock()
					if failed {
						protected[fmt.Sprintf("%032x/%016x", n+1, n+1)] = true
					} else {
						ordinary++
					}
					mu.Unlock()
				}
			})
		}
		time.Sleep(time.Duration(300+rnd.IntN(2500)) * time.Millisecond)
		p.Kill()
		senders.Wait()
	}
	next.set(false)
	p := start()
	here, again := 0, 0
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		if here, again = next.has(protected); here == len(protected) {
			break
		}
	}
	require.NoError(t, p.Stop(), "exit code 0")
	here, again = next.has(protected)
	t.Logf("killed %d times: %d protected runs acknowledged, %d lost, %d taken again; %d others acknowledged; slowest start %s",
		*tailKills, len(protected), len(protected)-here, again, ordinary, slowest.Round(10*time.Millisecond))
	require.NotEmpty(t, protected)
	require.Equal(t, len(protected), here, "acknowledged protected runs are lost")
}

// TestOneDirectoryOneCollector: a second collector on the directory says whose it is.
func TestOneDirectoryOneCollector(t *testing.T) {
	m := newMachine(t)
	next := newSink(t)
	overlay := filepath.Join(m.set.Home, "tail.yaml")
	require.NoError(t, os.WriteFile(overlay, fmt.Appendf(nil, tailOverlay, filepath.Join(m.set.Home, "runs"), next.URL), 0o600))
	p := m.start("--config=" + overlay)
	other := newMachine(t)
	other.set.Args = []string{"--config=" + overlay}
	_, err := collector.Start(m.context(), other.set)
	require.ErrorContains(t, err, "in use by another process")
	require.NoError(t, p.Stop())
}
