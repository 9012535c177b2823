package agents

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/plog"
	"golang.org/x/tools/txtar"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/mapping"
	"github.com/otelcol-agent/otelcol-agent/internal/synth"
)

// eventLogs are all samples of agents that send log records. Lines of a journal
// are left out: they speak of those before them, and a file keeps their order.
func eventLogs(t *testing.T) map[string]plog.Logs {
	out := map[string]plog.Logs{}
	paths, _ := filepath.Glob("../../testbed/corpus/coding/*.json")
	for _, path := range paths {
		if b, err := os.ReadFile(path); err == nil && strings.Contains(string(b), `"resourceLogs"`) {
			out[filepath.Base(path)] = corpus(t, path).logs
		}
	}
	cases, _ := filepath.Glob("testdata/agents/*.txtar")
	for _, path := range cases {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if in := string(archive.Files[0].Data); !strings.Contains(in, "\nlines:") {
			if sent := parseInput(t, in); sent.logs.LogRecordCount() > 1 {
				out[filepath.Base(path)] = sent.logs
			}
		}
	}
	if len(out) < 8 {
		t.Fatalf("only %d samples have records", len(out))
	}
	return out
}

// Whatever the order, the batches and the number of times in which records come,
// the trees are the same; records that are lost change no id of what is left.
func TestOrderRepeatsAndLossesOfRecords(t *testing.T) {
	tables := compile(t)
	for name, logs := range eventLogs(t) {
		t.Run(name, func(t *testing.T) {
			whole := joined(tables, batches(logs, all(logs)))
			r := rand.New(rand.NewPCG(1, 2))
			for try := range 20 {
				some := all(logs)
				if try%2 == 1 {
					some = lose(r, some)
				}
				want := joined(tables, batches(logs, some))
				for id, s := range want {
					if whole[id] == nil && !loose(s) {
						t.Fatalf("try %d: span %s is not one of the whole", try, s.Name)
					}
				}
				got := joined(tables, shuffled(r, logs, some))
				if diff := cmp.Diff(settled(want), settled(got)); diff != "" {
					t.Fatalf("try %d (-in order +shuffled)\n%s", try, diff)
				}
			}
		})
	}
}

// loose is a span that no id joins to others: of a decision whose result is lost
// there is no more than itself.
func loose(s *evidence.Span) bool {
	switch s.Attrs.Str("gen_ai.operation.name") {
	case "execute_tool":
		return s.Attrs.Str("gen_ai.tool.call.id") == ""
	case "invoke_agent":
		return s.Parent != (evidence.SpanID{}) && s.Attrs.Str("app.agent.instance.id") == ""
	}
	return false
}

// settled is the tree without what a store keeps of answers that a later one
// replaced: it saw those that were sent in between.
func settled(s spans) string {
	var b strings.Builder
	for line := range strings.Lines(s.tree(true)) {
		if !strings.Contains(line, "* app.tool.decided") {
			b.WriteString(line)
		}
	}
	return b.String()
}

func all(logs plog.Logs) (out []int) {
	for i := range logs.LogRecordCount() {
		out = append(out, i)
	}
	return out
}

func lose(r *rand.Rand, list []int) (out []int) {
	for _, i := range list {
		if r.IntN(4) > 0 {
			out = append(out, i)
		}
	}
	return out
}

// shuffled puts records, some of them twice, into batches in any order.
func shuffled(r *rand.Rand, logs plog.Logs, list []int) []plog.Logs {
	var order []int
	for _, i := range list {
		order = append(order, i)
		if r.IntN(3) == 0 {
			order = append(order, i)
		}
	}
	r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	var out []plog.Logs
	for len(order) > 0 {
		n := 1 + r.IntN(len(order))
		out = append(out, batches(logs, order[:n])...)
		order = order[n:]
	}
	return out
}

// batches is one batch of the records at these places; the samples have one
// resource and scope.
func batches(logs plog.Logs, list []int) []plog.Logs {
	from := logs.ResourceLogs().At(0)
	out := plog.NewLogs()
	rl := out.ResourceLogs().AppendEmpty()
	from.Resource().CopyTo(rl.Resource())
	sl := rl.ScopeLogs().AppendEmpty()
	from.ScopeLogs().At(0).Scope().CopyTo(sl.Scope())
	for _, i := range list {
		from.ScopeLogs().At(0).LogRecords().At(i).CopyTo(sl.LogRecords().AppendEmpty())
	}
	return []plog.Logs{out}
}

func joined(tables *mapping.Tables, sent []plog.Logs) spans {
	set := settings()
	set.Listens = false
	got, state, now := spans{}, synth.NewState(set), time.UnixMilli(zero)
	for _, ld := range sent {
		tables.MapLogs(ld)
		now = now.Add(time.Millisecond)
		got.add(synth.Step(state, ld, now).Traces)
	}
	got.add(synth.Tick(state, now.Add(time.Hour)).Traces)
	return got
}

// sums are what a person counts in a sample: every request once.
var sums = map[string]struct {
	input, output int64
	cost          float64
}{
	"claude_code.json":            {18863, 187, 0.010742},
	"claude_code_traces.json":     {22863, 275, 0},
	"cline.json":                  {18863, 187, 0.010742},
	"codex.json":                  {18863, 187, 0},
	"copilot_chat.json":           {18863, 187, 0},
	"gemini_cli_traces.json":      {0, 0, 0},
	"goose.json":                  {18863, 187, 0},
	"qwen_code.json":              {18863, 187, 0},
	"kimi_code_wire.native.jsonl": {18863, 187, 0},
	"acp.native.jsonl":            {0, 0, 0},
	"cursor_hooks.native.jsonl":   {0, 0, 0},
}

// Adding up the usage of a session gives what its requests used, in every sample.
func TestSumsOverASessionAreRight(t *testing.T) {
	paths, _ := filepath.Glob("../../testbed/corpus/coding/*.json*")
	for _, path := range paths {
		name := filepath.Base(path)
		want, ok := sums[name]
		if !ok {
			if name != "expected.json" {
				t.Errorf("nobody says what %s adds up to", name)
			}
			continue
		}
		sample := corpus(t, path)
		got, _ := run(compile(t), sample)
		var input, output int64
		var cost float64
		for _, s := range got {
			i, _ := s.Attrs.Int("gen_ai.usage.input_tokens")
			o, _ := s.Attrs.Int("gen_ai.usage.output_tokens")
			input, output = input+i, output+o
			if c, ok := s.Attrs["app.usage.cost"].(float64); ok && s.Attrs.Str("app.usage.cost_basis") != "total" {
				cost += c
			}
		}
		if input != want.input || output != want.output || fmt.Sprintf("%.6f", cost) != fmt.Sprintf("%.6f", want.cost) {
			t.Errorf("%s: %d in, %d out, %f; want %+v", name, input, output, cost, want)
		}
	}
}
