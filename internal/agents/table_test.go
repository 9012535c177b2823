package agents

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// agents are the rows of the table, each with the samples that show all it sends.
var agents = []struct {
	name    string
	samples []string
}{
	{"Claude Code, events", []string{"claude_code.json", "claude_code_before_ids", "claude_code_feedback_and_retries"}},
	{"Claude Code, beta traces", []string{"claude_code_traces.json", "claude_code_traces_abort"}},
	{"Codex CLI, events", []string{"codex.json", "codex_controls"}},
	{"Codex CLI, traces", []string{"codex_traces"}},
	{"Gemini CLI, events", []string{"gemini_cli_events"}},
	{"Gemini CLI, spans", []string{"gemini_cli_traces.json"}},
	{"Qwen Code, events", []string{"qwen_events"}},
	{"Qwen Code and its rebrands, spans", []string{"qwen_code.json", "qwen_rebrand", "qwen_spans_that_failed"}},
	{"Kimi Code, journal", []string{"kimi_code_wire.native.jsonl", "kimi_code_controls"}},
	{"Kimi Code, events sent home", []string{"kimi_code_events", "kimi_code_payload"}},
	{"Kimi CLI, journal", []string{"kimi_cli_wire"}},
	{"VS Code Copilot Chat", []string{"copilot_chat.json", "copilot_chat_events"}},
	{"Copilot CLI", []string{"copilot_cli"}},
	{"goose from 1.46", []string{"goose.json"}},
	{"Cline", []string{"cline.json", "cline_controls"}},
	{"OpenHands SDK", []string{"openhands"}},
	{"opencode, bus", []string{"opencode_bus"}},
	{"opencode, spans", []string{"opencode_spans"}},
	{"Kiro Enterprise", []string{"kiro_events"}},
	{"Cursor, hooks", []string{"cursor_hooks.native.jsonl", "cursor_hooks_sub_agent", "cursor_hooks_before_tools"}},
	{"Aider", []string{"aider_log"}},
	{"ACP", []string{"acp.native.jsonl", "acp_v2"}},
}

// concepts are the columns. Each says how a span shows it, "" if it does not.
var concepts = []struct {
	name string
	of   func(spans, *evidence.Span) string
}{
	{"session", key("app.session.id", "gen_ai.conversation.id")},
	{"turn", key("app.turn.id")},
	{"model", on("chat", "gen_ai.request.model")},
	{"tokens", on("chat", "gen_ai.usage.input_tokens")},
	{"cost", key("app.usage.cost", "app.usage.credits")},
	{"tool id", on("execute_tool", "gen_ai.tool.call.id")},
	{"decision", key("app.permission.decision")},
	{"sub-agent", subAgent},
	{"cancel", cancelled},
	{"retry", retried},
}

const (
	exact    = "exact"
	inferred = "inferred"
)

// key shows the first key that a span has.
func key(names ...string) func(spans, *evidence.Span) string {
	return func(_ spans, s *evidence.Span) string {
		for _, name := range names {
			if s.Attrs[name] == nil {
				continue
			}
			if slices.Contains(s.Attrs.Strings("app.mapping.inferred"), name) {
				return inferred
			}
			return exact
		}
		return ""
	}
}

// on is key on spans of one operation.
func on(operation, name string) func(spans, *evidence.Span) string {
	return func(all spans, s *evidence.Span) string {
		op := s.Attrs.Str("gen_ai.operation.name")
		if op == "generate_content" {
			op = "chat"
		}
		if op != operation {
			return ""
		}
		return key(name)(all, s)
	}
}

// subAgent: one with an id has its place stated, one by name alone hangs under the
// turn, and a handoff names two threads.
func subAgent(all spans, s *evidence.Span) string {
	if s.Attrs.Str("app.handoff.to") != "" {
		return inferred
	}
	parent := all[s.ID.Trace.String()+"/"+s.Parent.String()]
	if s.Attrs.Str("gen_ai.operation.name") != "invoke_agent" || parent == nil {
		if s.Attrs.Str("app.agent.instance.id") != "" && s.Attrs.Str("gen_ai.operation.name") == "chat" {
			return exact // its requests name it
		}
		return ""
	}
	if up := parent.Attrs.Str("gen_ai.operation.name"); up == "" && s.Attrs.Str("app.agent.instance.id") == "" && s.Attrs.Str("gen_ai.agent.name") == "" {
		return "" // a turn in a conversation
	}
	if s.Attrs.Str("app.agent.instance.id") == "" && s.Scope == "join" {
		return inferred
	}
	return exact
}

func cancelled(_ spans, s *evidence.Span) string {
	if s.Attrs.Str("app.control.kind") == "cancel" || s.Attrs.Str("app.permission.decision") == "abort" {
		return exact
	}
	return ""
}

func retried(_ spans, s *evidence.Span) string {
	if s.Attrs["app.request.attempt"] != nil {
		return exact
	}
	for _, e := range s.Events {
		switch e.Name {
		case "gen_ai.request.attempt":
			return exact
		case "app.inference.retried":
			if s.Attrs.Str("gen_ai.operation.name") == "chat" {
				return exact
			}
			return inferred // it names no request, so it is on the turn
		}
	}
	return ""
}

const tablePath = "../../docs/coding-agents.md"

// TestTable compares the table in the documentation with what the samples show;
// -update writes it.
func TestTable(t *testing.T) {
	b, err := os.ReadFile(tablePath)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(b), "<!-- table -->\n")
	_, after, closed := strings.Cut(rest, "<!-- end of table -->\n")
	if !ok || !closed {
		t.Fatal("the document has no place for the table")
	}
	want := before + "<!-- table -->\n" + table(t) + "<!-- end of table -->\n" + after
	if *update {
		if err := os.WriteFile(tablePath, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want != string(b) {
		t.Errorf("%s is not what the samples show; run go test ./internal/agents -run TestTable -update and review", tablePath)
	}
}

func table(t *testing.T) string {
	tables := compile(t)
	var b strings.Builder
	b.WriteString("| agent |")
	for _, c := range concepts {
		fmt.Fprintf(&b, " %s |", c.name)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(concepts)) + "\n")
	for _, a := range agents {
		found := make([]string, len(concepts))
		for _, name := range a.samples {
			got, _ := run(tables, sample(t, name))
			for _, s := range got {
				for i, c := range concepts {
					if how := c.of(got, s); how == exact || how != "" && found[i] == "" {
						found[i] = how
					}
				}
			}
		}
		fmt.Fprintf(&b, "| %s |", a.name)
		for _, how := range found {
			if how == "" {
				how = "–"
			}
			fmt.Fprintf(&b, " %s |", how)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func sample(t *testing.T, name string) telemetry {
	t.Helper()
	if strings.Contains(name, ".json") {
		return corpus(t, filepath.Join("../../testbed/corpus/coding", name))
	}
	archive, err := txtar.ParseFile(filepath.Join("testdata/agents", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	return parseInput(t, string(archive.Files[0].Data))
}
