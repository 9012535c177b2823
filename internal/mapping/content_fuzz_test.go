package mapping

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"
	"golang.org/x/tools/txtar"
)

// shapeSeeds are the inputs of the shape cases.
func shapeSeeds(f *testing.F) {
	paths, _ := filepath.Glob("testdata/shapes/*.txtar")
	for _, path := range paths {
		if b, err := os.ReadFile(path); err == nil {
			f.Add(string(txtar.Parse(b).Files[0].Data))
		}
	}
	f.Add(strings.Repeat("[", 1000))
	f.Add(strings.Repeat(`{"messages":`, 70) + "1" + strings.Repeat("}", 70))
	f.Add(`{"content":"` + strings.Repeat(`[\"`, 50) + `"}`)
}

// Whatever content holds, a shape gives JSON of the snapshot's form, and gives
// the same again when it reads its own result.
func FuzzMessages(f *testing.F) {
	shapeSeeds(f)
	tables := embedded(f, Options{Content: true})
	s := tables.scratch()
	s.tally = &tally{}
	read := func(name, text string) (string, outcome) {
		s.begin("", "")
		s.open()
		d, out := s.reshape(&field{to: tables.known.system, fieldText: &fieldText{shape: shapes[name]}}, nil, stringDatum(text))
		return d.s, out
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range []string{"input_messages", "output_messages", "system_instructions", "tools", "documents"} {
			once, out := read(name, text)
			if out != fits {
				continue
			}
			if !json.Valid([]byte(once)) || once[0] != '[' {
				t.Fatalf("%s gave no list: %q", name, once)
			}
			twice, out := read(name, once)
			if out != fits || twice != once {
				t.Fatalf("%s changes its own result:\n%s\n%s", name, once, twice)
			}
		}
		for _, name := range []string{"arguments", "result", "json", "query", "text"} {
			read(name, text)
		}
	})
}

// What Python prints becomes JSON or is left alone.
func FuzzPython(f *testing.F) {
	for _, s := range []string{
		`{'a': 1, "b": [True, None, (1, 2.5)], 'c': 'it\'s \x41 \u00e9'}`, `[ChatMessage(role=<MessageRole.USER: 'user'>, blocks=[TextBlock(text='hi')])]`,
		`{1: 2}`, `{'a'`, `<A.B: 1>`, `A(`, `A(b=`, strings.Repeat("[", 200), strings.Repeat("A(b=", 200), `{'a': nan}`, `'\`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		out, lossy, ok := pythonValue(text)
		if !ok {
			return
		}
		if !json.Valid([]byte(out)) {
			t.Fatalf("no JSON: %q", out)
		}
		if plain, ok := pythonJSON(text); ok != !lossy || ok && plain != out {
			t.Fatal("two readings")
		}
	})
}

// Flattened keys of any form make a tree that is written as JSON.
func FuzzIndexedKeys(f *testing.F) {
	f.Add("0.role", "user", "0.content", "hi", "10.parts.0.type", "text")
	f.Add("0", "x", "0.role", "user", "", "y")
	f.Add("a.0.b", "1", "a.b", "2", "a.999999999.c", "3")
	f.Add(strings.Repeat("0.", 100), "x", "..", "y", ".", "z")
	tables := embedded(f, Options{Content: true})
	f.Fuzz(func(t *testing.T, k1, v1, k2, v2, k3, v3 string) {
		s := tables.scratch()
		defer s.release()
		s.tally = &tally{}
		td := oneSpan("s", "n", map[string]any{"p." + k1: v1, "p." + k2: v2, "p." + k3: v3})
		eachSpan(td, func(span ptrace.Span) {
			s.begin("", "")
			s.open()
			s.scan(span.Attributes(), signalSpans)
			c := s.newContent()
			root := c.unflatten("p.")
			if root == nil {
				return
			}
			if out := appendNode(nil, root, false); !json.Valid(out) {
				t.Fatalf("no JSON: %q", out)
			}
			src := source{kind: fromIndexed, sourceText: &sourceText{prefix: "p.", rest: "." + k2}}
			s.read(&src)
		})
	})
}

// Paths inside attributes never fail, whatever they meet.
func FuzzMemberPaths(f *testing.F) {
	f.Add(`{"a":[{"b":1},{"b":"x"}]}`, "a.*.b")
	f.Add(`{'a': {'b': "{\"c\": [1, 2]}"}}`, "a.b.c.-1")
	f.Add(`"{\"a\":1}"`, "a")
	f.Add(`[[[[1]]]]`, "0.0.0.0")
	f.Fuzz(func(t *testing.T, text, path string) {
		want := newJSONPaths()
		leaf, many := want.atNames(splitPath(path))
		leaf.slot, leaf.many = 0, many
		found := 0
		scanJSON(text, want, func(*jsonPaths, datum) { found++ })
		if found > len(text)*4+1 {
			t.Fatal("more values than characters")
		}
	})
}

// Hostile content is read in bounded time: nesting, four megabytes of brackets,
// of quotes, of escapes, and a hundred thousand flattened keys.
func TestHostileContentIsBounded(t *testing.T) {
	tables := embedded(t, Options{Content: true})
	big := func(s string) string { return strings.Repeat(s, (4<<20)/len(s)) }
	for name, text := range map[string]string{
		"brackets": big("["), "pairs": "[" + big("[],") + "1]", "objects": "[" + big(`{"role":"user"},`) + "1]", "quotes": `"` + big(`\"`) + `"`,
		"escapes": `{"role":"user","content":"` + big(`\u0041`) + `"}`, "python": "[" + big("'a',") + "]", "calls": big("A(b="),
		"texts": `{"messages":[{"role":"user","content":"` + big("x") + `"}]}`, "nested": strings.Repeat(`{"content":`, 5000) + "1" + strings.Repeat("}", 5000),
		"layers": layers(20),
	} {
		td := oneSpan("openinference.instrumentation.openai", "n", map[string]any{
			"openinference.span.kind": "TOOL", "input.value": text, "output.value": text, "metadata": text, "llm.invocation_parameters": text,
		})
		before := cpuNanos()
		tables.MapTraces(td)
		if spent := cpuNanos() - before; spent > 5e9 {
			t.Errorf("%s took %.1f s", name, float64(spent)/1e9)
		}
	}
	attrs := map[string]any{"openinference.span.kind": "LLM"}
	for i := range 100_000 {
		attrs["llm.input_messages."+strconv.Itoa(i)+".message.content"] = "x"
	}
	td := oneSpan("openinference.instrumentation.openai", "n", attrs)
	before := cpuNanos()
	tables.MapTraces(td)
	if spent := cpuNanos() - before; spent > 5e9 {
		t.Errorf("flattened keys took %.1f s", float64(spent)/1e9)
	}
}

// layers is JSON in JSON in JSON …
func layers(n int) string {
	text := `{"a":1}`
	for range n {
		b, err := json.Marshal(map[string]string{"a": text})
		if err != nil || len(b) > 4<<20 {
			return text
		}
		text = string(b)
	}
	return text
}
