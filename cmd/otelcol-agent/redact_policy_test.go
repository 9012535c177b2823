package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-agent/otelcol-agent/processor/redactor"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

const testKey = "a key that only tests use"

// folder is a private data folder in which files can be written.
func folder(t *testing.T) func(name, text string) string {
	dir := t.TempDir()
	t.Setenv("XDG_DATA_HOME", dir)
	return func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
}

// boundaryToken is what a redactor with the test key writes for a value.
func boundaryToken(t *testing.T, tenant, value string) string {
	f := redactor.NewFactory()
	cfg := f.CreateDefaultConfig().(*redactor.Config)
	cfg.DigestKey = testKey
	sink := &consumertest.TracesSink{}
	p, err := f.CreateTraces(t.Context(), processortest.NewNopSettings(f.Type()), cfg, sink)
	require.NoError(t, err)
	require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
	defer func() { require.NoError(t, p.Shutdown(context.Background())) }()
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	if tenant != "" {
		rs.Resource().Attributes().PutStr(semconv.TenantID, tenant)
	}
	rs.ScopeSpans().AppendEmpty().Spans().AppendEmpty().Attributes().PutStr("user.id", value)
	require.NoError(t, p.ConsumeTraces(t.Context(), td))
	got, _ := sink.AllTraces()[0].ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Attributes().Get("user.id")
	return got.Str()
}

func TestRedactTellsTheTokenOfAValue(t *testing.T) {
	write := folder(t)
	_, err := redactRun(someone, "--value")
	require.ErrorContains(t, err, "no key is there")
	require.NoFileExists(t, filepath.Join(os.Getenv("XDG_DATA_HOME"), "otelcol-agent", "redaction.key"), "no key is made")
	policy := write("policy.yaml", "digest_key: "+testKey+"\n")
	for _, tenant := range []string{"", "acme"} {
		for _, value := range []string{someone, "u-1234"} {
			out, err := redactRun(value+"\n", "--value", "--policy", policy, "--tenant", tenant)
			require.NoError(t, err)
			require.Equal(t, boundaryToken(t, tenant, value)+"\n", out)
			_, err = subjectOf(out)
			require.NoError(t, err, "it can be erased as it is printed")
		}
	}
	for _, bad := range []string{"", "\n", "two\nlines", strings.Repeat("x", maxOne+1)} {
		_, err := redactRun(bad, "--value", "--policy", policy)
		require.ErrorContains(t, err, "one line")
	}
	_, err = redactRun("x", "--tenant", "acme")
	require.ErrorContains(t, err, "--value")
}

func TestRedactReadsTheKeyOfTheBoundary(t *testing.T) {
	write := folder(t)
	key := write("keys/boundary.key", testKey+"\n")
	hex := strings.TrimPrefix(boundaryToken(t, "", someone), "[redacted:person_id")
	named := write("policy.yaml", "digest_key_file: "+key+"\n")
	out, err := redactRun("to "+someone, "--policy", named)
	require.NoError(t, err)
	require.Contains(t, out, "[redacted:email"+hex)

	bare := write("bare.yaml", "content: keep\n")
	out, err = redactRun("to "+someone, "--policy", bare)
	require.NoError(t, err)
	require.Contains(t, out, "note: the policy has no digest_key")
	write("otelcol-agent/redaction.key", testKey+"\n")
	for _, args := range [][]string{{"--policy", bare}, {"--value"}, nil} {
		out, err = redactRun(someone, args...)
		require.NoError(t, err)
		require.Contains(t, out, hex)
	}

	missing := write("missing.yaml", "digest_key_file: "+key+".gone\n")
	_, err = redactRun("x", "--policy", missing)
	require.ErrorContains(t, err, "no key is there")
	require.NoFileExists(t, key+".gone")
}

func TestRedactTakesAConfigurationAsPolicy(t *testing.T) {
	write := folder(t)
	t.Setenv("BOUNDARY_KEY", testKey)
	one := write("one.yaml", "receivers: {otlp: {}}\nprocessors:\n  batch:\n  redactor/in: {detectors: {pii: [phone]}, digest_key: '${env:BOUNDARY_KEY}'}\n")
	out, err := redactRun("to "+someone, "--policy", one)
	require.NoError(t, err)
	require.Equal(t, "nothing would be masked\n", out)
	out, err = redactRun(someone, "--policy", one, "--value")
	require.NoError(t, err)
	require.Equal(t, boundaryToken(t, "", someone)+"\n", out)

	two := write("two.yaml", "processors:\n  redactor: {digest_key: "+testKey+"}\n  redactor/in: {detectors: {pii: []}, digest_key: "+testKey+"}\n")
	_, err = redactRun("x", "--policy", two)
	require.ErrorContains(t, err, "several redactors; name one (--redactor): redactor, redactor/in")
	out, err = redactRun("to "+someone, "--policy", two, "--redactor", "redactor/in")
	require.NoError(t, err)
	require.Equal(t, "nothing would be masked\n", out)
	out, err = redactRun("to "+someone, "--policy", two, "--redactor", "redactor")
	require.NoError(t, err)
	require.Contains(t, out, "1 email")

	for _, c := range []struct{ want, file, redactor string }{
		{"must have a redactor", write("none.yaml", "processors: {batch: {}}\n"), ""},
		{`found "redactor/x"`, two, "redactor/x"},
		{"no processors", write("bare.yaml", "content: keep\n"), "redactor"},
		{"nonsense", write("wrong.yaml", "processors: {redactor: {nonsense: 1}}\n"), ""},
	} {
		args := []string{"--policy", c.file}
		if c.redactor != "" {
			args = append(args, "--redactor", c.redactor)
		}
		_, err := redactRun("x", args...)
		require.ErrorContains(t, err, c.want)
	}
	_, err = redactRun("x", "--redactor", "redactor")
	require.ErrorContains(t, err, "--policy")
}

func TestRedactSaysWhatItCouldNotRead(t *testing.T) {
	folder(t)
	for _, input := range []string{`{"resourceSpans":[{"name":"a prompt"`, "\x0a\x00\x01"} {
		out, err := redactRun(input)
		require.NoError(t, err)
		require.Contains(t, out, "warning: the input")
		_, err = redactRun(input, "--check")
		require.ErrorContains(t, err, "read as a plain text")
		var masked maskedError
		require.False(t, errors.As(err, &masked))
	}
}
