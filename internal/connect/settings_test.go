package connect

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

func settings(t *testing.T, agent string, target Target) string {
	t.Helper()
	a, ok := semconv.FindAgent(agent)
	require.True(t, ok, agent)
	require.NoError(t, target.Validate())
	text, err := Settings(a, target)
	require.NoError(t, err)
	return text
}

// Agents that are set by variables: a shell that reads what is printed has them, and
// no flag that would send content.
func TestVariablesInAShell(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell here")
	}
	dir := filepath.Join(t.TempDir(), "it's here")
	require.NoError(t, os.Mkdir(dir, 0o700))
	token := filepath.Join(dir, "token")
	require.NoError(t, os.WriteFile(token, []byte("sesame-sesame-sesame\n"), 0o600))
	target := Target{Endpoint: "https://gateway.example:4318/", Token: true, TokenFile: token, CA: "/a b/ca.pem", Cert: "c.pem", Key: "k.pem"}
	for _, a := range semconv.Agents() {
		var prefix string
		file := a.Sends == ""
		for _, w := range a.Ways {
			prefix += w.OTLP
			file = file || w.File != ""
		}
		if file {
			continue
		}
		text := settings(t, a.Name, target)
		require.NotContains(t, text, "sesame")
		cmd := exec.Command(sh, "-euc", text+"env")
		cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
		out, err := cmd.Output()
		require.NoError(t, err, a.Name)
		env := string(out)
		for _, off := range a.Off {
			require.NotContains(t, env, off)
		}
		for _, w := range a.Ways {
			for _, v := range w.Variables {
				require.Contains(t, env, strings.ReplaceAll(v, "{{.Endpoint}}", "https://gateway.example:4318"))
			}
		}
		if prefix == "" {
			continue
		}
		for name, want := range map[string]string{
			"ENDPOINT": "https://gateway.example:4318", "PROTOCOL": "http/protobuf", "HEADERS": "Authorization=Bearer%20sesame-sesame-sesame",
			"CERTIFICATE": "/a b/ca.pem", "CLIENT_CERTIFICATE": "c.pem", "CLIENT_KEY": "k.pem",
		} {
			require.Contains(t, env, prefix+name+"="+want+"\n", a.Name)
		}
	}
}

// Agents with a settings file get its text, with a placeholder for the token.
func TestFiles(t *testing.T) {
	plain := Target{Endpoint: "http://127.0.0.1:4318"}
	for _, a := range semconv.Agents() {
		for _, w := range a.Ways {
			if w.File != "" {
				text := settings(t, a.Name, plain)
				require.Contains(t, text, "# into "+w.File+":\n")
				require.NotContains(t, text, "{{")
				require.NotContains(t, text, placeholder)
				if strings.Contains(w.Text, ".Token") {
					require.Contains(t, settings(t, a.Name, Target{Endpoint: plain.Endpoint, Token: true}), `"Bearer TOKEN"`)
				}
			}
		}
		if a.Sends == "" {
			require.Equal(t, "# "+a.Title+": "+a.Instead+"\n", settings(t, a.Name, plain))
		}
	}
}

func TestTargetRefused(t *testing.T) {
	for want, target := range map[string]Target{
		"endpoint must be http://host:port":             {Endpoint: "127.0.0.1:4318"},
		"endpoint must be http://host:port or":          {Endpoint: `http://a"b:1`},
		"endpoint must be a scheme, a host and a port":  {Endpoint: "http://h:1/v1/logs"},
		"are for TLS; endpoint must begin with https":   {Endpoint: "http://h:1", CA: "ca.pem"},
		"cert and key must both be given, or neither":   {Endpoint: "https://h:1", Cert: "c.pem"},
		"endpoint must be a scheme, a host and a port ": {Endpoint: "http://me:secret@h:1"},
	} {
		err := target.Validate()
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "secret")
	}
}

func TestQuote(t *testing.T) {
	for s, want := range map[string]string{"": "''", "a/b:c": "a/b:c", "a b": "'a b'", "it's": `'it'\''s'`, "$HOME": "'$HOME'", "ä": "'ä'"} {
		require.Equal(t, want, Quote(s))
	}
}
