package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/internal/preview"
)

const someone = "ada.lovelace@example.com"

func redactRun(input string, args ...string) (stdout string, err error) {
	var out, errOut bytes.Buffer
	cmd := newCommand()
	cmd.SetArgs(append([]string{"redact"}, args...))
	cmd.SetIn(strings.NewReader(input))
	cmd.SetOut(&out)
	cmd.SetErr(&errOut)
	err = cmd.Execute()
	return out.String() + errOut.String(), err
}

func TestRedactShowsWhatWouldBeMasked(t *testing.T) {
	input := "to " + someone + " and " + someone
	out, err := redactRun(input)
	require.NoError(t, err)
	require.NotContains(t, out, someone)
	require.Contains(t, out, "2 values would be masked: 2 email")

	file := filepath.Join(t.TempDir(), "in.txt")
	require.NoError(t, os.WriteFile(file, []byte(input), 0o600))
	for _, args := range [][]string{{"--format", "json", file}, {"--format", "json", "-"}} {
		out, err = redactRun(input, args...)
		require.NoError(t, err)
		var r preview.Report
		require.NoError(t, json.Unmarshal([]byte(out), &r))
		require.Equal(t, int64(2), r.Values)
		require.Equal(t, r.Findings[0].Token, r.Findings[1].Token)
		require.Equal(t, "text", r.Format)
	}
}

func TestRedactChecks(t *testing.T) {
	out, err := redactRun("to "+someone, "--check")
	var masked maskedError
	require.True(t, errors.As(err, &masked))
	require.ErrorContains(t, err, "1 value would be masked")
	require.Contains(t, out, "email", "the report is printed too")
	_, err = redactRun("nothing", "--check")
	require.NoError(t, err)
}

func TestRedactTakesAPolicy(t *testing.T) {
	dir := t.TempDir()
	policy := func(text string) string {
		path := filepath.Join(dir, "policy.yaml")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	out, err := redactRun("to "+someone, "--policy", policy("detectors: {pii: []}\n"))
	require.NoError(t, err)
	require.Equal(t, "nothing would be masked\n", out)

	spans := `{"resourceSpans":[{"scopeSpans":[{"spans":[{"attributes":[{"key":"baggage","value":{"stringValue":"session=1,user=2"}}]}]}]}]}`
	out, err = redactRun(spans, "--policy", policy("baggage: {allow: [session]}\n"))
	require.NoError(t, err)
	require.Contains(t, out, "1 value would be masked: 1 baggage")

	keyed := policy("digest_key: a key that only tests use\n")
	one, err := redactRun("to "+someone, "--policy", keyed)
	require.NoError(t, err)
	two, err := redactRun("to "+someone, "--policy", keyed)
	require.NoError(t, err)
	require.Equal(t, one, two)
	three, err := redactRun("to " + someone)
	require.NoError(t, err)
	require.NotEqual(t, one, three)

	for text, want := range map[string]string{
		"nonsense: 1\n": "nonsense", "content: hash\n": "content must be drop, digest or keep", "- a\n": "must be YAML with keys of the redactor", "": "",
	} {
		_, err = redactRun("x", "--policy", policy(text))
		if want == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, want)
	}
	_, err = redactRun("x", "--policy", filepath.Join(dir, "none.yaml"))
	require.ErrorContains(t, err, "none.yaml")
	_, err = redactRun("", filepath.Join(dir, "none.txt"))
	require.ErrorContains(t, err, "none.txt")
}
