package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/testbed/collector"
)

// appendTo writes to the end of a file, as an agent does to its journal.
func appendTo(t *testing.T, file string, lines []byte) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	_, err = f.Write(lines)
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

// records waits until so many log records are stored.
func (m *machine) records(p *collector.Process, n int) {
	m.Helper()
	require.Eventually(m, func() bool {
		_, err := os.Stat(m.store())
		return err == nil && m.count("events") >= n
	}, 20*time.Second, 100*time.Millisecond, "%d records", n)
	_ = p
}

// A journal that grows while the collector is away is read on from where it
// stopped, the half line at its end included, and its turn is one trace.
func TestAJournalIsReadOnAfterARestart(t *testing.T) {
	body, err := os.ReadFile(filepath.Join(codingCorpus, "kimi_code_wire.native.jsonl"))
	require.NoError(t, err)
	lines := bytes.SplitAfter(body, []byte("\n"))
	m := newMachine(t)
	file := filepath.Join(m.set.Home, ".kimi-code/sessions/ws/session_1/agents/main/wire.jsonl")
	appendTo(t, file, bytes.Join(lines[:8], nil))
	appendTo(t, file, lines[8][:20])

	p := m.start("--config=preset:journals/kimi")
	m.records(p, 8)
	require.NoError(t, p.Stop())
	appendTo(t, file, lines[8][20:])
	p = m.start("--config=preset:journals/kimi")
	m.records(p, 9)
	p.Kill() // what it read is stored, and how far it read
	appendTo(t, file, bytes.Join(lines[9:], nil))
	require.NoError(t, os.Rename(file, file+".1"))
	appendTo(t, file, []byte(`{"type":"metadata","protocol_version":"1.5","created_at":1795996900000}`+"\n"))
	appendTo(t, filepath.Join(filepath.Dir(file), "wire.jsonl"), nil)
	require.NoError(t, os.Rename(file, file+".2"))
	require.NoError(t, os.Rename(file+".1", file))
	p = m.start("--config=preset:journals/kimi")
	m.records(p, len(lines)-1)
	require.NoError(t, p.Stop())

	require.Equal(t, len(lines)-1, m.count("events"), "no line is lost and none is there twice")
	run := runWithSpans(t, m.runs())
	tool := oneWhere(t, run, "gen_ai.tool.call.id", "Bash:0")
	require.Equal(t, "allow", tool.Attrs.Str("app.permission.decision"), "the answer was read by one process, the result by another")
	require.Equal(t, evidence.StatusError, tool.Status)
	chat := oneWhere(t, run, "gen_ai.operation.name", "chat")
	require.Equal(t, "session_1", chat.Attrs.Str("app.session.id"))
	traces := map[evidence.TraceID]bool{}
	for _, s := range run.Spans {
		traces[s.ID.Trace] = true
	}
	require.Len(t, traces, 1)
}

// A process that is killed while it reads a long journal has not written how far it
// came. The next one reads the file again, and the store knows its lines. The folder
// of the journal has a name that would be a pattern; lines that are no JSON are kept
// without their text, and are no errors.
func TestAJournalThatIsReadAgainIsThereOnce(t *testing.T) {
	m := newMachine(t)
	m.set.Home = filepath.Join(m.set.Home, "a [b]* c")
	require.NoError(t, os.Mkdir(m.set.Home, 0o700))
	var lines bytes.Buffer
	const n = 3000
	for i := range n {
		fmt.Fprintf(&lines, `{"type":"usage.record","turnId":"1","usageScope":"turn","time":%d}`+"\n", 1795996800000+i)
	}
	lines.WriteString("an open SECRETWORD\n")
	file := filepath.Join(m.set.Home, ".kimi-code/sessions/ws/session_1/agents/main/wire.jsonl")
	appendTo(t, file, lines.Bytes())
	for range 2 {
		p := m.start("--config=preset:journals/kimi")
		before := 0
		if _, err := os.Stat(m.store()); err == nil {
			before = m.count("events")
		}
		m.records(p, min(before+100, n))
		p.Kill()
		require.NotContains(t, p.Stderr(), "error")
	}
	p := m.start("--config=preset:journals/kimi")
	m.records(p, n+1)
	require.NoError(t, p.Stop())
	require.Equal(t, n+1, m.count("events"))
	require.NotContains(t, p.Stderr(), "SECRETWORD")
	stored, err := os.ReadFile(m.store())
	require.NoError(t, err)
	require.NotContains(t, string(stored), "SECRETWORD")
}

// Log events and spans of one turn, sent to the preset in either order, are one
// tree in which nothing is twice; the events alone, with the context of a parent
// that sends no spans here, are a tree of their own.
func TestClaudeCodesEventsAndSpansAreOneTree(t *testing.T) {
	events, spans := coding(t, "claude_code.json"), coding(t, "claude_code_traces.json")
	for name, bodies := range map[string][][]byte{"events first": {events, spans}, "spans first": {spans, events}} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			p := m.start()
			m.send(p, bodies...)
			require.NoError(t, p.Stop())
			run := runWithSpans(t, m.runs())
			bash := theCall(t, run, "toolu_01EXAMPLEBASH")
			require.Equal(t, "accept/user_temporary", bash.Attrs.Str("app.permission.raw"))
			require.EqualValues(t, 5641e6, bash.End-bash.Start, "the span's own time")
			answered := oneWhere(t, run, "app.request.id", "req_011EXAMPLE0001")
			cost, _ := answered.Attrs["app.usage.cost"].(float64)
			require.InDelta(t, 0.010742, cost, 1e-9, "only the event has the cost")
			rejected := theCall(t, run, "toolu_01EXAMPLEREJ")
			require.Equal(t, bash.ID.Trace, rejected.ID.Trace, "a call without a span hangs in the tree of the others")
			roots := 0
			for _, s := range run.Spans {
				if s.Parent == (evidence.SpanID{}) {
					roots++
				}
			}
			require.Equal(t, 1, roots)
		})
	}
	t.Run("events alone", func(t *testing.T) {
		m := newMachine(t)
		p := m.start()
		m.send(p, bytes.ReplaceAll(events, []byte(`"attributes": [
        {
         "key": "user.id"`), []byte(`"traceId": "0af7651916cd43dd8448eb211c80319c", "spanId": "b7ad6b7169203331", "attributes": [
        {
         "key": "user.id"`)))
		require.NoError(t, p.Stop())
		run := runWithSpans(t, m.runs())
		bash := oneWhere(t, run, "gen_ai.tool.call.id", "toolu_01EXAMPLEBASH")
		require.Equal(t, "0af7651916cd43dd8448eb211c80319c", bash.ID.Trace.String())
	})
}

func coding(t *testing.T, file string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(codingCorpus, file))
	require.NoError(t, err)
	return b
}

// theCall is the one execute_tool span of a call; a span below it may have its id.
func theCall(t *testing.T, run evidence.Run, id string) evidence.Span {
	t.Helper()
	var found []evidence.Span
	for _, s := range where(run, "gen_ai.tool.call.id", id) {
		if s.Attrs.Str("gen_ai.operation.name") == "execute_tool" {
			found = append(found, s)
		}
	}
	require.Len(t, found, 1, id)
	return found[0]
}
