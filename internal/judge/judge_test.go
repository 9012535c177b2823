package judge_test

import (
	"encoding/hex"
	"math"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-agent/otelcol-agent/internal/judge"
)

func traceID(t testing.TB, s string) (id pcommon.TraceID) {
	t.Helper()
	if n, err := hex.Decode(id[:], []byte(s)); err != nil || n != len(id) {
		t.Fatalf("%q is no trace id", s)
	}
	return id
}

func spanID(t testing.TB, s string) (id pcommon.SpanID) {
	t.Helper()
	if n, err := hex.Decode(id[:], []byte(s)); err != nil || n != len(id) {
		t.Fatalf("%q is no span id", s)
	}
	return id
}

func stamp(t time.Time) pcommon.Timestamp { return pcommon.NewTimestampFromTime(t) }

// result is a complete result about a step.
func result() plog.LogRecord {
	lr := plog.NewLogRecord()
	lr.SetEventName("gen_ai.evaluation.result")
	lr.SetTimestamp(1_800_000_000_000_000_000)
	lr.SetTraceID(pcommon.TraceID{1})
	lr.SetSpanID(pcommon.SpanID{2})
	a := lr.Attributes()
	a.PutStr("gen_ai.evaluation.name", "unit_tests")
	a.PutStr("gen_ai.evaluation.score.label", "pass")
	a.PutDouble("gen_ai.evaluation.score.value", 1)
	a.PutDouble("app.evaluation.scale.min", 0)
	a.PutDouble("app.evaluation.scale.max", 1)
	a.PutStr("app.verifier.name", "go test")
	a.PutStr("app.verifier.version", "1.26")
	a.PutStr("app.verifier.kind", "deterministic")
	a.PutBool("app.evaluation.gate", true)
	a.PutInt("app.evaluation.attempt", 1)
	a.PutStr("app.evaluation.aggregation", "single")
	a.PutStr("app.task.id", "t1")
	return lr
}

// TestIdentity: whatever tells two results apart gives them different spans, and
// what is said about them does not.
func TestIdentity(t *testing.T) {
	id := func(tenant string, edit func(plog.LogRecord)) string {
		lr := result()
		if edit != nil {
			edit(lr)
		}
		v := judge.Judge(tenant, lr, now)
		return v.ID().String()
	}
	base := id("x", nil)
	put := func(k, v string) func(plog.LogRecord) {
		return func(lr plog.LogRecord) { lr.Attributes().PutStr(k, v) }
	}
	for name, other := range map[string]string{
		"tenant":   id("y", nil),
		"time":     id("x", func(lr plog.LogRecord) { lr.SetTimestamp(1) }),
		"span":     id("x", func(lr plog.LogRecord) { lr.SetSpanID(pcommon.SpanID{3}) }),
		"subject":  id("x", func(lr plog.LogRecord) { put("app.verifier.subject.kind", "task")(lr) }),
		"verifier": id("x", put("app.verifier.name", "pytest")),
		"version":  id("x", put("app.verifier.version", "1.27")),
		"metric":   id("x", put("gen_ai.evaluation.name", "lint")),
		"borders": id("x", func(lr plog.LogRecord) {
			put("app.verifier.name", "go test1")(lr)
			put("app.verifier.version", ".26")(lr)
		}),
	} {
		if other == base {
			t.Errorf("results that differ in %s are one span", name)
		}
	}
	if id("x", put("gen_ai.evaluation.explanation", "because")) != base {
		t.Error("an explanation makes another span")
	}
}

// TestNumberIsNoVerdict: no score, on no scale, passes or fails.
func TestNumberIsNoVerdict(t *testing.T) {
	for _, score := range []float64{0, 1, -1, 0.5, 100, math.NaN(), math.Inf(1)} {
		lr := result()
		lr.Attributes().Remove("gen_ai.evaluation.score.label")
		lr.Attributes().PutDouble("gen_ai.evaluation.score.value", score)
		v := judge.Judge("", lr, now)
		if v.Verdict != "unknown" {
			t.Errorf("score %v became %s", score, v.Verdict)
		}
		if inside := score >= 0 && score <= 1; v.Comparable != inside {
			t.Errorf("score %v on a scale of 0 to 1: comparable is %v, missing %v", score, v.Comparable, v.Missing)
		}
	}
}

// FuzzJudge: whatever a record says, the verdict is from the closed lists, its
// span has ids, and only a stated subject is a subject.
func FuzzJudge(f *testing.F) {
	seed := plog.NewLogs()
	result().CopyTo(seed.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty())
	var m plog.ProtoMarshaler
	data, err := m.MarshalLogs(seed)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data, "step", "01000000000000000000000000000000/0200000000000000")
	f.Add(data, "artifact", "sha256:1")
	f.Fuzz(func(t *testing.T, data []byte, kind, id string) {
		var u plog.ProtoUnmarshaler
		logs, err := u.UnmarshalLogs(data)
		if err != nil {
			t.Skip()
		}
		for _, rl := range logs.ResourceLogs().All() {
			for _, sl := range rl.ScopeLogs().All() {
				for _, lr := range sl.LogRecords().All() {
					lr.SetEventName("gen_ai.evaluation.result")
					lr.Attributes().PutStr("app.verifier.subject.kind", kind)
					lr.Attributes().PutStr("app.verifier.subject.id", id)
					checkVerdict(t, judge.Judge("", lr, now))
				}
			}
		}
		traces, _ := judge.Traces(logs, now)
		for _, rs := range traces.ResourceSpans().All() {
			for _, s := range rs.ScopeSpans().At(0).Spans().All() {
				if s.TraceID().IsEmpty() || s.SpanID().IsEmpty() {
					t.Fatal("a verdict span without ids")
				}
			}
		}
	})
}

func checkVerdict(t *testing.T, v judge.Verdict) {
	t.Helper()
	switch v.Verdict {
	case "pass", "fail", "unknown":
	default:
		t.Fatalf("verdict %q", v.Verdict)
	}
	switch v.SubjectKind {
	case "", "step", "artifact", "effect", "task":
	default:
		t.Fatalf("subject kind %q", v.SubjectKind)
	}
	if (v.Outcome == judge.Linked) == v.Target.IsZero() {
		t.Fatalf("%s with target %s", v.Outcome, v.Target)
	}
	if v.Comparable && len(v.Missing) > 0 {
		t.Fatalf("comparable without %v", v.Missing)
	}
	if v.Start.After(v.End) {
		t.Fatal("ends before it starts")
	}
}

// BenchmarkResult is the cost of one result: read, judged, named and written.
func BenchmarkResult(b *testing.B) {
	logs := plog.NewLogs()
	rl := logs.ResourceLogs().AppendEmpty()
	rl.Resource().Attributes().PutStr("tenant.id", "acme")
	sl := rl.ScopeLogs().AppendEmpty()
	for range 100 {
		result().CopyTo(sl.LogRecords().AppendEmpty())
	}
	b.ReportAllocs()
	cpu := cpuNanos()
	for b.Loop() {
		judge.Traces(logs, now)
	}
	b.ReportMetric(float64(cpuNanos()-cpu)/float64(b.N)/100, "cpu-ns/result")
}

// TestScoresOnTheWidestScale: the width of a scale may be no number, the place on it is one.
func TestScoresOnTheWidestScale(t *testing.T) {
	lr := result()
	lr.Attributes().PutDouble("app.evaluation.scale.min", -math.MaxFloat64)
	lr.Attributes().PutDouble("app.evaluation.scale.max", math.MaxFloat64)
	counts := judge.NewScores(10, now)
	for _, score := range []float64{-math.MaxFloat64, 0, math.MaxFloat64} {
		lr.Attributes().PutDouble("gen_ai.evaluation.score.value", score)
		v := judge.Judge("", lr, now)
		if !v.Comparable {
			t.Fatalf("score %v is not comparable, missing %v", score, v.Missing)
		}
		counts.Count(&v)
	}
	for _, m := range counts.Metrics(now).ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().All() {
		if m.Type() == pmetric.MetricTypeHistogram {
			if sum := m.Histogram().DataPoints().At(0).Sum(); sum != 1.5 {
				t.Errorf("lowest, middle and highest score add up to %v, want 1.5", sum)
			}
			return
		}
	}
	t.Error("no histogram")
}
