package main

import (
	"encoding/binary"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/sqlite"
	"github.com/otelcol-agent/otelcol-agent/internal/tail"
)

var update = flag.Bool("update", false, "rewrite expected texts")

const (
	recordedRuns  = "testdata/explain/runs.jsonl"
	recordedUnder = "testdata/explain/policy.yaml"
)

// TestExplainIsReadable: the whole text, for a protected run, one that a record
// protects, and one that upstream sampled.
func TestExplainIsReadable(t *testing.T) {
	out, _, err := execute("explain", recordedRuns, "--config", recordedUnder, "--processor", "tailpolicy")
	require.NoError(t, err)
	const want = "testdata/explain/runs.txt"
	if *update {
		require.NoError(t, os.WriteFile(want, []byte(out), 0o644))
	}
	b, err := os.ReadFile(want)
	require.NoError(t, err)
	require.Equal(t, string(b), out)
}

type explainedJSON struct {
	Policy string             `json:"policy"`
	Runs   []tail.Explanation `json:"runs"`
}

func explainJSON(t *testing.T, args ...string) (out explainedJSON, stderr string) {
	t.Helper()
	text, stderr, err := execute(append([]string{"explain", "--format", "json"}, args...)...)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal([]byte(text), &out))
	return out, stderr
}

// TestExplainReadsEveryForm: a run is explained alike from JSON, from a protobuf,
// from what the file exporter writes, and from the store.
func TestExplainReadsEveryForm(t *testing.T) {
	f, err := os.ReadFile(recordedRuns)
	require.NoError(t, err)
	in, err := parseRecording(f)
	require.NoError(t, err)
	dir := t.TempDir()
	var m ptrace.ProtoMarshaler
	request, err := m.MarshalTraces(in.traces)
	require.NoError(t, err)
	plain, framed := filepath.Join(dir, "plain.pb"), filepath.Join(dir, "framed.pb")
	require.NoError(t, os.WriteFile(plain, request, 0o600))
	require.NoError(t, os.WriteFile(framed, append(binary.BigEndian.AppendUint32(nil, uint32(len(request))), request...), 0o600))
	db := filepath.Join(dir, "evidence.db")
	store, err := sqlite.Open(db, sqlite.Settings{})
	require.NoError(t, err)
	_, err = store.Write(t.Context(), evidence.Batch{Spans: evidence.FromTraces(in.traces), Records: evidence.FromLogs(in.logs)})
	require.NoError(t, err)
	require.NoError(t, store.Close())

	flags := []string{"--config", recordedUnder, "--processor", "tailpolicy"}
	whole, stderr := explainJSON(t, append(flags, recordedRuns)...)
	require.Empty(t, stderr)
	require.Len(t, whole.Runs, 3)
	denied := whole.Runs[0]
	require.Equal(t, "security_denial", denied.Decision.Class)
	require.Equal(t, 2, denied.Folded)
	for _, file := range []string{plain, framed} {
		got, _ := explainJSON(t, append(flags, file)...)
		require.Equal(t, denied, got.Runs[0], file)
	}
	for i, id := range []string{"t-deny", "t-plain", "cccccccc"} {
		got, _ := explainJSON(t, append(flags, "--store", db, "--tenant", "acme", id)...)
		require.Len(t, got.Runs, 1)
		require.Equal(t, whole.Runs[i].Decision, got.Runs[0].Decision, id)
		require.Equal(t, whole.Runs[i].Classes, got.Runs[0].Classes, id)
	}
}

// TestExplainAsksTheRightPolicy: one of several must be named; a configuration
// without one is told of.
func TestExplainAsksTheRightPolicy(t *testing.T) {
	_, _, err := execute("explain", recordedRuns, "--config", recordedUnder)
	require.ErrorContains(t, err, "config has several policies; name one (--processor): tailpolicy, tailpolicy/other")
	_, _, err = execute("explain", recordedRuns, "--config", recordedUnder, "--processor", "tailpolicy/none")
	require.ErrorContains(t, err, `processor must be a tailpolicy of the configuration (tailpolicy, tailpolicy/other), found "tailpolicy/none"`)
	other, _ := explainJSON(t, recordedRuns, "--config", recordedUnder, "--processor", "tailpolicy/other")
	require.Equal(t, "tailpolicy/other", other.Policy)
	require.True(t, other.Runs[2].Decision.Keep)
	standard, stderr := explainJSON(t, recordedRuns)
	require.Contains(t, stderr, "note: the configuration has no tailpolicy, so it keeps everything")
	require.Equal(t, 0.05, standard.Runs[0].Baseline.Share)
}

// TestExplainRefuses: what cannot be read, with the place and what it must be.
func TestExplainRefuses(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	for want, args := range map[string][]string{
		"must be OTLP/JSON with resourceSpans":        {write("text.txt", "hello")},
		"request 2: must be JSON, byte":               {write("half.json", `{"resourceSpans":[]}`+"\n"+`{"resource`)},
		"request 1: must be OTLP/JSON":                {write("other.json", `{"a":1}`)},
		"resourceSpans must be OTLP/JSON":             {write("kind.json", `{"resourceSpans":{"a":1}}`)},
		"has no span and no record":                   {write("empty.json", `{"resourceSpans":[]}`)},
		"no such file or directory":                   {filepath.Join(dir, "none.json")},
		"t-none is no file here":                      {"t-none", "--store", filepath.Join(dir, "none.db")},
		"baseline.ratio must be from 0 to 1, found 2": {recordedRuns, "--config", write("bad.yaml", "processors: {tailpolicy: {baseline: {ratio: 2}}}")},
	} {
		_, _, err := execute(append([]string{"explain"}, args...)...)
		require.ErrorContains(t, err, want, args)
	}
}
