package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence/ledger"
	"github.com/otelcol-agent/otelcol-agent/testbed/collector"
	"github.com/otelcol-agent/otelcol-agent/testbed/replay"
)

// kept is everything that is stored, by identity where it belongs to a run, and
// in numbers where it may not.
func (m *machine) kept() map[string]int {
	m.Helper()
	out := map[string]int{}
	for _, run := range m.runs() {
		for _, s := range run.Spans {
			out["span "+s.ID.String()]++
		}
		for _, r := range run.Records {
			out["record "+r.ID.String()]++
		}
	}
	for _, table := range []string{"spans", "links", "events", "decisions", "effects", "controls", "verdicts", "claims", "protocols", "extensions", "quarantine"} {
		out[table] = m.count(table)
	}
	return out
}

func TestSentTwiceIsStoredOnce(t *testing.T) {
	bodies := [][]byte{corpus(t, "claude_code.json"), corpus(t, "openinference_langgraph.json")}
	for _, r := range incident(t).Requests {
		bodies = append(bodies, r.Body)
	}
	m := newMachine(t)
	p := m.start()
	m.send(p, bodies...)
	require.NoError(t, p.Stop())
	want := m.kept()
	require.Equal(t, 11+10, want["events"], "11 records of Claude Code, 10 of the incident")
	require.Equal(t, 6+5+13, want["spans"])
	require.Zero(t, want["quarantine"])

	p = m.start()
	m.send(p, bodies...)
	m.send(p, bodies...)
	require.NoError(t, p.Stop())
	require.Equal(t, want, m.kept(), "after a restart, and again in one process")

	p = m.start()
	slices.Reverse(bodies)
	m.send(p, bodies...)
	require.NoError(t, p.Stop())
	require.Equal(t, want, m.kept(), "in another order")

	// Digests of content differ from machine to machine; ids of spans do not.
	other := newMachine(t)
	p = other.start()
	other.send(p, bodies...)
	require.NoError(t, p.Stop())
	require.Equal(t, m.spanIDs(), other.spanIDs(), "on another machine")
}

func (m *machine) spanIDs() map[string]int {
	m.Helper()
	ids := m.kept()
	maps.DeleteFunc(ids, func(id string, _ int) bool { return !strings.HasPrefix(id, "span ") })
	return ids
}

func TestSignalsEndTheCollectorAfterAFlush(t *testing.T) {
	for name, stop := range map[string]func(*collector.Process) error{
		"SIGTERM": (*collector.Process).Stop,
		"SIGINT":  (*collector.Process).Interrupt,
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			p := m.start()
			m.send(p, corpus(t, "claude_code.json"))
			require.NoError(t, stop(p), "exit code 0")
			run := runWithSpans(t, m.runs())
			require.NotEmpty(t, where(run, "gen_ai.operation.name", "invoke_agent"), "the turn that was still open is there")
		})
	}
}

func TestASignalRightAfterStartEndsItInOrder(t *testing.T) {
	m := newMachine(t)
	for range 5 {
		require.NoError(t, m.start().Stop())
	}
}

// trace is a request of one span whose ids are made of n.
func trace(n int) []byte {
	return fmt.Appendf(nil, `{"resourceSpans":[{"resource":{},"scopeSpans":[{"spans":[{"traceId":"%032x","spanId":"%016x","name":"step","kind":1,
		"startTimeUnixNano":"1796040000000000000","endTimeUnixNano":"1796040001000000000","attributes":[{"key":"app.task.id","value":{"stringValue":"t-%d"}}]}]}]}]}`, n+1, n+1, n)
}

// kills is how often TestKillLosesNothingThatWasAcknowledged kills.
const kills = 30

// TestKillLosesNothingThatWasAcknowledged ends the process at once while several
// senders are waiting for an answer, again and again on one store. What was
// acknowledged is there, once, and the log over the rows holds from the first
// checkpoint on.
func TestKillLosesNothingThatWasAcknowledged(t *testing.T) {
	m := newMachine(t)
	since := filepath.Join(t.TempDir(), "checkpoint")
	var mu sync.Mutex
	acknowledged := map[string]bool{}
	for round := range kills {
		p := m.start()
		var senders sync.WaitGroup
		enough := make(chan struct{})
		var once sync.Once
		for sender := range 4 {
			senders.Go(func() {
				for i := 0; ; i++ {
					n := round*1_000_000 + sender*100_000 + i
					r, err := replay.Parse("", trace(n))
					if err != nil || replay.Send(context.Background(), p.Endpoint, r) != nil {
						return // the collector is gone
					}
					mu.Lock()
					acknowledged[fmt.Sprintf("t-%d", n)] = true
					if len(acknowledged) >= 20*(round+1) {
						once.Do(func() { close(enough) })
					}
					mu.Unlock()
				}
			})
		}
		<-enough
		p.Kill()
		senders.Wait()
		if round%10 == 0 {
			m.hasTasks(acknowledged, "before anything repairs the file")
		}
		if round == 0 {
			m.run("verify", "--save", since)
		}
	}
	m.run("verify", "--since", since)
	require.NoError(t, m.start().Stop())
	m.run("store", "check")
	var report ledger.Report
	require.NoError(t, json.Unmarshal([]byte(m.run("verify", "--since", since, "--format=json")), &report))
	require.GreaterOrEqual(t, report.Present, int64(len(acknowledged)))
	t.Logf("killed %d times: %d spans acknowledged, all there, none twice, %d leaves hold", kills, len(acknowledged), report.Leaves)
	m.hasTasks(acknowledged, "after a start and a stop in order")
	require.Equal(t, "t-0", m.report("t-0").TaskID)
}

func (m *machine) hasTasks(want map[string]bool, when string) {
	m.Helper()
	have := map[string]bool{}
	for _, row := range m.tasks("--limit=100000") {
		require.False(m, have[row.ID], "task %s is there twice", row.ID)
		have[row.ID] = true
	}
	for id := range want {
		require.True(m, have[id], "%s was acknowledged and is lost, %s", id, when)
	}
}

func TestKillKeepsTheTurnThatWasOpen(t *testing.T) {
	m := newMachine(t)
	p := m.start()
	m.send(p, corpus(t, "claude_code.json"))
	p.Kill()
	require.Equal(t, 11, m.count("events"), "what was acknowledged is stored")
	// It waited for spans of the agent's own, and goes on after the start.
	p = m.start()
	require.Eventually(t, func() bool { return m.count("spans") > 0 }, 30*time.Second, 200*time.Millisecond)
	require.NoError(t, p.Stop())
	run := runWithSpans(t, m.runs())
	require.NotEmpty(t, where(run, "gen_ai.operation.name", "invoke_agent"))
	oneWhere(t, run, "gen_ai.tool.call.id", "toolu_01EXAMPLEREJ")
	require.Equal(t, 11, m.count("events"))
}
