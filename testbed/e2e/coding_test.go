package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/testbed/collector"
)

// joined overlays the preset with pipelines of their own: what the mapper and the
// join make, before anything is redacted, is written to files.
const joined = `yaml:
processors: {genaimapper/check: {}}
connectors: {agentevents/check: {idle: 2s}}
exporters:
  file/spans: {path: "HOME/spans.json", flush_interval: 50ms}
  file/records: {path: "HOME/records.json", flush_interval: 50ms}
receivers:
  filelog/check:
    include: [HOME/journal/**/*.jsonl]
    start_at: beginning
    include_file_path: true
    poll_interval: 50ms
    resource: {service.name: SERVICE}
    operators: [{type: json_parser, parse_to: body}]
service:
  pipelines:
    traces/check: {receivers: [otlp, lenientotlp], processors: [genaimapper/check], exporters: [file/spans]}
    traces/joined: {receivers: [agentevents/check], exporters: [file/spans]}
    logs/check: {receivers: [otlp, lenientotlp, filelog/check], processors: [genaimapper/check], exporters: [agentevents/check, file/records]}
`

const codingCorpus = "../corpus/coding"

type codingFacts struct {
	Zero     float64 `json:"t0_unix_ms"`
	Journals map[string]struct{ Path, Service string }
	Checks   []codingCheck
}

// Every hand-checked fact about the samples of coding agents holds on the real
// binary: OTLP or a journal in, mapped and joined telemetry out.
func TestCodingAgentsComeOutAsAgentTraces(t *testing.T) {
	var facts codingFacts
	b, err := os.ReadFile(filepath.Join(codingCorpus, "expected.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(b, &facts))
	byFile := map[string][]codingCheck{}
	for _, c := range facts.Checks {
		byFile[c.File] = append(byFile[c.File], c)
	}
	held, total := map[string]int{}, map[string]int{}
	for file, checks := range byFile {
		t.Run(file, func(t *testing.T) {
			runs := map[string]*outcome{}
			for _, c := range checks {
				err := c.holds(func(how string) *outcome {
					key := how + c.Then + fmt.Sprint(c.Replace)
					if runs[key] == nil {
						runs[key] = facts.run(t, c, how)
					}
					return runs[key]
				})
				total[c.Basis]++
				if err == nil {
					held[c.Basis]++
				} else {
					t.Errorf("%s (%s): %v; %s", c.ID, c.Basis, err, c.Why)
				}
			}
		})
	}
	for basis, n := range total {
		t.Logf("%s: %d of %d", basis, held[basis], n)
	}
}

// run sends a sample to a fresh collector, in the way that how says.
func (f codingFacts) run(t *testing.T, c codingCheck, how string) *outcome {
	t.Helper()
	body, err := os.ReadFile(filepath.Join(codingCorpus, c.File))
	require.NoError(t, err)
	journal, isJournal := f.Journals[c.File]
	m := newMachine(t)
	overlay := strings.NewReplacer("HOME", m.set.Home, "SERVICE", journal.Service).Replace(joined)
	if !isJournal {
		overlay = strings.Replace(overlay, "SERVICE", "none", 1)
	}
	o := &outcome{spans: map[string]*codingSpan{}, names: map[string][]string{}}
	if how == "replaced" {
		for from, to := range c.Replace {
			require.Contains(t, string(body), from)
			body = bytes.ReplaceAll(body, []byte(from), []byte(to))
		}
	}
	p := m.start("--config=" + overlay)
	if isJournal {
		f.writeJournal(t, m, p, journal.Path, body)
	} else {
		for _, s := range spansOf(t, body) {
			o.names[s.Name] = append(o.names[s.Name], s.id())
		}
		m.send(p, resent(t, body, how)...)
		if how == "then" {
			next, err := os.ReadFile(filepath.Join(codingCorpus, c.Then))
			require.NoError(t, err)
			m.send(p, next)
		}
	}
	require.NoError(t, p.Stop())
	for _, file := range []string{"spans.json", "records.json"} {
		lines, err := os.ReadFile(filepath.Join(m.set.Home, file))
		require.NoError(t, err)
		for _, line := range bytes.Split(bytes.TrimSpace(lines), []byte("\n")) {
			if len(line) > 0 {
				require.NoError(t, o.read(line, f.Zero))
			}
		}
	}
	return o
}

// writeJournal appends line by line, as an agent does, and waits until all have
// come through.
func (f codingFacts) writeJournal(t *testing.T, m *machine, p *collector.Process, path string, body []byte) {
	t.Helper()
	file := filepath.Join(m.set.Home, "journal", path)
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, body, 0o644))
	want := bytes.Count(body, []byte("\n"))
	require.Eventually(t, func() bool {
		lines, _ := os.ReadFile(filepath.Join(m.set.Home, "records.json"))
		o := &outcome{spans: map[string]*codingSpan{}}
		for _, line := range bytes.Split(bytes.TrimSpace(lines), []byte("\n")) {
			_ = o.read(line, f.Zero)
		}
		return len(o.logs) >= want
	}, 20*time.Second, 50*time.Millisecond, "%s", p.Stderr())
}

// resent is what is posted: the sample, twice, backwards, or a record at a time.
func resent(t *testing.T, body []byte, how string) [][]byte {
	switch how {
	case "same_run":
		return [][]byte{body, body}
	case "reversed":
		return [][]byte{rearranged(t, body, true)[0]}
	case "split":
		return rearranged(t, body, false)
	}
	return [][]byte{body}
}

// rearranged turns the records of each scope round in one request, or puts each
// into a request of its own.
func rearranged(t *testing.T, body []byte, reverse bool) (out [][]byte) {
	var request map[string][]map[string]any
	require.NoError(t, json.Unmarshal(body, &request))
	marshal := func() {
		b, err := json.Marshal(request)
		require.NoError(t, err)
		out = append(out, b)
	}
	for signal, resources := range request {
		list := map[string]string{"resourceLogs": "logRecords", "resourceSpans": "spans"}[signal]
		scopes := map[string]string{"resourceLogs": "scopeLogs", "resourceSpans": "scopeSpans"}[signal]
		for _, r := range resources {
			for _, s := range r[scopes].([]any) {
				scope := s.(map[string]any)
				items := scope[list].([]any)
				if reverse {
					slices.Reverse(items)
					continue
				}
				for i := range items {
					scope[list] = items[i : i+1]
					marshal()
				}
				scope[list] = []any{}
			}
		}
	}
	if reverse {
		marshal()
	}
	return out
}
