package mapping

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

func FuzzCoerce(f *testing.F) {
	for _, s := range []string{"", "1", "-1", "1.0", "1e400", "NaN", "undefined", "true", `["a",1]`, "[", "99999999999999999999"} {
		f.Add(s, int64(1), 1.5)
	}
	f.Fuzz(func(t *testing.T, s string, i int64, x float64) {
		for _, d := range []datum{stringDatum(s), {kind: kindInt, i: i}, {kind: kindDouble, f: x}, {kind: kindJSON, s: s}, {}} {
			for typ := typeString; typ <= typeAny; typ++ {
				got, out := coerce(d, typ)
				if out != fits {
					continue
				}
				if again, out := coerce(got, typ); out != fits || !again.equal(&got) {
					t.Fatalf("coercing twice differs for type %d", typ)
				}
				if got.kind == kindDouble && (math.IsNaN(got.f) || math.IsInf(got.f, 0)) && typ == typeDouble {
					t.Fatal("a double that is no number")
				}
			}
		}
	})
}

func FuzzJSONPath(f *testing.F) {
	f.Add(`{"a":{"b":1},"c":"{\"d\":2}"}`)
	f.Add(`{"a":[1,2,{"b":"x"}],"c":null}`)
	f.Add(`{"a":` + strings.Repeat("[", 200))
	f.Fuzz(func(t *testing.T, text string) {
		want := newJSONPaths()
		want.at("a").slot, want.at("a.b").slot, want.at("c#d").slot = 0, 1, 2
		whole := scanJSON(text, want, func(leaf *jsonPaths, d datum) {
			if leaf.slot < 0 || leaf.slot > 2 {
				t.Fatal("an unknown slot")
			}
		})
		var any map[string]json.RawMessage
		if json.Unmarshal([]byte(text), &any) == nil && any != nil && !whole && depthOf(text) < maxJSONDepth {
			t.Fatal("valid JSON was refused")
		}
		if list, ok := jsonStrings(text); ok && len(list) > len(text) {
			t.Fatal("more elements than characters")
		}
		if out, ok := pythonJSON(text); ok && !json.Valid([]byte(out)) {
			t.Fatal("the result is no JSON")
		}
	})
}

func depthOf(text string) int { return strings.Count(text, "{") + strings.Count(text, "[") }

func FuzzDialectFile(f *testing.F) {
	for _, b := range semconv.DialectFiles() {
		f.Add(string(b))
	}
	f.Add("dialect: x\nspans: {detect: {keys: [a.*]}, fields: {error.type: [b#c.d, $name]}}")
	f.Add("a: &x [*x]")
	snapshot, err := semconv.LoadSnapshot(semconv.DefaultSnapshot)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tables, err := Compile(map[string][]byte{"f.yaml": []byte(text)}, snapshot, Options{Content: true})
		if (tables == nil) == (err == nil) {
			t.Fatal("either tables or an error")
		}
		if tables != nil {
			tables.MapTraces(oneSpan("s", "n", map[string]any{"a.b": "c", "gen_ai.operation.name": "chat"}))
		}
	})
}

func FuzzShellClass(f *testing.F) {
	for line := range shellLines {
		f.Add(line)
	}
	words, err := builtinEffects()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, line string) {
		class := words.shellClass(line)
		if severity(class) < 0 {
			t.Fatalf("class %q", class)
		}
		if severity(class) > 0 && severity(words.shellClass(line+"\nrm -rf x")) < severity(class) {
			t.Fatal("one more command made the line milder")
		}
	})
}
