package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// mapped overlays the preset so that what genaimapper makes, content included,
// is written to a file.
const mapped = `yaml:
processors: {genaimapper: {content: map}}
exporters: {file: {path: "PATH", flush_interval: 100ms}}
service:
  pipelines:
    traces/receive: {receivers: [otlp, lenientotlp], processors: [genaimapper], exporters: [file, forward/clean]}
`

// expectation is one hand-checked fact about a sample; expected.json says it in
// the words of corpus/frameworks/README.md.
type expectation struct {
	File, Span, Check, Attr, Basis string
	Nth                            int
	Value                          any
}

// Every hand-checked fact about the frameworks' samples holds on the real
// binary: OTLP in, file exporter out.
func TestFrameworksComeOutInThePinnedSnapshot(t *testing.T) {
	var checks []expectation
	b, err := os.ReadFile("../corpus/frameworks/expected.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(b, &checks))

	m := newMachine(t)
	out := filepath.Join(m.set.Home, "mapped.json")
	p := m.start("--config=" + strings.Replace(mapped, "PATH", out, 1))
	names := map[string]string{} // trace and span id to the name in the sample
	order := map[string][]string{}
	for _, path := range samples(t) {
		body, err := os.ReadFile(path)
		require.NoError(t, err)
		m.send(p, body)
		file := filepath.Base(path)
		for _, s := range spansOf(t, body) {
			names[s.id()] = s.Name
			order[file+"/"+s.Name] = append(order[file+"/"+s.Name], s.id())
		}
	}
	require.NoError(t, p.Stop())

	found := map[string]outSpan{}
	lines, err := os.ReadFile(out)
	require.NoError(t, err)
	for _, line := range strings.Split(strings.TrimSpace(string(lines)), "\n") {
		for _, s := range spansOf(t, []byte(line)) {
			found[s.id()] = s
		}
	}
	require.Len(t, found, len(names), "no span is lost or made")

	held, total := map[string]int{}, map[string]int{}
	for _, c := range checks {
		ids := order[c.file(t)+"/"+c.Span]
		require.Greater(t, len(ids), c.Nth, "%s has no span %s", c.File, c.Span)
		total[c.Basis]++
		if got, ok := c.holds(found[ids[c.Nth]].attributes()); ok {
			held[c.Basis]++
		} else {
			t.Errorf("%s %s: %s %s %v (%s), found %v", c.File, c.Span, c.Attr, c.Check, c.Value, c.Basis, got)
		}
	}
	for basis, n := range total {
		t.Logf("%s: %d of %d", basis, held[basis], n)
	}
}

// file is the one sample whose name begins as the check says.
func (c expectation) file(t *testing.T) string {
	var found []string
	for _, path := range samples(t) {
		if base := filepath.Base(path); strings.HasPrefix(base, c.File) {
			found = append(found, base)
		}
	}
	require.Len(t, found, 1, c.File)
	return found[0]
}

// samples are the files that hold spans in OTLP/JSON.
func samples(t *testing.T) []string {
	paths, err := filepath.Glob("../corpus/frameworks/*.json")
	require.NoError(t, err)
	var out []string
	for _, p := range paths {
		if b, err := os.ReadFile(p); err == nil && strings.Contains(string(b[:min(len(b), 200)]), `"resourceSpans"`) {
			out = append(out, p)
		}
	}
	require.NotEmpty(t, out)
	return out
}

type outSpan struct {
	TraceID    string `json:"traceId"`
	SpanID     string `json:"spanId"`
	Name       string `json:"name"`
	Attributes []struct {
		Key   string          `json:"key"`
		Value json.RawMessage `json:"value"`
	} `json:"attributes"`
}

func (s outSpan) id() string { return s.TraceID + s.SpanID }

func (s outSpan) attributes() map[string]any {
	out := map[string]any{}
	for _, a := range s.Attributes {
		out[a.Key] = plainValue(a.Value)
	}
	return out
}

func spansOf(t *testing.T, body []byte) (out []outSpan) {
	var data struct {
		ResourceSpans []struct {
			ScopeSpans []struct{ Spans []outSpan }
		}
	}
	require.NoError(t, json.Unmarshal(body, &data))
	for _, rs := range data.ResourceSpans {
		for _, ss := range rs.ScopeSpans {
			out = append(out, ss.Spans...)
		}
	}
	return out
}

// plainValue turns an OTLP/JSON value into what encoding/json makes of plain
// JSON; text that holds a JSON object or list becomes that.
func plainValue(raw json.RawMessage) any {
	var v struct {
		StringValue *string
		BoolValue   *bool
		IntValue    json.RawMessage
		DoubleValue *float64
		ArrayValue  *struct{ Values []json.RawMessage }
		KvlistValue *struct {
			Values []struct {
				Key   string
				Value json.RawMessage
			}
		}
	}
	if json.Unmarshal(raw, &v) != nil {
		return nil
	}
	switch {
	case v.StringValue != nil:
		return folded(*v.StringValue)
	case v.BoolValue != nil:
		return *v.BoolValue
	case v.DoubleValue != nil:
		return *v.DoubleValue
	case v.IntValue != nil:
		var n json.Number
		_ = json.Unmarshal([]byte(strings.Trim(string(v.IntValue), `"`)), &n)
		f, _ := n.Float64()
		return f
	case v.ArrayValue != nil:
		list := []any{}
		for _, item := range v.ArrayValue.Values {
			list = append(list, plainValue(item))
		}
		return list
	case v.KvlistValue != nil:
		m := map[string]any{}
		for _, kv := range v.KvlistValue.Values {
			m[kv.Key] = plainValue(kv.Value)
		}
		return m
	}
	return nil
}

func folded(s string) any {
	var parsed any
	if (strings.HasPrefix(s, "{") || strings.HasPrefix(s, "[")) && json.Unmarshal([]byte(s), &parsed) == nil {
		return parsed
	}
	return s
}

func (c expectation) holds(attrs map[string]any) (any, bool) {
	got, present := attrs[c.Attr]
	want := c.Value
	if s, ok := want.(string); ok {
		want = folded(s)
	}
	switch c.Check {
	case "eq":
		return got, present && reflect.DeepEqual(got, want)
	case "ne":
		return got, !present || !reflect.DeepEqual(got, want)
	case "absent":
		return got, !present
	case "msg", "part":
		messages, _ := got.([]any)
		for _, m := range messages {
			message, _ := m.(map[string]any)
			if c.Check == "msg" && superset(message, want) {
				return got, true
			}
			parts, _ := message["parts"].([]any)
			for _, p := range parts {
				if part, ok := p.(map[string]any); ok && c.Check == "part" && superset(part, want) {
					return got, true
				}
			}
		}
	}
	return got, false
}

func superset(have map[string]any, want any) bool {
	for k, v := range want.(map[string]any) {
		got := have[k]
		if s, ok := got.(string); ok {
			got = folded(s)
		}
		if s, ok := v.(string); ok {
			v = folded(s)
		}
		if !reflect.DeepEqual(got, v) {
			return false
		}
	}
	return true
}
