package web

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/planted"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/stopwatch"
	"github.com/otelcol-agent/otelcol-agent/internal/review"
)

type spec struct {
	Paths map[string]struct {
		Get struct {
			Parameters []map[string]any
			Responses  map[string]struct {
				Content map[string]struct{ Schema map[string]any }
			}
		}
	}
	Components struct {
		Parameters map[string]map[string]any
		Schemas    map[string]map[string]any
	}
}

func readSpec(t *testing.T) spec {
	var s spec
	require.NoError(t, yaml.Unmarshal(openAPI, &s))
	return s
}

// The description has every address of the API and no other.
func TestEveryAddressIsDescribed(t *testing.T) {
	h := serving(t, evidence.Batch{})
	var served []string
	for _, r := range h.routes() {
		if r.api {
			served = append(served, strings.TrimPrefix(r.path, review.API))
		}
	}
	slices.Sort(served)
	paths := readSpec(t).Paths
	require.Equal(t, served, slices.Sorted(maps.Keys(paths)))
	filters := map[any]any{}
	for _, p := range paths["/tasks"].Get.Parameters {
		filters[p["name"]] = p["description"]
	}
	for _, kind := range evidence.TermKinds() {
		require.NotEmpty(t, kind.Described(), kind)
		require.Equal(t, "Only runs that state this "+kind.Described()+".", filters[string(kind)])
		require.Contains(t, review.Searched, strings.ReplaceAll(string(kind), "_", " "))
	}
	require.Equal(t, "A "+review.Searched+".", paths["/search"].Get.Parameters[0]["description"])
}

// An address takes the parameters that its description has.
func TestEveryParameterIsDescribed(t *testing.T) {
	h := serving(t, evidence.Batch{})
	s := readSpec(t)
	for _, r := range h.routes() {
		if !r.api {
			continue
		}
		described := []string{}
		for _, p := range s.Paths[strings.TrimPrefix(r.path, review.API)].Get.Parameters {
			if ref, ok := p["$ref"].(string); ok {
				p = s.Components.Parameters[strings.TrimPrefix(ref, "#/components/parameters/")]
			}
			if p["in"] == "query" {
				described = append(described, p["name"].(string))
			}
		}
		require.ElementsMatch(t, r.takes, described, r.path)
	}
}

// Answers have the fields that the description has, all of them and no other.
func TestAnswersAreAsDescribed(t *testing.T) {
	b := incidents()
	h := serving(t, evidence.Batch{Spans: append(b.Spans, stopwatch.Run(7, 64, 8)...), Records: b.Records})
	s := readSpec(t)
	run := planted.New(0).Run
	sp := run.Spans[0]
	trace, span := sp.ID.Trace.String(), sp.ID.Span.String()
	const session = "s-1" // of the job
	for path, address := range map[string]string{
		"/tasks":                       "/tasks?limit=2",
		"/tasks/{id}":                  "/tasks/" + trace,
		"/tasks/{id}/compare":          "/tasks/job-000007/compare?left=1&right=2",
		"/tasks/{id}/graph":            "/tasks/" + trace + "/graph",
		"/traces/{trace}":              "/traces/" + trace,
		"/traces/{trace}/spans/{span}": "/traces/" + trace + "/spans/" + span,
		"/sessions/{id}":               "/sessions/" + session + "?since=2000-01-01",
		"/search":                      "/search?q=" + trace,
		"/policy":                      "/policy",
		"/evaluations":                 "/evaluations",
		"/quality":                     "/quality",
		"/health":                      "/health",
	} {
		t.Run(path, func(t *testing.T) {
			if !strings.Contains(address, "job-") && !strings.Contains(address, session) {
				address = withTenant(address, sp.Tenant)
			}
			w := get(t, h, "/api/v1"+address)
			require.Equal(t, http.StatusOK, w.Code, w.Body)
			require.Equal(t, "application/json", w.Header().Get("Content-Type"))
			var v any
			require.NoError(t, json.Unmarshal(w.Body.Bytes(), &v))
			for _, wrong := range s.compare(s.Paths[path].Get.Responses["200"].Content["application/json"].Schema, v, "answer") {
				t.Error(wrong)
			}
		})
	}
	for path, want := range map[string]int{"/tasks/nobody": 404, "/tasks?class=x": 400, "/tasks?after=x": 400, "/tasks?limit=0": 400, "/nothing": 404, "/traces/zz": 404, "/search?q=": 400,
		"/tasks/" + trace + "/compare?left=1&right=99": 400} {
		w := get(t, h, "/api/v1"+path)
		require.Equal(t, want, w.Code, path)
		require.Equal(t, "application/problem+json", w.Header().Get("Content-Type"))
		var v any
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &v))
		require.Empty(t, s.compare(map[string]any{"$ref": "#/components/schemas/Problem"}, v, path))
		require.EqualValues(t, want, v.(map[string]any)["status"])
	}
}

func withTenant(address, tenant string) string {
	if tenant == "" {
		return address
	}
	if strings.Contains(address, "?") {
		return address + "&tenant=" + tenant
	}
	return address + "?tenant=" + tenant
}

// compare tells where a value is not as a schema says.
func (s *spec) compare(schema map[string]any, v any, at string) (wrong []string) {
	if ref, ok := schema["$ref"].(string); ok {
		known, ok := s.Components.Schemas[strings.TrimPrefix(ref, "#/components/schemas/")]
		if !ok {
			return []string{at + ": no schema " + ref}
		}
		return s.compare(known, v, at)
	}
	types := []any{schema["type"]}
	if list, ok := schema["type"].([]any); ok {
		types = list
	}
	kind := map[bool]string{true: "integer", false: "number"}
	got := ""
	switch v := v.(type) {
	case nil:
		got = "null"
	case string:
		got = "string"
	case bool:
		got = "boolean"
	case float64:
		got = kind[v == float64(int64(v))]
	case []any:
		got = "array"
	case map[string]any:
		got = "object"
	}
	if !slices.Contains(types, any(got)) && (got != "integer" || !slices.Contains(types, any("number"))) {
		return []string{fmt.Sprintf("%s is %s, described as %v", at, got, types)}
	}
	switch v := v.(type) {
	case []any:
		items, _ := schema["items"].(map[string]any)
		for i, item := range v {
			wrong = append(wrong, s.compare(items, item, fmt.Sprintf("%s[%d]", at, i))...)
		}
	case map[string]any:
		if more, ok := schema["additionalProperties"].(map[string]any); ok {
			for k, item := range v {
				wrong = append(wrong, s.compare(more, item, at+"."+k)...)
			}
			return wrong
		}
		properties := s.properties(schema)
		for k, item := range v {
			if p, ok := properties[k]; ok {
				wrong = append(wrong, s.compare(p, item, at+"."+k)...)
			} else {
				wrong = append(wrong, at+"."+k+" is not described")
			}
		}
		for k, p := range properties {
			if _, there := v[k]; !there && p["x-optional"] != true {
				wrong = append(wrong, at+"."+k+" is described and missing")
			}
		}
	}
	return wrong
}

// properties of a schema and of all that it builds on.
func (s *spec) properties(schema map[string]any) map[string]map[string]any {
	out := map[string]map[string]any{}
	list, _ := schema["allOf"].([]any)
	for _, part := range list {
		ref, _ := part.(map[string]any)["$ref"].(string)
		maps.Copy(out, s.properties(s.Components.Schemas[strings.TrimPrefix(ref, "#/components/schemas/")]))
	}
	own, _ := schema["properties"].(map[string]any)
	for k, p := range own {
		out[k], _ = p.(map[string]any)
	}
	return out
}
