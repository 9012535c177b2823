package mapping

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"golang.org/x/tools/txtar"
	"gopkg.in/yaml.v3"
)

var update = flag.Bool("update", false, "rewrite the expected parts of testdata/cases")

// caseInput is the compact form in which cases are written.
type caseInput struct {
	Content  bool           `yaml:"content"`
	Resource map[string]any `yaml:"resource"`
	Scope    string         `yaml:"scope"`
	Version  string         `yaml:"version"`
	Spans    []struct {
		Name       string         `yaml:"name"`
		Kind       string         `yaml:"kind"`
		Attributes map[string]any `yaml:"attributes"`
		Parent     bool           `yaml:"parent"` // not a root
		ID         byte           `yaml:"id"`     // with below: spans of one trace
		Below      byte           `yaml:"below"`
		Scope      string         `yaml:"scope"` // another one, for this span and those behind it
		Status     string         `yaml:"status"`
		Message    string         `yaml:"message"`
		Dropped    uint32         `yaml:"dropped"` // attributes that the emitter dropped
		Events     []struct {
			Name       string         `yaml:"name"`
			Attributes map[string]any `yaml:"attributes"`
		} `yaml:"events"`
		Links []struct {
			Attributes map[string]any `yaml:"attributes"`
		} `yaml:"links"`
	} `yaml:"spans"`
	Logs []struct {
		Event      string         `yaml:"event"`
		Body       any            `yaml:"body"`
		Severity   string         `yaml:"severity"`
		Span       byte           `yaml:"span"` // 0: none
		Time       uint64         `yaml:"time"`
		Attributes map[string]any `yaml:"attributes"`
	} `yaml:"logs"`
	Metrics []struct {
		Name       string         `yaml:"name"`
		Unit       string         `yaml:"unit"`
		Type       string         `yaml:"type"`
		Sum        float64        `yaml:"sum"`
		Bounds     []float64      `yaml:"bounds"`
		Attributes map[string]any `yaml:"attributes"`
	} `yaml:"metrics"`
}

func TestCases(t *testing.T) {
	paths, err := filepath.Glob("testdata/cases/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no cases", err)
	}
	byOption := map[bool]*Tables{}
	for _, content := range []bool{false, true} {
		byOption[content] = embedded(t, Options{Content: content, JoinRecords: 4})
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var in caseInput
			dec := yaml.NewDecoder(strings.NewReader(string(archive.Files[0].Data)))
			dec.KnownFields(true)
			if err := dec.Decode(&in); err != nil {
				t.Fatal(err)
			}
			got := mapCase(t, byOption[in.Content], &in)
			if *update {
				archive.Files = append(archive.Files[:1], txtar.File{Name: "out", Data: []byte(got)})
				if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if len(archive.Files) != 2 {
				t.Fatal("the case has no expected part; run with -update and review")
			}
			if diff := cmp.Diff(string(archive.Files[1].Data), got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// mapCase maps the input twice and describes the result; the second pass must
// change nothing.
func mapCase(t *testing.T, tables *Tables, in *caseInput) string {
	td, ld, md := in.build(t)
	var b strings.Builder
	for range 2 {
		first := b.String()
		b.Reset()
		var reports []Report
		reports = append(reports, tables.MapTraces(td), tables.MapLogs(ld), tables.MapMetrics(md))
		describe(&b, td, ld, md)
		if first != "" {
			body, _, _ := strings.Cut(first, "\nmapped:")
			if diff := cmp.Diff(body, b.String()); diff != "" {
				t.Errorf("the second pass changed something\n%s", diff)
			}
			return first
		}
		b.WriteString("\nmapped:" + describeCounts(reports, func(r Report) []Count { return r.Mapped }))
		b.WriteString("\nleft:" + describeCounts(reports, func(r Report) []Count { return r.Left }) + "\n")
	}
	return ""
}

func (in *caseInput) build(t *testing.T) (ptrace.Traces, plog.Logs, pmetric.Metrics) {
	td, ld, md := ptrace.NewTraces(), plog.NewLogs(), pmetric.NewMetrics()
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(in.Spans) > 0 {
		rs := td.ResourceSpans().AppendEmpty()
		must(rs.Resource().Attributes().FromRaw(in.Resource))
		ss := rs.ScopeSpans().AppendEmpty()
		ss.Scope().SetName(in.Scope)
		ss.Scope().SetVersion(in.Version)
		for _, s := range in.Spans {
			if s.Scope != "" {
				ss = rs.ScopeSpans().AppendEmpty()
				ss.Scope().SetName(s.Scope)
			}
			span := ss.Spans().AppendEmpty()
			span.SetName(s.Name)
			span.SetKind(spanKinds[s.Kind])
			must(span.Attributes().FromRaw(s.Attributes))
			if s.Parent {
				span.SetParentSpanID([8]byte{1})
			}
			if s.ID > 0 {
				span.SetTraceID([16]byte{1})
				span.SetSpanID([8]byte{s.ID})
			}
			if s.Below > 0 {
				span.SetTraceID([16]byte{1})
				span.SetParentSpanID([8]byte{s.Below})
			}
			span.Status().SetCode(statusCodes[s.Status])
			span.Status().SetMessage(s.Message)
			span.SetDroppedAttributesCount(s.Dropped)
			for _, e := range s.Events {
				event := span.Events().AppendEmpty()
				event.SetName(e.Name)
				must(event.Attributes().FromRaw(e.Attributes))
			}
			for _, l := range s.Links {
				must(span.Links().AppendEmpty().Attributes().FromRaw(l.Attributes))
			}
		}
	}
	if len(in.Logs) > 0 {
		rl := ld.ResourceLogs().AppendEmpty()
		must(rl.Resource().Attributes().FromRaw(in.Resource))
		sl := rl.ScopeLogs().AppendEmpty()
		sl.Scope().SetName(in.Scope)
		sl.Scope().SetVersion(in.Version)
		for _, l := range in.Logs {
			record := sl.LogRecords().AppendEmpty()
			record.SetEventName(l.Event)
			record.SetSeverityText(l.Severity)
			if l.Span > 0 {
				record.SetTraceID([16]byte{1})
				record.SetSpanID([8]byte{l.Span})
			}
			record.SetTimestamp(pcommon.Timestamp(l.Time))
			must(record.Body().FromRaw(l.Body))
			must(record.Attributes().FromRaw(l.Attributes))
		}
	}
	if len(in.Metrics) > 0 {
		sm := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty()
		sm.Scope().SetName(in.Scope)
		for _, m := range in.Metrics {
			metric := sm.Metrics().AppendEmpty()
			metric.SetName(m.Name)
			metric.SetUnit(m.Unit)
			switch m.Type {
			case "histogram":
				p := metric.SetEmptyHistogram().DataPoints().AppendEmpty()
				p.SetSum(m.Sum)
				p.ExplicitBounds().FromRaw(m.Bounds)
				must(p.Attributes().FromRaw(m.Attributes))
			case "exponential":
				p := metric.SetEmptyExponentialHistogram().DataPoints().AppendEmpty()
				p.SetSum(m.Sum)
				must(p.Attributes().FromRaw(m.Attributes))
			default:
				p := metric.SetEmptySum().DataPoints().AppendEmpty()
				p.SetDoubleValue(m.Sum)
				must(p.Attributes().FromRaw(m.Attributes))
			}
		}
	}
	return td, ld, md
}

func describe(b *strings.Builder, td ptrace.Traces, ld plog.Logs, md pmetric.Metrics) {
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				fmt.Fprintf(b, "span %q %s", s.Name(), strings.ToLower(s.Kind().String()))
				if s.Status().Code() != ptrace.StatusCodeUnset {
					fmt.Fprintf(b, " %s %q", strings.ToLower(s.Status().Code().String()), s.Status().Message())
				}
				b.WriteString("\n")
				describeAttributes(b, "  ", s.Attributes())
				for _, e := range s.Events().All() {
					fmt.Fprintf(b, "  event %q\n", e.Name())
					describeAttributes(b, "    ", e.Attributes())
				}
				for _, l := range s.Links().All() {
					b.WriteString("  link\n")
					describeAttributes(b, "    ", l.Attributes())
				}
			}
		}
	}
	for _, rl := range ld.ResourceLogs().All() {
		for _, sl := range rl.ScopeLogs().All() {
			for _, r := range sl.LogRecords().All() {
				fmt.Fprintf(b, "log %q body %q\n", r.EventName(), r.Body().AsString())
				describeAttributes(b, "  ", r.Attributes())
			}
		}
	}
	for _, rm := range md.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				fmt.Fprintf(b, "metric %q unit %q\n", m.Name(), m.Unit())
				describeAttributes(b, "  ", m.Metadata())
				if m.Type() == pmetric.MetricTypeHistogram {
					p := m.Histogram().DataPoints().At(0)
					fmt.Fprintf(b, " point sum %v bounds %v\n", p.Sum(), p.ExplicitBounds().AsRaw())
				}
				eachPoint(m, func(a pcommon.Map) { describeAttributes(b, "  ", a) })
			}
		}
	}
}

func describeAttributes(b *strings.Builder, indent string, m pcommon.Map) {
	raw := m.AsRaw()
	for _, k := range sortedKeys(raw) {
		switch v := raw[k].(type) {
		case float64:
			fmt.Fprintf(b, "%s%s = %v double\n", indent, k, v)
		default:
			fmt.Fprintf(b, "%s%s = %#v\n", indent, k, v)
		}
	}
}

func describeCounts(reports []Report, pick func(Report) []Count) string {
	total := map[string]int64{}
	for _, r := range reports {
		for _, c := range pick(r) {
			total[c.Name] += c.N
		}
	}
	var out []string
	for k, n := range total {
		out = append(out, fmt.Sprintf(" %s=%d", k, n))
	}
	sort.Strings(out)
	return strings.Join(out, "")
}
