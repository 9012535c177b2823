package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/internal/connect"
)

// printed is what `connect` says of an agent on a machine.
func (m *machine) printed(agent string) connect.Settings {
	m.Helper()
	var s connect.Settings
	require.NoError(m, json.Unmarshal([]byte(m.run("connect", agent, "--format=json")), &s))
	return s
}

// command is one as an agent of this machine would start it.
func (m *machine) command(name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(m.context(), name, args...)
	cmd.Env = []string{"HOME=" + m.set.Home, "XDG_DATA_HOME=" + filepath.Join(m.set.Home, "data"), "PATH=" + os.Getenv("PATH")}
	cmd.Dir = m.set.Home
	return cmd
}

// says runs a command to its end.
func (m *machine) says(in []byte, name string, args ...string) string {
	m.Helper()
	cmd := m.command(name, args...)
	cmd.Stdin = bytes.NewReader(in)
	out, err := cmd.Output()
	require.NoError(m, err)
	return string(out)
}

func journalOf(t *testing.T, file string) [][]byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(codingCorpus, file))
	require.NoError(t, err)
	return bytes.Split(bytes.TrimSpace(b), []byte("\n"))
}

// What `connect` prints for agents that send nothing makes journals that the presets
// read: the hook as a shell runs it, the tap between two programs, the plugin in its
// own language.
func TestJournalsThatConnectSetsUp(t *testing.T) {
	m := newMachine(t)
	m.set.Home = filepath.Join(m.set.Home, "a [b] c")
	require.NoError(t, os.Mkdir(m.set.Home, 0o700))

	var hooks struct {
		Hooks map[string][]struct{ Command string }
	}
	require.NoError(t, json.Unmarshal([]byte(m.printed("cursor").Ways[0].Text), &hooks))
	lines := journalOf(t, "cursor_hooks.native.jsonl")
	for _, line := range lines {
		var said struct {
			Event string `json:"hook_event_name"`
		}
		require.NoError(t, json.Unmarshal(line, &said))
		require.NotEmpty(t, hooks.Hooks[said.Event], said.Event)
		require.JSONEq(t, `{}`, m.says(line, "sh", "-c", hooks.Hooks[said.Event][0].Command), "a hook decides nothing")
	}
	n := len(lines)

	// The agent says lines 0, 1 and 3, 4 of the sample; the editor asks, and answers line 2.
	lines = journalOf(t, "acp.native.jsonl")
	sample := filepath.Join(m.set.Home, "agent.jsonl")
	require.NoError(t, os.WriteFile(sample, append(bytes.Join(lines, []byte("\n")), '\n'), 0o600))
	tap := m.command(binary, "journal", "acp", "--", "sh", "-c", `read -r a; sed -n 1,2p "$0"; read -r b; sed -n '4,$p' "$0"`, sample)
	in, err := tap.StdinPipe()
	require.NoError(t, err)
	out, err := tap.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, tap.Start())
	said := bufio.NewScanner(out)
	for i, ask := range []string{`{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"sess_1","prompt":[]}}`, string(lines[2])} {
		_, err = io.WriteString(in, ask+"\n")
		require.NoError(t, err)
		for _, line := range [][][]byte{lines[:2], lines[3:]}[i] {
			require.True(t, said.Scan())
			require.Equal(t, string(line), said.Text())
		}
	}
	require.NoError(t, tap.Wait())
	n += len(lines) + 1

	if node, err := exec.LookPath("node"); err == nil {
		plugin := filepath.Join(m.set.Home, "plugin.mjs")
		require.NoError(t, os.WriteFile(plugin, []byte(m.printed("opencode").Ways[0].Text), 0o600))
		m.says(nil, node, "--input-type=module", "-e", `
			const { OtelcolAgent } = await import("./plugin.mjs")
			const { event } = await OtelcolAgent({})
			const time = { created: Date.now() }
			await event({ event: { type: "message.updated", properties: { info: { id: "msg_u", sessionID: "ses_1", role: "user", agent: "build", time } } } })
			await event({ event: { type: "message.part.updated", properties: { part: { type: "text", text: "SECRETWORD" } } } })
			await event({ event: { type: "session.diff", properties: { diff: "SECRETWORD" } } })`)
		n++
		files, err := filepath.Glob(filepath.Join(strings.ReplaceAll(m.set.Home, "[", `\[`), "data/otelcol-agent/journals/opencode/*.jsonl"))
		require.NoError(t, err)
		require.Len(t, files, 1)
		written, err := os.ReadFile(files[0])
		require.NoError(t, err)
		require.NotContains(t, string(written), "SECRETWORD", "what nobody reads is not written")
	}

	p := m.start("--config=preset:journals/cursor", "--config=preset:journals/acp", "--config=preset:journals/opencode")
	m.records(p, n)
	require.NoError(t, p.Stop())
	require.Equal(t, n, m.count("events"))
	agents := map[string]bool{}
	for _, run := range m.runs() {
		for _, s := range run.Spans {
			agents[s.Service] = true
			if s.Service == "cursor" && s.Attrs.Str("gen_ai.tool.call.id") == "tool-0001" {
				require.Positive(t, s.End-s.Start, "the hooks' own times, though all lines were read at once")
			}
			if s.Attrs.Str("gen_ai.tool.call.id") == "call_001" {
				require.Equal(t, "allow", s.Attrs.Str("app.permission.decision"), "both directions are one journal")
			}
		}
	}
	require.True(t, agents["cursor"] && agents["acp"], "%v", agents)
}
