package mapping

import (
	"os"
	"strings"
	"testing"

	"github.com/otelcol-agent/otelcol-agent/semconv"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// The whole file that the README of the dialects shows compiles beside the
// built-in ones and does what is said of it.
func TestTheREADMEsDialectMaps(t *testing.T) {
	readme, err := os.ReadFile("../../semconv/dialects/README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, file, _ := strings.Cut(string(readme), "## A whole file\n\n```yaml\n")
	file, _, closed := strings.Cut(file, "```")
	if !closed {
		t.Fatal("the README shows no whole file")
	}
	snapshot, err := semconv.LoadSnapshot(semconv.DefaultSnapshot)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{"house.yaml": []byte(file)}
	for name, b := range semconv.DialectFiles() {
		files[name+".yaml"] = b
	}
	tables, err := Compile(files, snapshot, Options{})
	if err != nil {
		t.Fatal(err)
	}
	td := ptrace.NewTraces()
	spans := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
	for _, attrs := range []map[string]any{
		{"house.step": "tool", "house.tool": "run", "house.args": `{"command": "housectl drop orders"}`, "house.job": "j-7"},
		{"house.step": "tool", "house.tool": "refund"},
		{"house.step": "model", "house.model": "m1", "house.tokens.in": "7", "house.group": "blue"},
	} {
		if err := spans.AppendEmpty().Attributes().FromRaw(attrs); err != nil {
			t.Fatal(err)
		}
	}
	tables.MapTraces(td)
	for i, want := range []map[string]any{
		{"": "execute_tool run", "app.tool.effect_class": "destructive", "app.task.id": "j-7", "app.mapping.dialect": "house"},
		{"": "execute_tool refund", "app.tool.effect_class": "external"},
		{"": "chat m1", "gen_ai.usage.input_tokens": int64(7), "house.team": "blue"},
	} {
		got := spans.At(i).Attributes().AsRaw()
		got[""] = spans.At(i).Name()
		for key, value := range want {
			if got[key] != value {
				t.Errorf("span %d: %q is %v, want %v", i, key, got[key], value)
			}
		}
	}
}
