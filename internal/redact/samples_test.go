package redact

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/internal/mapping"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// grain is put into every text of a vendor's sample that could be content.
const grain = "zqgrainzq"

// salter counts what it salted. With leaves, every text inside JSON is salted,
// the words by which mappers read it too.
type salter struct {
	leaves bool
	n      int
}

func (s *salter) text(t string) string {
	var v any
	if json.Unmarshal([]byte(t), &v) == nil {
		switch v.(type) {
		case map[string]any, []any, string:
			b, _ := json.Marshal(s.inside(v))
			return string(b)
		}
	}
	if strings.ContainsAny(t, " \n\t") {
		s.n++
		return t + " " + grain
	}
	return t
}

func (s *salter) inside(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = s.inside(v[k])
		}
	case []any:
		for i := range v {
			v[i] = s.inside(v[i])
		}
	case string:
		if s.leaves {
			s.n++
			return v + grain
		}
		return s.text(v)
	}
	return v
}

// request salts the values and status messages of an OTLP/JSON request. Names of
// spans are made of names, so they are left.
func (s *salter) request(v any) {
	switch v := v.(type) {
	case map[string]any:
		key, _ := v["key"].(string)
		for k, item := range v {
			text, ok := item.(string)
			if ok && (k == "stringValue" || k == "message") {
				v[k] = s.text(text)
			}
			if k == "value" && namesByNature[key] {
				continue
			}
			s.request(item)
		}
	case []any:
		for i := range v {
			s.request(v[i])
		}
	}
}

// namesByNature are keys whose values are names that developers chose, with
// spaces in some: the registry knows them, and they stay. A scope is a list of
// such names, which the mapper takes apart.
var namesByNature = map[string]bool{"gen_ai.agent.name": true, "gen_ai.tool.name": true, "enduser.scope": true}

// sample is one request or journal of a vendor.
type sample struct {
	traces ptrace.Traces
	logs   plog.Logs
}

func (s sample) apply(p *Policy) {
	p.Traces(s.traces)
	p.Logs(s.logs)
}

func (s sample) text(t *testing.T) string {
	a, err := (&ptrace.JSONMarshaler{}).MarshalTraces(s.traces)
	require.NoError(t, err)
	b, err := (&plog.JSONMarshaler{}).MarshalLogs(s.logs)
	require.NoError(t, err)
	return string(a) + "\n" + string(b)
}

func isJournal(path string) bool {
	return strings.Contains(path, ".native.") || strings.Contains(path, "NOT_OTLP")
}

func readSample(t *testing.T, path string, salt *salter) sample {
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	s := sample{ptrace.NewTraces(), plog.NewLogs()}
	if isJournal(path) { // a file log receiver parses the lines into bodies
		records := s.logs.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords()
		dec := json.NewDecoder(bytes.NewReader(b))
		for dec.More() {
			var v any
			require.NoError(t, dec.Decode(&v))
			require.NoError(t, records.AppendEmpty().Body().FromRaw(salt.inside(v)))
		}
		return s
	}
	var v any
	require.NoError(t, json.Unmarshal(b, &v))
	salt.request(v)
	b, err = json.Marshal(v)
	require.NoError(t, err)
	if bytes.Contains(b, []byte(`"resourceSpans"`)) {
		s.traces, err = (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(b)
		require.NoError(t, err)
	}
	if bytes.Contains(b, []byte(`"resourceLogs"`)) {
		s.logs, err = (&plog.JSONUnmarshaler{}).UnmarshalLogs(b)
		require.NoError(t, err)
	}
	return s
}

func samples(t *testing.T) (paths []string) {
	for _, pattern := range []string{"../mapping/testdata/samples/*.json", "testdata/journals/*"} {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		paths = append(paths, found...)
	}
	require.Greater(t, len(paths), 25)
	return paths
}

// TestNoContentOfAnyVendorSurvives salts every text of each vendor's sample that
// has white space or JSON in it, and looks for the salt behind the redactor:
// with and without the mapper in front of it.
func TestNoContentOfAnyVendorSurvives(t *testing.T) {
	p := compile(t, Settings{Secrets: true, PII: PIIKinds()})
	snapshot, err := semconv.LoadSnapshot(semconv.DefaultSnapshot)
	require.NoError(t, err)
	m, err := mapping.Compile(semconv.DialectFiles(), snapshot, mapping.Options{Content: true})
	require.NoError(t, err)
	total := 0
	for _, path := range samples(t) {
		for _, mapped := range []bool{false, true} {
			name := filepath.Base(path)
			if mapped {
				name += "/mapped"
			}
			t.Run(name, func(t *testing.T) {
				salt := &salter{leaves: !mapped && !isJournal(path)}
				s := readSample(t, path, salt)
				total += salt.n
				if mapped {
					m.MapTraces(s.traces)
					m.MapLogs(s.logs)
				}
				if salt.n > 0 {
					require.Contains(t, s.text(t), grain)
				}
				s.apply(p)
				once := s.text(t)
				for from := 0; ; {
					at := strings.Index(once[from:], grain)
					if at < 0 {
						break
					}
					at += from
					t.Errorf("salt survives: …%s…", once[max(0, at-160):min(len(once), at+20)])
					from = at + len(grain)
				}
				s.apply(p)
				assert.Equal(t, once, s.text(t), "a second pass changes nothing")
			})
		}
	}
	assert.Greater(t, total, 500)
}
