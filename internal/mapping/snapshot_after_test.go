package mapping

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/otelcol-agent/otelcol-agent/semconv"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// A record that is in a snapshot's words already has its facts under that
// snapshot's names; what stands under another one is something else.
func TestStrayNamesAreNotTheFact(t *testing.T) {
	for name, c := range map[string]struct {
		home, target string
		in, out      map[string]any
		left         string
	}{
		"left alone where the target does not have the name": {
			"genai-2026-08-15", "core-1.41.1",
			map[string]any{"gen_ai.system": "framework"},
			map[string]any{"gen_ai.system": "framework"}, "",
		},
		"set aside where the target has it": {
			"genai-2026-08-15", "core-1.36.0",
			map[string]any{"gen_ai.system": "framework"},
			map[string]any{"app.original.gen_ai.system": "framework"}, "",
		},
		"gives way to the fact that says the same": {
			"genai-2026-08-15", "core-1.36.0",
			map[string]any{"gen_ai.system": "xai", "gen_ai.provider.name": "x_ai"},
			map[string]any{"gen_ai.system": "xai"}, "",
		},
		"gives its name to the fact that it contradicts": {
			"genai-2026-08-15", "core-1.36.0",
			map[string]any{"gen_ai.system": "azure.chat", "gen_ai.provider.name": "azure.ai.openai"},
			map[string]any{"gen_ai.system": "azure.ai.openai", "app.original.gen_ai.system": "azure.chat"}, "",
		},
		"contradicts the fact under a name that the target does not have either": {
			"genai-2026-08-15", "genai-2026-10-09",
			map[string]any{"gen_ai.system": "openai", "gen_ai.provider.name": "azure.ai.openai"},
			map[string]any{"gen_ai.system": "openai", "gen_ai.provider.name": "azure.ai.openai"}, " conflict=1",
		},
		"is a fact of the home where the home has it": {
			"core-1.36.0", "genai-2026-10-09",
			map[string]any{"gen_ai.system": "xai"},
			map[string]any{"gen_ai.provider.name": "x_ai"}, "",
		},
		"is a key that only later snapshots have": {
			"genai-2026-08-15", "genai-2026-09-03",
			map[string]any{"gen_ai.skill.name": "s", "gen_ai.usage.text.input_tokens": int64(3)},
			map[string]any{"gen_ai.skill.name": "s", "gen_ai.usage.text.input_tokens": int64(3)}, " not_in_snapshot=1",
		},
		"is set aside in the other direction too": {
			"genai-2026-09-03", "genai-2026-08-15",
			map[string]any{"gen_ai.usage.cache_creation.input_tokens": int64(3)},
			map[string]any{"app.original.gen_ai.usage.cache_creation.input_tokens": int64(3)}, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			target, err := semconv.LoadSnapshot(c.target)
			if err != nil {
				t.Fatal(err)
			}
			span := ptrace.NewSpan()
			_ = span.Attributes().FromRaw(c.in)
			var y tally
			translatorsInto(target)[c.home].span(span, &y)
			if diff := cmp.Diff(c.out, span.Attributes().AsRaw()); diff != "" || counted(&y) != c.left {
				t.Errorf("left%s\n%s", counted(&y), diff)
			}
		})
	}
}

// Of the metrics of one scope each goes by its own stamp.
func TestMetricsGoByTheirStamp(t *testing.T) {
	target, err := semconv.LoadSnapshot("genai-2026-10-09")
	if err != nil {
		t.Fatal(err)
	}
	list := pmetric.NewMetricSlice()
	for _, stamp := range []string{"", "core-1.36.0", "genai-2026-08-15", "genai-2026-10-09", "genai-2030-01-01"} {
		m := list.AppendEmpty()
		m.SetName("gen_ai.client.operation.duration")
		m.SetEmptyHistogram().DataPoints().AppendEmpty().Attributes().PutStr("gen_ai.operation.name", "chat")
		if stamp != "" {
			m.Metadata().PutStr(semconv.AppMappingSnapshot, stamp)
		}
	}
	translatorsInto(target).metrics(list, nil)
	var got []string
	for _, m := range list.All() {
		got = append(got, m.Name()+" "+stampOf(m))
	}
	want := []string{
		"gen_ai.client.operation.duration ", "gen_ai.client.inference.duration genai-2026-10-09", "gen_ai.client.inference.duration genai-2026-10-09",
		"gen_ai.client.operation.duration genai-2026-10-09", "gen_ai.client.operation.duration genai-2030-01-01",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
