package agents

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"gopkg.in/yaml.v3"
)

const zero = 1795996800000 // ms, of every sample

// input is the compact form of testdata/agents. Times are ms after zero.
type input struct {
	Resource map[string]any `yaml:"resource"`
	Scope    string         `yaml:"scope"`
	All      map[string]any `yaml:"all"` // attributes of every record and span
	Logs     []struct {
		Time  float64        `yaml:"t"`
		Event string         `yaml:"event"`
		Body  any            `yaml:"body"`
		Ctx   string         `yaml:"ctx"` // trace/span
		A     map[string]any `yaml:"a"`
	} `yaml:"logs"`
	Spans []struct {
		Name   string         `yaml:"name"`
		Ctx    string         `yaml:"ctx"`
		Below  string         `yaml:"below"`
		T      [2]float64     `yaml:"t"`
		Kind   string         `yaml:"kind"`
		Status string         `yaml:"status"`
		A      map[string]any `yaml:"a"`
		Events []struct {
			Name string         `yaml:"name"`
			A    map[string]any `yaml:"a"`
		} `yaml:"events"`
	} `yaml:"spans"`
	Lines []string `yaml:"lines"` // of a journal
	Path  string   `yaml:"path"`  // of it
}

// telemetry is what one sample sends.
type telemetry struct {
	logs   plog.Logs
	traces ptrace.Traces
}

func (in *input) build(t testing.TB) telemetry {
	out := telemetry{plog.NewLogs(), ptrace.NewTraces()}
	must := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	rl, rs := out.logs.ResourceLogs().AppendEmpty(), out.traces.ResourceSpans().AppendEmpty()
	must(rl.Resource().Attributes().FromRaw(in.Resource))
	must(rs.Resource().Attributes().FromRaw(in.Resource))
	sl, ss := rl.ScopeLogs().AppendEmpty(), rs.ScopeSpans().AppendEmpty()
	sl.Scope().SetName(in.Scope)
	ss.Scope().SetName(in.Scope)
	attributes := func(to pcommon.Map, own map[string]any) {
		all := map[string]any{}
		for k, v := range in.All {
			all[k] = v
		}
		for k, v := range own {
			all[k] = v
		}
		must(to.FromRaw(all))
	}
	for _, l := range in.Logs {
		r := sl.LogRecords().AppendEmpty()
		if l.Time > 0 {
			r.SetTimestamp(at(l.Time))
		}
		r.SetEventName(l.Event)
		if l.Body != nil {
			must(r.Body().FromRaw(l.Body))
		}
		attributes(r.Attributes(), l.A)
		if l.Ctx != "" {
			trace, span := ids(l.Ctx)
			r.SetTraceID(trace)
			r.SetSpanID(span)
		}
	}
	for i, line := range in.Lines {
		r := sl.LogRecords().AppendEmpty()
		r.SetObservedTimestamp(at(float64(100_000 + i)))
		var body any
		must(json.Unmarshal([]byte(line), &body))
		must(r.Body().FromRaw(body))
		if in.Path != "" {
			r.Attributes().PutStr("log.file.path", in.Path)
		}
	}
	for _, s := range in.Spans {
		span := ss.Spans().AppendEmpty()
		span.SetName(s.Name)
		trace, id := ids(s.Ctx)
		span.SetTraceID(trace)
		span.SetSpanID(id)
		if s.Below != "" {
			_, parent := ids("0/" + s.Below)
			span.SetParentSpanID(parent)
		}
		span.SetStartTimestamp(at(s.T[0]))
		span.SetEndTimestamp(at(s.T[1]))
		span.SetKind(map[string]ptrace.SpanKind{"": ptrace.SpanKindInternal, "client": ptrace.SpanKindClient}[s.Kind])
		span.Status().SetCode(map[string]ptrace.StatusCode{"": 0, "ok": 1, "error": 2}[s.Status])
		attributes(span.Attributes(), s.A)
		for _, e := range s.Events {
			ev := span.Events().AppendEmpty()
			ev.SetName(e.Name)
			must(ev.Attributes().FromRaw(e.A))
		}
	}
	return out
}

func at(ms float64) pcommon.Timestamp { return pcommon.Timestamp(zero*int64(1e6) + int64(ms*1e6)) }

// ids reads trace/span, short names padded with zeros behind.
func ids(text string) (trace pcommon.TraceID, span pcommon.SpanID) {
	a, b, _ := strings.Cut(text, "/")
	copy(trace[:], "trace-"+a)
	copy(span[:], b)
	if a == "" {
		trace = pcommon.TraceID{}
	}
	return trace, span
}

func parseInput(t testing.TB, text string) telemetry {
	t.Helper()
	var in input
	dec := yaml.NewDecoder(strings.NewReader(text))
	dec.KnownFields(true)
	if err := dec.Decode(&in); err != nil {
		t.Fatal(err)
	}
	return in.build(t)
}

// corpus reads a sample of corpus/coding.
func corpus(t testing.TB, path string) telemetry {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(path, ".jsonl") {
		base := filepath.Base(path)
		service := map[string]string{"kimi_code_wire.native.jsonl": "kimi-code", "acp.native.jsonl": "acp", "cursor_hooks.native.jsonl": "cursor"}[base]
		in := input{Resource: map[string]any{"service.name": service}, Lines: strings.Split(strings.TrimSpace(string(b)), "\n")}
		in.Path = map[string]string{"kimi-code": "/home/.kimi-code/sessions/ws/session_1/agents/main/wire.jsonl"}[service]
		return in.build(t)
	}
	out := telemetry{plog.NewLogs(), ptrace.NewTraces()}
	if strings.Contains(string(b), `"resourceSpans"`) {
		out.traces, err = (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(b)
	} else {
		out.logs, err = (&plog.JSONUnmarshaler{}).UnmarshalLogs(b)
	}
	if err != nil {
		t.Fatal(path, err)
	}
	return out
}
