package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// where returns the spans of a run that have an attribute value.
func where(run evidence.Run, key, value string) []evidence.Span {
	var out []evidence.Span
	for _, s := range run.Spans {
		if s.Attrs.Str(key) == value {
			out = append(out, s)
		}
	}
	return out
}

func oneWhere(t *testing.T, run evidence.Run, key, value string) evidence.Span {
	t.Helper()
	spans := where(run, key, value)
	require.Len(t, spans, 1, "%s=%s", key, value)
	return spans[0]
}

// runWithSpans returns the one run that has spans.
func runWithSpans(t *testing.T, runs []evidence.Run) evidence.Run {
	t.Helper()
	var found []evidence.Run
	for _, r := range runs {
		if len(r.Spans) > 0 {
			found = append(found, r)
		}
	}
	require.Len(t, found, 1)
	return found[0]
}

func TestClaudeCodeEventsBecomeOneTraceATurn(t *testing.T) {
	m := newMachine(t)
	p := m.start()
	m.send(p, corpus(t, "claude_code.json"))
	require.NoError(t, p.Stop())

	run := runWithSpans(t, m.runs())
	traces, roots := map[evidence.TraceID]bool{}, 0
	var root evidence.Span
	for _, s := range run.Spans {
		traces[s.ID.Trace] = true
		if s.Parent == (evidence.SpanID{}) {
			root, roots = s, roots+1
		}
	}
	require.Len(t, traces, 1, "one trace a turn")
	require.Equal(t, 1, roots)
	require.Equal(t, "invoke_agent", root.Attrs.Str("gen_ai.operation.name"))
	require.Equal(t, "0c9f4d6a-1f2b-4c3d-8e4f-5a6b7c8d9e0f", root.Attrs.Str("app.turn.id"))

	answered := 0
	for _, chat := range where(run, "gen_ai.operation.name", "chat") {
		require.Equal(t, "claude-sonnet-5", chat.Attrs.Str("gen_ai.request.model"))
		if chat.Status == evidence.StatusError {
			continue
		}
		answered++
		input, _ := chat.Attrs.Int("gen_ai.usage.input_tokens")
		require.EqualValues(t, 18863, input, "cached tokens are counted as input")
		require.EqualValues(t, 2431e6, chat.End-chat.Start)
	}
	require.Equal(t, 1, answered)

	failed := oneWhere(t, run, "gen_ai.tool.call.id", "toolu_01EXAMPLEBASH")
	require.Equal(t, "execute_tool", failed.Attrs.Str("gen_ai.operation.name"))
	require.Equal(t, "allow", failed.Attrs.Str("app.permission.decision"))
	require.Equal(t, evidence.StatusError, failed.Status)
	rejected := oneWhere(t, run, "gen_ai.tool.call.id", "toolu_01EXAMPLEREJ")
	require.Equal(t, "execute_tool", rejected.Attrs.Str("gen_ai.operation.name"))
	require.Equal(t, "deny", rejected.Attrs.Str("app.permission.decision"))
	require.NotEqual(t, evidence.StatusError, rejected.Status, "a call that was refused did not fail")

	var listed bool
	for _, row := range m.tasks() {
		if row.Spans == 0 {
			continue
		}
		listed = true
		require.Equal(t, root.ID.Trace.String(), row.ID)
		require.Equal(t, len(run.Spans), row.Spans)
		report := m.report(row.ID[:12])
		require.Equal(t, []string{row.ID}, report.Traces)
		denied := 0
		for _, d := range report.Decisions {
			if d.Verdict == "deny" {
				denied++
				require.False(t, d.Bypass)
			}
		}
		require.Equal(t, 1, denied)
	}
	require.True(t, listed)
	require.Contains(t, m.run("task", root.ID.Trace.String()), "Bash")
}

func TestOpenInferenceComesOutInTheSameVocabulary(t *testing.T) {
	m := newMachine(t)
	p := m.start()
	m.send(p, corpus(t, "openinference_langgraph.json"))

	rows := m.tasks() // the collector is running
	require.Len(t, rows, 1)
	require.Equal(t, "938db8c9f82c8cb58d3f3ef4fd250036", rows[0].ID)
	require.Equal(t, 5, rows[0].Spans)

	run := runWithSpans(t, m.runs())
	chat := oneWhere(t, run, "gen_ai.operation.name", "chat")
	for key, want := range map[string]any{
		"gen_ai.provider.name":                     "anthropic",
		"gen_ai.response.model":                    "claude-sonnet-4-5-20250929",
		"gen_ai.usage.input_tokens":                int64(2150),
		"gen_ai.usage.output_tokens":               int64(48),
		"gen_ai.usage.cache_read.input_tokens":     int64(2000),
		"gen_ai.usage.cache_creation.input_tokens": int64(100),
		"gen_ai.conversation.id":                   "thread-77",
	} {
		require.Equal(t, want, chat.Attrs[key], key)
	}
	tool := oneWhere(t, run, "gen_ai.operation.name", "execute_tool")
	require.Equal(t, "get_order", tool.Attrs.Str("gen_ai.tool.name"))
	require.Equal(t, "toolu_01A", tool.Attrs.Str("gen_ai.tool.call.id"))
}

func TestAnUnknownRecordIsStoredRedacted(t *testing.T) {
	m := newMachine(t)
	p := m.start()
	m.send(p, []byte(`{"resourceLogs":[{"resource":{},"scopeLogs":[{"logRecords":[{"body":{"stringValue":"no name, no time, no context"}}]}]}]}`))
	m.send(p, []byte(`{"resourceLogs":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"somebody"}}]},
		"scopeLogs":[{"logRecords":[{"timeUnixNano":"1796040000000000000","eventName":"never.heard.of",
		"traceId":"0123456789abcdef0123456789abcdef","spanId":"0123456789abcdef",
		"attributes":[{"key":"odd.number","value":{"intValue":"7"}},{"key":"odd.contact","value":{"stringValue":"ask jo.public@example.org"}}]}]}]}]}`))
	require.NoError(t, p.Stop())

	var records []evidence.Record
	for _, run := range m.runs() {
		records = append(records, run.Records...)
	}
	require.Equal(t, 2, m.count("events"), "the one that belongs to no run, too")
	require.Len(t, records, 1)
	require.Equal(t, "never.heard.of", records[0].Event)
	require.Equal(t, "somebody", records[0].Service)
	require.EqualValues(t, 7, records[0].Attrs["odd.number"])
	require.Contains(t, records[0].Attrs, "odd.contact")
	require.NotContains(t, records[0].Attrs.Str("odd.contact"), "jo.public@example.org")
}
