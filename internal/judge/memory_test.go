package judge_test

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/internal/judge"
)

func answered(n int) ptrace.Span {
	s := ptrace.NewSpan()
	var id pcommon.SpanID
	binary.BigEndian.PutUint64(id[:], uint64(n)+1)
	s.SetTraceID(pcommon.TraceID{1})
	s.SetSpanID(id)
	s.Attributes().PutStr("gen_ai.response.id", fmt.Sprint("response-", n))
	return s
}

func asked(n int) plog.LogRecord {
	lr := result()
	lr.SetTraceID(pcommon.TraceID{})
	lr.SetSpanID(pcommon.SpanID{})
	lr.Attributes().PutStr("gen_ai.response.id", fmt.Sprint("response-", n))
	return lr
}

// TestAMillionTargetsFit: the bound of memory holds at a million remembered
// steps and beyond, and the oldest made room.
func TestAMillionTargetsFit(t *testing.T) {
	const most, limit = 1_000_000, 200 << 20
	n := most + most/10
	if testing.Short() {
		t.Skip("takes a second")
	}
	before := heap()
	m := judge.NewMemory(judge.Limits{Targets: most, Window: time.Hour})
	for i := range n {
		m.See("", answered(i), now)
	}
	grown := heap() - before
	t.Logf("%d targets take %d MiB", m.Targets(), grown>>20)
	if m.Targets() != most {
		t.Errorf("%d targets are remembered, want %d", m.Targets(), most)
	}
	if grown > limit {
		t.Errorf("%d bytes for %d targets, more than %d", grown, most, limit)
	}
	for at, want := range map[int]bool{0: false, n - most - 1: false, n - most: true, n - 1: true} {
		lr := asked(at)
		v := judge.Judge("", lr, now)
		m.Aim(&v, lr.Attributes(), now)
		if (v.Outcome == judge.Found) != want {
			t.Errorf("step %d: %s", at, v.Outcome)
		}
	}
	runtime.KeepAlive(m)
}

func heap() uint64 {
	var s runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&s)
	return s.HeapAlloc
}

// TestMemoryForgets: after the window a step is no target any more.
func TestMemoryForgets(t *testing.T) {
	m := judge.NewMemory(judge.Limits{Targets: 10, Window: time.Minute})
	m.See("", answered(1), now)
	for after, want := range map[time.Duration]judge.Outcome{59 * time.Second: judge.Found, 61 * time.Second: judge.Orphan} {
		lr := asked(1)
		v := judge.Judge("", lr, now)
		// The sample names a task too, which has no root here.
		m.Aim(&v, lr.Attributes(), now.Add(after))
		if v.Outcome != want {
			t.Errorf("after %v: %s, want %s", after, v.Outcome, want)
		}
	}
}

// TestIdentityDoesNotDependOnWhatIsFound: a result that is sent again is the
// same span, whether its subject was known or not.
func TestIdentityDoesNotDependOnWhatIsFound(t *testing.T) {
	m := judge.NewMemory(judge.Limits{Targets: 10, Window: time.Minute})
	id := func() string {
		lr := asked(1)
		v := judge.Judge("", lr, now)
		m.Aim(&v, lr.Attributes(), now)
		return v.ID().String()
	}
	before := id()
	m.See("", answered(1), now)
	if after := id(); after != before {
		t.Errorf("%s became %s", before, after)
	}
}

// BenchmarkSee is the cost of a span that can be named.
func BenchmarkSee(b *testing.B) {
	m := judge.NewMemory(judge.Limits{Targets: 100_000, Window: time.Hour})
	all := make([]ptrace.Span, 1000)
	for i := range all {
		all[i] = answered(i)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		m.See("", all[i%len(all)], now)
	}
}

// BenchmarkFound is the cost of a result whose step is looked up, compared with
// what was said before, counted and written.
func BenchmarkFound(b *testing.B) {
	m := judge.NewMemory(judge.Limits{Targets: 100_000, Window: time.Hour})
	scores := judge.NewScores(1000, now)
	logs := plog.NewLogs()
	sl := logs.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty()
	for i := range 100 {
		m.See("", answered(i), now)
		asked(i).CopyTo(sl.LogRecords().AppendEmpty())
	}
	b.ReportAllocs()
	cpu := cpuNanos()
	for b.Loop() {
		batch := judge.NewBatch()
		m.Read(logs, now, func(a judge.Arrival) {
			m.Dispute(&a.Verdict, batch.Add(&a), now)
			if m.First(&a.Verdict, now) {
				scores.Count(&a.Verdict)
			}
		})
	}
	b.ReportMetric(float64(cpuNanos()-cpu)/float64(b.N)/100, "cpu-ns/result")
}
