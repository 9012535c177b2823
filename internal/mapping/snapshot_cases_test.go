package mapping

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/otelcol-agent/otelcol-agent/semconv"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"golang.org/x/tools/txtar"
	"gopkg.in/yaml.v3"
)

// snapshotCase is translated into each goal after the other.
type snapshotCase struct {
	Goals []string `yaml:"goals"`
	Spans []struct {
		Kind       string         `yaml:"kind"`
		Attributes map[string]any `yaml:"attributes"`
		Events     []struct {
			Name       string         `yaml:"name"`
			Attributes map[string]any `yaml:"attributes"`
		} `yaml:"events"`
	} `yaml:"spans"`
	Logs []struct {
		Event      string         `yaml:"event"`
		Attributes map[string]any `yaml:"attributes"`
	} `yaml:"logs"`
	Metrics []struct {
		Name        string           `yaml:"name"`
		Description string           `yaml:"description"`
		Unit        string           `yaml:"unit"`
		Sum         bool             `yaml:"sum"`
		Points      []map[string]any `yaml:"points"`
	} `yaml:"metrics"`
}

// translatorInto is compiled once a goal.
func translatorInto(t testing.TB, goal string) *translator {
	t.Helper()
	s, err := semconv.LoadSnapshot(goal)
	if err != nil {
		t.Fatal(err)
	}
	return newTranslator(s)
}

func TestSnapshotCases(t *testing.T) {
	paths, _ := filepath.Glob("testdata/snapshots/*.txtar")
	if len(paths) == 0 {
		t.Fatal("no cases")
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var in snapshotCase
			dec := yaml.NewDecoder(strings.NewReader(string(archive.Files[0].Data)))
			dec.KnownFields(true)
			if err := dec.Decode(&in); err != nil {
				t.Fatal(err)
			}
			want := archive.Files[1:]
			got := in.run(t)
			if *update {
				archive.Files = append(archive.Files[:1], got...)
				if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(byName(want), byName(got)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func byName(list []txtar.File) map[string]string {
	out := map[string]string{}
	for _, f := range list {
		out[f.Name] = string(f.Data)
	}
	return out
}

func (in *snapshotCase) run(t *testing.T) []txtar.File {
	spans, logs, metrics := in.build(t)
	var out []txtar.File
	for i, goal := range in.Goals {
		x := translatorInto(t, goal)
		var text [2]string
		for pass := range text { // the second pass changes nothing
			var y tally
			for _, s := range spans.All() {
				x.span(s, &y)
			}
			for _, r := range logs.All() {
				x.log(r, &y)
			}
			x.stamped(metrics, "", &y)
			text[pass] = describeTranslated(spans, logs, metrics, &y)
		}
		if text[0] != text[1] {
			t.Errorf("into %s twice:\n%s", goal, cmp.Diff(text[0], text[1]))
		}
		out = append(out, txtar.File{Name: fmt.Sprintf("%d %s", i+1, goal), Data: []byte(text[0])})
	}
	return out
}

func (in *snapshotCase) build(t *testing.T) (ptrace.SpanSlice, plog.LogRecordSlice, pmetric.MetricSlice) {
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	spans, logs, metrics := ptrace.NewSpanSlice(), plog.NewLogRecordSlice(), pmetric.NewMetricSlice()
	for _, s := range in.Spans {
		span := spans.AppendEmpty()
		span.SetKind(spanKinds[s.Kind])
		must(span.Attributes().FromRaw(s.Attributes))
		for _, e := range s.Events {
			event := span.Events().AppendEmpty()
			event.SetName(e.Name)
			must(event.Attributes().FromRaw(e.Attributes))
		}
	}
	for _, l := range in.Logs {
		record := logs.AppendEmpty()
		record.SetEventName(l.Event)
		must(record.Attributes().FromRaw(l.Attributes))
	}
	for _, m := range in.Metrics {
		metric := metrics.AppendEmpty()
		metric.SetName(m.Name)
		metric.SetDescription(m.Description)
		metric.SetUnit(m.Unit)
		if m.Sum {
			sum := metric.SetEmptySum()
			sum.SetAggregationTemporality(pmetric.AggregationTemporalityDelta)
			sum.SetIsMonotonic(true)
			for i, attrs := range m.Points {
				p := sum.DataPoints().AppendEmpty()
				p.SetIntValue(int64(i + 1))
				must(p.Attributes().FromRaw(attrs))
			}
			continue
		}
		h := metric.SetEmptyHistogram()
		h.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
		for i, attrs := range m.Points {
			p := h.DataPoints().AppendEmpty()
			p.SetSum(float64(i + 1))
			must(p.Attributes().FromRaw(attrs))
		}
	}
	return spans, logs, metrics
}

func describeTranslated(spans ptrace.SpanSlice, logs plog.LogRecordSlice, metrics pmetric.MetricSlice, y *tally) string {
	var b strings.Builder
	attrs := func(indent string, m pcommon.Map) {
		raw := m.AsRaw()
		for _, k := range sortedKeys(raw) {
			if f, ok := raw[k].(float64); ok {
				fmt.Fprintf(&b, "%s%s = %v double\n", indent, k, f)
				continue
			}
			fmt.Fprintf(&b, "%s%s = %#v\n", indent, k, raw[k])
		}
	}
	for _, s := range spans.All() {
		fmt.Fprintf(&b, "span %s\n", strings.ToLower(s.Kind().String()))
		attrs("  ", s.Attributes())
		for _, e := range s.Events().All() {
			fmt.Fprintf(&b, "  event %s\n", e.Name())
			attrs("    ", e.Attributes())
		}
	}
	for _, r := range logs.All() {
		fmt.Fprintf(&b, "log %s\n", r.EventName())
		attrs("  ", r.Attributes())
	}
	for _, m := range metrics.All() {
		fmt.Fprintf(&b, "metric %s unit %q %s\n", m.Name(), m.Unit(), m.Type())
		attrs("  ", m.Metadata())
		eachPoint(m, func(a pcommon.Map) {
			b.WriteString("  point\n")
			attrs("    ", a)
		})
	}
	b.WriteString("left:" + counted(y) + "\n")
	return b.String()
}

func counted(y *tally) string {
	var out []string
	for i, n := range y.reasons {
		if n > 0 {
			out = append(out, fmt.Sprintf(" %s=%d", reasonNames[i], n))
		}
	}
	sort.Strings(out)
	return strings.Join(out, "")
}
