package main

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
	"gopkg.in/yaml.v3"
)

func TestVersionIsTheOneOfTheManifest(t *testing.T) {
	b, err := os.ReadFile("../../builder-config.yaml")
	require.NoError(t, err)
	var manifest struct {
		Dist struct {
			Name    string `yaml:"name"`
			Version string `yaml:"version"`
		} `yaml:"dist"`
	}
	require.NoError(t, yaml.Unmarshal(b, &manifest))
	require.Equal(t, manifest.Dist.Version, version)
	require.Equal(t, manifest.Dist.Name, name)
}

func execute(args ...string) (stdout, stderr string, err error) {
	var out, errOut bytes.Buffer
	cmd := newCommand()
	cmd.SetArgs(args)
	cmd.SetOut(&out)
	cmd.SetErr(&errOut)
	err = cmd.Execute()
	return out.String(), errOut.String(), err
}

func TestWrongUsageIsToldApart(t *testing.T) {
	cases := map[string][]string{
		`unknown command "taks"; did you mean task or tasks`:  {"taks"},
		`unknown flag: --nope`:                                {"--nope"},
		`unknown flag: --nop`:                                 {"task", "t1", "--nop"},
		`accepts 1 arg(s), received 0`:                        {"task"},
		`unknown command "extra" for`:                         {"tasks", "extra"},
		`format must be text or json, found "xml"`:            {"tasks", "--format", "xml"},
		`format must be text, json or markdown, found "html"`: {"task", "t1", "--format", "html"},
		`compare needs a task and two attempts`:               {"task", "t1", "--compare", "1"},
		`limit must be at least 1, found -1`:                  {"quality", "--limit", "-1"},
		`limit must be at least 1, found 0`:                   {"tasks", "--limit", "0"},
		`since must be a duration`:                            {"tasks", "--since", "yesterday"},
		`accepts 1 arg(s), received 2`:                        {"explain", "a", "b"},
		`accepts at most 1 arg(s), received 2`:                {"redact", "a", "b"},
		`accepts 1 arg(s), received 3`:                        {"search", "a", "b", "c"},
		`format must be text or json, found "markdown"`:       {"trace", "a", "--format", "markdown"},
		`listen must be a loopback address`:                   {"review", "--listen", "0.0.0.0:4380"},
	}
	for want, args := range cases {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			stdout, stderr, err := execute(args...)
			var usage usageError
			require.True(t, errors.As(err, &usage), "%v", err)
			require.ErrorContains(t, err, want)
			require.Contains(t, usage.help, "--help")
			require.Empty(t, stdout+stderr, "main tells the error, once and without the usage")
		})
	}
}

func TestFailureIsNotWrongUsage(t *testing.T) {
	_, _, err := execute("tasks", "--store", "mysql://db/x")
	require.ErrorContains(t, err, `store: engine "mysql" is not in this build`)
	var usage usageError
	require.False(t, errors.As(err, &usage))

	_, _, err = execute("validate", "--config", "preset:nope")
	require.ErrorContains(t, err, `preset "nope" is not known; known are agent, gateway`)
	require.False(t, errors.As(err, &usage))
}

func TestStorePath(t *testing.T) {
	env := func(values map[string]string) func(string) string {
		return func(name string) string { return values[name] }
	}
	cases := []struct {
		name, dsn string
		env       map[string]string
		want      string
	}{
		{"flag first", "/a.db", map[string]string{storeVariable: "/b.db"}, "/a.db"},
		{"then the environment", "", map[string]string{storeVariable: "sqlite:/b.db"}, "/b.db"},
		{"then the data folder", "", map[string]string{"XDG_DATA_HOME": "/data"}, "/data/otelcol-agent/evidence.db"},
		{"with a scheme", "sqlite:///a.db", nil, "/a.db"},
		{"a relative path", "a.db", nil, "a.db"},
		{"a Windows drive", `C:\a.db`, nil, `C:\a.db`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := storePath(c.dsn, env(c.env))
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

func TestLogLeavesOutWhatIsReturned(t *testing.T) {
	core, logged := observer.New(zapcore.DebugLevel)
	log := zap.New(core, collectorSettings().LoggingOptions...).With(zap.String("a", "b"))
	log.Error(startFailure)
	log.Error(extensionFailure)
	log.Error(serviceFailure)
	log.Error("something else")
	require.Equal(t, 1, logged.Len())
	require.Equal(t, "something else", logged.All()[0].Message)
}

func TestNoColorWithoutTerminal(t *testing.T) {
	none := func(string) string { return "" }
	f, err := os.Create(t.TempDir() + "/out")
	require.NoError(t, err)
	defer f.Close()
	require.False(t, color(f, none))
	require.False(t, color(&bytes.Buffer{}, none))
	require.Zero(t, terminalWidth(f))
}

func TestFactsFitALine(t *testing.T) {
	out, _, err := execute("semconv", "show", "gen_ai.inference.client")
	require.NoError(t, err)
	require.Contains(t, out, "\n    recommended: server.address")
	for line := range strings.Lines(out) {
		require.LessOrEqual(t, len(line), factWidth+1, line)
	}
	whole, _, err := execute("semconv", "show", "gen_ai.inference.client", "--format", "json")
	require.NoError(t, err)
	require.Contains(t, strings.Join(strings.Fields(out), " "), "gen_ai.request.frequency_penalty")
	require.Contains(t, whole, "gen_ai.request.frequency_penalty")
}
