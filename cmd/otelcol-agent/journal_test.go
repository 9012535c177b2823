package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func journalSays(t *testing.T, in string, args ...string) (out, hints string, err error) {
	t.Helper()
	cmd := newCommand()
	var o bytes.Buffer
	h, err := os.CreateTemp(t.TempDir(), "")
	require.NoError(t, err)
	cmd.SetIn(strings.NewReader(in))
	cmd.SetOut(&o)
	cmd.SetErr(h)
	cmd.SetArgs(append([]string{"journal"}, args...))
	err = cmd.ExecuteContext(context.Background())
	told, problem := os.ReadFile(h.Name())
	require.NoError(t, problem)
	return o.String(), string(told), err
}

// lines are those of the journals of a program.
func lines(t *testing.T, home, program string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(home, "otelcol-agent/journals", program, "*.jsonl"))
	require.NoError(t, err)
	var all []string
	for _, file := range files {
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		all = append(all, strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")...)
	}
	return all
}

// A hook answers that it decides nothing, whatever becomes of what it was given.
func TestJournalOfAHook(t *testing.T) {
	home := t.TempDir()
	t.Setenv("XDG_DATA_HOME", home)
	for range 2 {
		out, _, err := journalSays(t, "{\"a\":\n1}\n", "cursor")
		require.NoError(t, err)
		require.Equal(t, "{}\n", out)
	}
	out, _, err := journalSays(t, "a secret", "cursor")
	require.EqualError(t, err, "a line of the journal must be one JSON object")
	require.Equal(t, "{}\n", out)
	all := lines(t, home, "cursor")
	require.Len(t, all, 2)
	require.Regexp(t, `^{"a":1,"journal_time":\d{13}}$`, all[0])

	t.Setenv("XDG_DATA_HOME", filepath.Join(home, "a file"))
	require.NoError(t, os.WriteFile(filepath.Join(home, "a file"), nil, 0o600))
	out, _, err = journalSays(t, "{}", "cursor")
	require.Error(t, err)
	require.Equal(t, "{}\n", out)
}

// A tap passes on both ways, keeps what is said in its order, and ends as the command.
func TestJournalOfACommand(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell here")
	}
	home := t.TempDir()
	t.Setenv("XDG_DATA_HOME", home)
	agent := `read -r a; echo '{"answer":1}'; echo not json; read -r b; printf '%s' "$b"; exit 3`
	out, hints, err := journalSays(t, "{\"ask\":1}\n{\"ask\":2}\n", "acp", "--", "sh", "-c", agent)
	var ended endedError
	require.ErrorAs(t, err, &ended)
	require.Equal(t, 3, ended.code)
	require.Equal(t, "{\"answer\":1}\nnot json\n{\"ask\":2}", out)
	require.Equal(t, 1, strings.Count(hints, "the journal is incomplete: a line of the journal must be one JSON object"))
	all := lines(t, home, "acp")
	require.Len(t, all, 3)
	require.Less(t, index(all, `{"ask":1,`), index(all, `{"answer":1,`))

	_, _, err = journalSays(t, "", "acp", "--", "sh", "-c", "kill -TERM $$")
	require.ErrorAs(t, err, &ended)
	require.Equal(t, 143, ended.code)

	_, _, err = journalSays(t, "", "acp", "--", filepath.Join(home, "no such agent"))
	require.ErrorContains(t, err, "no such file")
}

// Who ends the tap ends the command, in the way that it can end itself.
func TestJournalOfACommandThatIsEnded(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell here")
	}
	ctx, cancel := context.WithCancel(context.Background())
	in, out := io.Pipe()
	defer out.Close()
	ended := make(chan error, 1)
	w := journalWriter{folder: t.TempDir(), name: "a.jsonl", keep: time.Hour, now: time.Now}
	agent := `trap 'exit 0' TERM; echo ready; while :; do sleep 0.05; done`
	hears, says := io.Pipe()
	go func() { ended <- w.tap(ctx, []string{"sh", "-c", agent}, in, says, io.Discard) }()
	_, err := hears.Read(make([]byte, 6))
	require.NoError(t, err)
	cancel()
	require.NoError(t, <-ended)
}

func index(all []string, prefix string) int {
	for i, line := range all {
		if strings.HasPrefix(line, prefix) {
			return i
		}
	}
	return len(all)
}

func TestJournalWrongUsage(t *testing.T) {
	var usage usageError
	for _, args := range [][]string{{}, {"kimi"}, {"../x"}, {"acp", "sh"}, {"--", "acp"}, {"cursor", "--keep", "x"}, {"cursor", "--keep", "0s"}} {
		_, _, err := journalSays(t, "{}", args...)
		require.ErrorAs(t, err, &usage, "%q", args)
	}
}
