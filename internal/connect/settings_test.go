package connect

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

func settings(t *testing.T, agent string, target Target) Settings {
	t.Helper()
	a, ok := semconv.FindAgent(agent)
	require.True(t, ok, agent)
	require.NoError(t, target.Validate())
	s, err := Of(a, target)
	require.NoError(t, err)
	return s
}

// odd is a target whose paths have in them what shells and files trip over.
func odd(t *testing.T) Target {
	dir := filepath.Join(t.TempDir(), `it's "$HOME" \ a`)
	require.NoError(t, os.Mkdir(dir, 0o700))
	token := filepath.Join(dir, "token")
	require.NoError(t, os.WriteFile(token, []byte("sesame-sesame-sesame\nsecond\n"), 0o600))
	return Target{
		Endpoint: "https://gateway.example:4318/", Token: true, TokenFile: token, CA: dir + "/ca.pem", Cert: dir + "/c.pem", Key: dir + "/k.pem",
		Program: dir + "/otelcol-agent", Journals: dir + "/journals",
	}
}

// A shell that reads what is printed for any agent has its variables, no flag that
// would send content, and does nothing with the text of a file.
func TestWhatAShellReads(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell here")
	}
	for _, a := range semconv.Agents() {
		target := odd(t)
		s := settings(t, a.Name, target)
		script := POSIX.Script(s)
		require.NotContains(t, script, "sesame")
		cmd := exec.Command(sh, "-euc", script+"env -0")
		cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
		for _, off := range s.Unset {
			cmd.Env = append(cmd.Env, off+"=1")
		}
		out, err := cmd.Output()
		require.NoError(t, err, a.Name)
		env := strings.Split(string(out), "\x00")
		require.NotContains(t, env[0], "\n", "%s prints something", a.Name)
		for _, off := range s.Unset {
			require.NotContains(t, env, off+"=1", a.Name)
		}
		for _, w := range s.Ways {
			for _, v := range w.Variables {
				want := v.Name + "=" + v.Value
				if v.TokenFile != "" {
					want += "sesame-sesame-sesame"
				}
				require.Contains(t, env, want, a.Name)
			}
			if w.Folder != "" {
				require.DirExists(t, w.Folder)
			}
		}
	}
}

// variables are all of an agent.
func variables(s Settings) map[string]string {
	all := map[string]string{}
	for _, w := range s.Ways {
		for _, v := range w.Variables {
			all[v.Name] = v.Value
		}
	}
	return all
}

// An agent gets a token and certificates in the words that it reads: with headers that
// it does not decode a blank is a blank, and variables that it does not read are not set.
func TestTokenAndCertificates(t *testing.T) {
	target := odd(t)
	for _, a := range semconv.Agents() {
		s := settings(t, a.Name, target)
		vars := variables(s)
		for name, value := range vars {
			if strings.HasSuffix(name, "_HEADERS") {
				want := "Authorization=Bearer%20"
				if a.RawHeaders {
					want = "Authorization=Bearer "
				}
				require.Equal(t, want, value, a.Name)
				prefix := strings.TrimSuffix(name, "HEADERS")
				for key, path := range map[string]string{"CERTIFICATE": target.CA, "CLIENT_CERTIFICATE": target.Cert, "CLIENT_KEY": target.Key} {
					if a.Uncertified {
						require.NotContains(t, vars, prefix+key, a.Name)
					} else {
						require.Equal(t, path, vars[prefix+key], a.Name)
					}
				}
				require.Equal(t, a.Node, vars["NODE_EXTRA_CA_CERTS"] == target.CA, a.Name)
			}
		}
		shown := strings.Join(s.Notes, "\n")
		require.Equal(t, a.Uncertified && len(a.Ways) > 0, strings.Contains(shown, "no certificate of its own"), a.Name)
		// Nothing that was asked for is left out in silence.
		if a.Sends != "" {
			text := ""
			for _, w := range s.Ways {
				text += w.Text
			}
			require.True(t, strings.Contains(text, "Bearer TOKEN") || strings.Contains(strings.Join(keys(vars), " "), "_HEADERS"), "%s has no place for a token", a.Name)
			require.Equal(t, strings.Contains(text, "Bearer TOKEN"), strings.Contains(shown, "in place of TOKEN"), a.Name)
			if strings.Contains(text, "Bearer TOKEN") {
				for _, path := range []string{target.CA, target.Cert, target.Key} {
					word, err := quoted(path)
					require.NoError(t, err)
					require.Contains(t, text, word, a.Name)
				}
			}
		}
	}
}

func keys(m map[string]string) []string {
	var all []string
	for k := range m {
		all = append(all, k)
	}
	slices.Sort(all)
	return all
}

// The text of a settings file is in its language, whatever the paths are.
func TestFiles(t *testing.T) {
	target := odd(t)
	plain := Target{Endpoint: "http://127.0.0.1:4318", Program: target.Program, Journals: target.Journals}
	jsons := 0
	for _, a := range semconv.Agents() {
		for i, w := range a.Ways {
			if w.File == "" {
				continue
			}
			for _, target := range []Target{target, plain} {
				text := settings(t, a.Name, target).Ways[i].Text
				require.NotContains(t, text, "{{")
				require.NotContains(t, text, "\nEND\n", "it would end the text for a shell")
				require.Equal(t, target.Token && strings.Contains(w.Text, ".Token"), strings.Contains(text, placeholder), a.Name)
				if strings.Contains(w.File, ".json") {
					if !strings.HasPrefix(text, "{") {
						text = "{" + text + "}" // what belongs between the braces that are there
					}
					require.True(t, json.Valid([]byte(text)), "%s: %s", a.Name, text)
					jsons++
				}
			}
		}
	}
	require.NotZero(t, jsons)
}

// What a hook runs is this program, in a shell too.
func TestCommandOfAHook(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell here")
	}
	target := odd(t)
	require.NoError(t, os.WriteFile(target.Program, []byte("#!/bin/sh\necho ran \"$@\"\n"), 0o700))
	ran := 0
	for _, a := range semconv.Agents() {
		for _, w := range settings(t, a.Name, target).Ways {
			var file struct {
				Hooks map[string][]struct{ Command string }
			}
			if json.Unmarshal([]byte(w.Text), &file) != nil {
				continue
			}
			for event, hooks := range file.Hooks {
				out, err := exec.Command(sh, "-c", hooks[0].Command).Output()
				require.NoError(t, err, event)
				require.Equal(t, "ran journal "+a.Journals[0]+"\n", string(out))
				ran++
			}
		}
	}
	require.NotZero(t, ran)
}

func TestTargetRefused(t *testing.T) {
	for _, c := range []struct {
		want   string
		target Target
	}{
		{"endpoint must be http://host:port", Target{Endpoint: "127.0.0.1:4318"}},
		{"endpoint must be http://host:port or", Target{Endpoint: `http://a"b:1`}},
		{"endpoint must be http://host:port or", Target{Endpoint: "http://h$(id):1"}},
		{"endpoint must be http://host:port or", Target{Endpoint: "http://:4318"}},
		{"endpoint must be http://host:port or", Target{Endpoint: "http://a b:1"}},
		{"endpoint must have a port from 1 to 65535", Target{Endpoint: "http://h:99999"}},
		{"endpoint must have a port from 1 to 65535", Target{Endpoint: "http://h:0"}},
		{"endpoint must be a scheme, a host and a port", Target{Endpoint: "http://h:1/v1/logs"}},
		{"endpoint must be a scheme, a host and a port", Target{Endpoint: "http://h:1#x"}},
		{"are for TLS; endpoint must begin with https", Target{Endpoint: "http://h:1", CA: "ca.pem"}},
		{"cert and key must both be given, or neither", Target{Endpoint: "https://h:1", Cert: "c.pem"}},
		{"endpoint must be a scheme, a host and a port ", Target{Endpoint: "http://me:secret@h:1"}},
	} {
		err := c.target.Validate()
		require.ErrorContains(t, err, c.want)
		require.NotContains(t, err.Error(), "secret")
	}
	for endpoint, base := range map[string]string{"http://[::1]:4318": "http://[::1]:4318", "HTTPS://gw.example/": "https://gw.example", "http://my_host-1.local:1": "http://my_host-1.local:1"} {
		target := Target{Endpoint: endpoint}
		require.NoError(t, target.Validate(), endpoint)
		require.Equal(t, base, target.base())
	}
}

func TestQuote(t *testing.T) {
	for s, want := range map[string][3]string{
		"":       {"''", "''", "''"},
		"a/b:c":  {"a/b:c", "a/b:c", "'a/b:c'"},
		"a b":    {"'a b'", "'a b'", "'a b'"},
		"it's":   {`'it'\''s'`, `'it\'s'`, `'it''s'`},
		"$HOME":  {"'$HOME'", "'$HOME'", "'$HOME'"},
		`a\b`:    {`'a\b'`, `'a\\b'`, `'a\b'`},
		"ä":      {"'ä'", "'ä'", "'ä'"},
		"a,b;c&": {"'a,b;c&'", "'a,b;c&'", "'a,b;c&'"},
	} {
		for i, sh := range Shells {
			require.Equal(t, want[i], sh.quote(s), sh.Name)
		}
	}
}

// Other shells get the same in their words.
func TestOtherShells(t *testing.T) {
	s := Settings{
		Title: "A", Sends: "logs", Unset: []string{"X", "Y"},
		Ways: []Way{{
			Folder: "/a b", File: "f", Text: "it's\n",
			Variables: []Variable{{Name: "N", Value: "it's"}, {Name: "H", Value: "B=", TokenFile: "/a b/t"}},
		}},
	}
	require.Equal(t, `# A sends logs.
mkdir -p -m 700 '/a b'
# into f, beside what is there:
: '
it\'s
'
set -gx N 'it\'s'
set -gx H 'B='(head -n 1 '/a b/t')
# These would send content:
set -e X Y
`, Fish.Script(s))
	require.Equal(t, `# A sends logs.
New-Item -ItemType Directory -Force -Path '/a b' | Out-Null
# into f, beside what is there:
<#
it's
#>
$env:N = 'it''s'
$env:H = 'B=' + (Get-Content -TotalCount 1 -LiteralPath '/a b/t')
# These would send content:
Remove-Item -ErrorAction Ignore -Path Env:X, Env:Y
`, PowerShell.Script(s))
}
