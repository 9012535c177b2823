package lenient

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// samples are valid requests as coding agents send them: records of a batch with a
// dozen attributes, spans with events, points of counters, and records whose bulk is
// one long text.
func samples(tb testing.TB) map[string]sample {
	logs, talk, traces, metrics := plog.NewLogs(), plog.NewLogs(), ptrace.NewTraces(), pmetric.NewMetrics()
	records := logs.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords()
	texts := talk.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords()
	spans := traces.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
	sum := metrics.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
	sum.SetName("counter")
	points := sum.SetEmptySum().DataPoints()
	at := pcommon.Timestamp(1_700_000_000_000_000_000)
	for i := range 100 {
		r := records.AppendEmpty()
		r.SetTimestamp(at)
		r.Body().SetStr("an event of an agent")
		r.SetTraceID(pcommon.TraceID{1, byte(i)})
		fill(r.Attributes(), i)

		r = texts.AppendEmpty()
		r.SetTimestamp(at)
		r.Body().SetStr(strings.Repeat("some \"words\" of a model, and more of them without a quote in between; ", 40))

		s := spans.AppendEmpty()
		s.SetName("a step of an agent")
		s.SetTraceID(pcommon.TraceID{1, byte(i)})
		s.SetSpanID(pcommon.SpanID{2, byte(i)})
		s.SetStartTimestamp(at)
		s.SetEndTimestamp(at + 1)
		fill(s.Attributes(), i)
		s.Events().AppendEmpty().SetName("something")

		p := points.AppendEmpty()
		p.SetTimestamp(at)
		p.SetDoubleValue(0.25 * float64(i))
		fill(p.Attributes(), i)
	}
	l, err := (&plog.JSONMarshaler{}).MarshalLogs(logs)
	require.NoError(tb, err)
	x, err := (&plog.JSONMarshaler{}).MarshalLogs(talk)
	require.NoError(tb, err)
	tr, err := (&ptrace.JSONMarshaler{}).MarshalTraces(traces)
	require.NoError(tb, err)
	m, err := (&pmetric.JSONMarshaler{}).MarshalMetrics(metrics)
	require.NoError(tb, err)
	return map[string]sample{"logs": {Logs, l}, "texts": {Logs, x}, "traces": {Traces, tr}, "metrics": {Metrics, m}}
}

type sample struct {
	signal Signal
	body   []byte
}

func fill(m pcommon.Map, i int) {
	for j := range 4 {
		m.PutStr(fmt.Sprintf("some.name.of.text.%d", j), "a value of usual length")
		m.PutInt(fmt.Sprintf("some.number.%d", j), int64(i*j))
	}
	m.PutDouble("some.cost", 0.125*float64(i))
	m.PutBool("some.flag", i%2 == 0)
	m.PutEmptySlice("some.list").AppendEmpty().SetStr("item")
}

func BenchmarkRepair(b *testing.B) {
	for name, s := range samples(b) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(s.body)))
			for b.Loop() {
				_, _, _ = Repair(s.signal, s.body, levels)
			}
		})
		b.Run(name+"/decoder", func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(s.body)))
			for b.Loop() {
				_ = stock(s.signal, s.body)
			}
		})
	}
}

func TestNothingIsAllocatedForAValidRequest(t *testing.T) {
	for name, s := range samples(t) {
		require.Zero(t, testing.AllocsPerRun(5, func() { _, _, _ = Repair(s.signal, s.body, levels) }), name)
	}
}

// BenchmarkBesideDecoder reports what a valid request costs in times of what decoding
// it alone costs, in processor time, the least of 30 tries of each.
func BenchmarkBesideDecoder(b *testing.B) {
	if cpuNanos() == 0 {
		b.Skip("no clock of processor time here")
	}
	for name, s := range samples(b) {
		b.Run(name, func(b *testing.B) {
			var decode, both time.Duration = 1 << 62, 1 << 62
			for b.Loop() {
				for range 30 {
					decode = min(decode, cost(func() { _ = stock(s.signal, s.body) }))
					both = min(both, cost(func() {
						fixed, _, _ := Repair(s.signal, s.body, levels)
						_ = stock(s.signal, fixed)
					}))
				}
			}
			b.ReportMetric(float64(both)/float64(decode), "both/decoding")
		})
	}
}

// cost is the processor time of one call.
func cost(f func()) time.Duration {
	start := cpuNanos()
	f()
	return time.Duration(cpuNanos() - start)
}
