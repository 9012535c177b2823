package mapping

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

type expectation struct {
	File  string `json:"file"`
	Span  string `json:"span"`
	Nth   int    `json:"nth"`
	Check string `json:"check"`
	Attr  string `json:"attr"`
	Value any    `json:"value"`
	Basis string `json:"basis"`
}

// reached is the share of hand-checked facts about the samples that hold, by
// what they rest on. It may only rise. What does not hold is listed with -v.
var reached = map[string]int{"spec": 95, "semantic": 23, "policy": 12}

func TestExpectations(t *testing.T) {
	b, err := os.ReadFile("testdata/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []expectation
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	tables := embedded(t, Options{Content: true})
	spans := map[string]map[string][]pcommon.Map{}
	held, total := map[string]int{}, map[string]int{}
	for _, e := range all {
		total[e.Basis]++
		if spans[e.File] == nil {
			spans[e.File] = mappedSpans(t, tables, e.File)
		}
		found := spans[e.File][e.Span]
		if e.Nth >= len(found) {
			t.Errorf("%s has no span %q", e.File, e.Span)
			continue
		}
		if got, ok := e.holds(found[e.Nth]); ok {
			held[e.Basis]++
		} else {
			t.Logf("%s %s: %s %s %v (%s), found %v", e.File, e.Span, e.Attr, e.Check, e.Value, e.Basis, got)
		}
	}
	for _, basis := range sortedKeys(reached) {
		t.Logf("%s: %d of %d", basis, held[basis], total[basis])
		if held[basis] < reached[basis] {
			t.Errorf("%s: %d of %d hold, and %d did before", basis, held[basis], total[basis], reached[basis])
		}
	}
}

// mappedSpans maps the one sample file with the prefix; the key is the span's
// name in the input.
func mappedSpans(t *testing.T, tables *Tables, prefix string) map[string][]pcommon.Map {
	paths, _ := filepath.Glob("testdata/samples/" + prefix + "*.json")
	if len(paths) != 1 {
		t.Fatalf("sample %s: found %v", prefix, paths)
	}
	td := readTraces(t, paths[0])
	var names []string
	eachSpan(td, func(s ptrace.Span) { names = append(names, s.Name()) })
	tables.MapTraces(td)
	out := map[string][]pcommon.Map{}
	i := 0
	eachSpan(td, func(s ptrace.Span) {
		out[names[i]] = append(out[names[i]], s.Attributes())
		i++
	})
	return out
}

func readTraces(t testing.TB, path string) ptrace.Traces {
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(b)
	if err != nil {
		t.Fatal(path, err)
	}
	return td
}

func eachSpan(td ptrace.Traces, f func(ptrace.Span)) {
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				f(s)
			}
		}
	}
}

func (e expectation) holds(attrs pcommon.Map) (any, bool) {
	v, present := attrs.Get(e.Attr)
	var got any
	if present {
		got = comparable(v.AsRaw())
	}
	switch e.Check {
	case "eq":
		return got, present && reflect.DeepEqual(got, comparable(e.Value))
	case "ne":
		return got, !present || !reflect.DeepEqual(got, comparable(e.Value))
	case "absent":
		return got, !present
	case "part", "msg":
		want := e.Value.(map[string]any)
		messages, _ := got.([]any)
		for _, m := range messages {
			message, _ := m.(map[string]any)
			if e.Check == "msg" && holdsAll(message, want) {
				return got, true
			}
			parts, _ := message["parts"].([]any)
			for _, p := range parts {
				if part, ok := p.(map[string]any); ok && e.Check == "part" && holdsAll(part, want) {
					return got, true
				}
			}
		}
	}
	return got, false
}

func holdsAll(part, want map[string]any) bool {
	for k, v := range want {
		if !reflect.DeepEqual(comparable(part[k]), comparable(v)) {
			return false
		}
	}
	return true
}

// comparable brings numbers and JSON text to one form.
func comparable(v any) any {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case string:
		var parsed any
		if (strings.HasPrefix(v, "{") || strings.HasPrefix(v, "[")) && json.Unmarshal([]byte(v), &parsed) == nil {
			return parsed
		}
	}
	return v
}
