package evaluation

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/connector/connectortest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/connector/evaluation/internal/metadata"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// stage is a connector with all its doors open.
type stage struct {
	logs interface {
		ConsumeLogs(context.Context, plog.Logs) error
	}
	traces interface {
		ConsumeTraces(context.Context, ptrace.Traces) error
	}
	counter interface {
		ConsumeLogs(context.Context, plog.Logs) error
	}
	out    *consumertest.TracesSink
	counts *consumertest.MetricsSink
	court  *court
	close  func()
}

func open(t *testing.T, host component.Host, edit func(*Config)) *stage {
	t.Helper()
	f := NewFactory()
	cfg := f.CreateDefaultConfig().(*Config)
	if edit != nil {
		edit(cfg)
	}
	require.NoError(t, cfg.Validate())
	s := &stage{out: &consumertest.TracesSink{}, counts: &consumertest.MetricsSink{}}
	set := connectortest.NewNopSettings(metadata.Type)
	l, err := f.CreateLogsToTraces(t.Context(), set, cfg, s.out)
	require.NoError(t, err)
	tr, err := f.CreateTracesToTraces(t.Context(), set, cfg, s.out)
	require.NoError(t, err)
	m, err := f.CreateLogsToMetrics(t.Context(), set, cfg, s.counts)
	require.NoError(t, err)
	all := []component.Component{m, l, tr}
	for _, c := range all {
		require.NoError(t, c.Start(t.Context(), host))
	}
	s.logs, s.traces, s.counter, s.court = l, tr, m, l.(*logs).court
	s.close = sync.OnceFunc(func() {
		for _, c := range all {
			assert.NoError(t, c.Shutdown(context.Background()))
		}
	})
	return s
}

type attrs map[string]any

func results(tenant string, all ...attrs) plog.Logs {
	ld := plog.NewLogs()
	rl := ld.ResourceLogs().AppendEmpty()
	rl.Resource().Attributes().PutStr("tenant.id", tenant)
	for i, a := range all {
		lr := rl.ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
		lr.SetEventName("gen_ai.evaluation.result")
		lr.SetTimestamp(pcommon.NewTimestampFromTime(time.Now().Add(time.Duration(i) * time.Millisecond)))
		if err := lr.Attributes().FromRaw(a); err != nil {
			panic(err)
		}
	}
	return ld
}

func spans(tenant string, edits ...func(ptrace.Span)) ptrace.Traces {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("tenant.id", tenant)
	for i, edit := range edits {
		s := rs.ScopeSpans().AppendEmpty().Spans().AppendEmpty()
		s.SetTraceID(pcommon.TraceID{1})
		s.SetSpanID(pcommon.SpanID{byte(i + 1)})
		s.SetEndTimestamp(pcommon.NewTimestampFromTime(time.Now()))
		edit(s)
	}
	return td
}

func with(kv ...any) func(ptrace.Span) {
	return func(s ptrace.Span) {
		for i := 0; i < len(kv); i += 2 {
			v := s.Attributes().PutEmpty(kv[i].(string))
			_ = v.FromRaw(kv[i+1])
		}
	}
}

func (s *stage) verdicts() (out []evidence.Span) {
	for _, td := range s.out.AllTraces() {
		out = append(out, evidence.FromTraces(td)...)
	}
	return out
}

var step1 = evidence.StepID{Trace: evidence.TraceID{1}, Span: evidence.SpanID{1}}

// A result names its subject by a response, an artifact or a task, and the step
// comes before it, after it, twice, elsewhere or never.
func TestSubjectIsFound(t *testing.T) {
	response := attrs{"gen_ai.response.id": "r1"}
	for name, c := range map[string]struct {
		result  attrs
		seen    []func(ptrace.Span)
		tenant  string // of the spans
		outcome string // subject kind, "" for an orphan
		to      evidence.StepID
	}{
		"a response":                              {response, []func(ptrace.Span){with("gen_ai.response.id", "r1")}, "a", "step", step1},
		"the second of two responses":             {response, []func(ptrace.Span){with("gen_ai.response.id", "r0"), with("gen_ai.response.id", "r1")}, "a", "step", evidence.StepID{Trace: evidence.TraceID{1}, Span: evidence.SpanID{2}}},
		"a response that two steps have":          {response, []func(ptrace.Span){with("gen_ai.response.id", "r1"), with("gen_ai.response.id", "r1")}, "a", "", evidence.StepID{}},
		"a response of another tenant":            {response, []func(ptrace.Span){with("gen_ai.response.id", "r1")}, "b", "", evidence.StepID{}},
		"a response that nobody has":              {response, []func(ptrace.Span){with("gen_ai.response.id", "r2")}, "a", "", evidence.StepID{}},
		"a response that a judge names":           {response, []func(ptrace.Span){with("gen_ai.response.id", "r1", "app.task.phase", "verify")}, "a", "", evidence.StepID{}},
		"an artifact by its hash":                 {attrs{"app.artifact.hash": "h"}, []func(ptrace.Span){with("app.artifact.hash", "h", "app.artifact.role", "produced")}, "a", "artifact", step1},
		"an artifact that was only read":          {attrs{"app.artifact.hash": "h"}, []func(ptrace.Span){with("app.artifact.hash", "h", "app.artifact.role", "consumed")}, "a", "artifact", evidence.StepID{}},
		"a response before an artifact":           {attrs{"gen_ai.response.id": "r1", "app.artifact.hash": "h"}, []func(ptrace.Span){with("gen_ai.response.id", "r1"), with("app.artifact.hash", "h")}, "a", "step", step1},
		"a task with one root":                    {attrs{"app.task.id": "t"}, []func(ptrace.Span){with("app.task.id", "t")}, "a", "task", step1},
		"a task with two roots":                   {attrs{"app.task.id": "t"}, []func(ptrace.Span){with("app.task.id", "t"), with("app.task.id", "t")}, "a", "", evidence.StepID{}},
		"a response that is not there, in a task": {attrs{"app.task.id": "t", "gen_ai.response.id": "r9"}, []func(ptrace.Span){with("app.task.id", "t")}, "a", "", evidence.StepID{}},
	} {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, after it %v", name, after), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := open(t, componenttest.NewNopHost(), nil)
					defer s.close()
					see := func() { require.NoError(t, s.traces.ConsumeTraces(t.Context(), spans(c.tenant, c.seen...))) }
					if !after {
						see()
					}
					require.NoError(t, s.logs.ConsumeLogs(t.Context(), results("a", c.result)))
					if after {
						time.Sleep(time.Minute)
						see()
					}
					time.Sleep(11 * time.Minute)
					got := s.verdicts()
					require.Len(t, got, 1)
					assert.Equal(t, c.outcome, got[0].Attrs.Str("app.verifier.subject.kind"))
					var to evidence.StepID
					for _, l := range got[0].Links {
						if l.Relation == "evaluates" {
							to = l.To
						}
					}
					assert.Equal(t, c.to, to)
				})
			})
		}
	}
}

// What waits is bounded in number and in bytes; what has no room goes out as it
// stands, and nothing is lost.
func TestWaitingIsBounded(t *testing.T) {
	s := open(t, componenttest.NewNopHost(), func(c *Config) { c.MaxWaiting = 10 })
	for i := range 25 {
		require.NoError(t, s.logs.ConsumeLogs(t.Context(), results("a", attrs{"gen_ai.response.id": fmt.Sprint("r", i)})))
	}
	assert.Equal(t, 10, s.court.waiting.Len())
	assert.Len(t, s.verdicts(), 15)
	s.close()
	assert.Len(t, s.verdicts(), 25, "the rest goes out at the stop")

	s = open(t, componenttest.NewNopHost(), func(c *Config) { c.MaxWaitingMiB = 1 })
	defer s.close()
	for i := range 3000 {
		require.NoError(t, s.logs.ConsumeLogs(t.Context(), results("a", attrs{"gen_ai.response.id": fmt.Sprint("r", i), "x": string(make([]byte, 1000))})))
	}
	assert.LessOrEqual(t, s.court.waiting.Bytes(), 1<<20)
	assert.Less(t, 500, s.court.waiting.Len())
}

// A batch that the next component refuses is not taken; what waited waits on.
func TestRefusalTakesNothing(t *testing.T) {
	s := open(t, componenttest.NewNopHost(), nil)
	defer s.close()
	require.NoError(t, s.logs.ConsumeLogs(t.Context(), results("a", attrs{"gen_ai.response.id": "r1"})))
	busy := errors.New("busy")
	s.court.traces = consumertest.NewErr(busy)
	require.ErrorIs(t, s.traces.ConsumeTraces(t.Context(), spans("a", with("gen_ai.response.id", "r1"))), busy)
	both := results("a", attrs{"gen_ai.response.id": "r2"}, attrs{"app.verifier.subject.kind": "task", "app.task.id": "t"})
	require.ErrorIs(t, s.logs.ConsumeLogs(t.Context(), both), busy)
	assert.Equal(t, 1, s.court.waiting.Len(), "only what waited before")
	s.court.traces = s.out
	s.close()
	require.Len(t, s.verdicts(), 1)
	assert.Equal(t, "step", s.verdicts()[0].Attrs.Str("app.verifier.subject.kind"))
}

// A disagreement is in the span of the verdict that makes it: a sampler that
// decided the run long ago sees it there.
func TestDisputeIsInTheSpan(t *testing.T) {
	s := open(t, componenttest.NewNopHost(), nil)
	defer s.close()
	about := attrs{"app.verifier.subject.kind": "step", "app.verifier.subject.id": step1.String(), "app.verifier.name": "tests", "app.task.id": "t"}
	said := func(version, verdict string) attrs {
		a := attrs{"app.verifier.version": version, "app.verifier.verdict": verdict}
		for k, v := range about {
			a[k] = v
		}
		return a
	}
	classes := func(i int) (out []string) {
		for _, hit := range evidence.Classify(evidence.Run{Tenant: "a", Spans: s.verdicts()[i : i+1]}) {
			out = append(out, hit.Class)
		}
		return out
	}
	require.NoError(t, s.logs.ConsumeLogs(t.Context(), results("a", said("1", "pass"))))
	require.NoError(t, s.logs.ConsumeLogs(t.Context(), results("a", said("1", "fail"))))
	assert.NotContains(t, classes(1), "verifier_disagreement", "one verifier changed its mind")
	require.NoError(t, s.logs.ConsumeLogs(t.Context(), results("b", said("2", "pass"))))
	require.NoError(t, s.logs.ConsumeLogs(t.Context(), results("a", said("2", "pass"))))
	assert.Contains(t, classes(3), "verifier_disagreement")
	require.NoError(t, s.traces.ConsumeTraces(t.Context(), spans("a", with("app.task.id", "t", "app.outcome", "completed"))))
	require.NoError(t, s.logs.ConsumeLogs(t.Context(), results("a", said("1", "fail"))))
	assert.Contains(t, classes(4), "verifier_disagreement", "it fails what is claimed completed")

	whole := evidence.NewReport(evidence.Run{Tenant: "a", Spans: append(s.verdicts()[:2:2], s.verdicts()[3:]...)}, "")
	assert.Len(t, whole.Verdicts, 4, "what an event repeats is not another verdict")
}

// Results that a span states itself are judged too.
func TestEventsOfSpans(t *testing.T) {
	s := open(t, componenttest.NewNopHost(), nil)
	defer s.close()
	event := func(sp ptrace.Span) {
		e := sp.Events().AppendEmpty()
		e.SetName("gen_ai.evaluation.result")
		e.SetTimestamp(5)
		e.Attributes().PutStr("app.verifier.verdict", "fail")
	}
	require.NoError(t, s.traces.ConsumeTraces(t.Context(), spans("a", event, func(sp ptrace.Span) {
		event(sp)
		l := sp.Links().AppendEmpty()
		l.SetTraceID(pcommon.TraceID{7})
		l.SetSpanID(pcommon.SpanID{7})
		l.Attributes().PutStr("app.link.relation", "evaluates")
	})))
	got := s.verdicts()
	require.Len(t, got, 2)
	assert.Equal(t, step1, got[0].Links[0].To, "an event of a span judges the span")
	assert.Equal(t, evidence.StepID{Trace: evidence.TraceID{7}, Span: evidence.SpanID{7}}, got[1].Links[0].To, "an evaluator judges what it links to")
}

// Every result is counted once, however often and at whichever door it comes; a
// score counts only on its scale.
func TestCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, componenttest.NewNopHost(), func(c *Config) { c.Metrics.MaxSeries = 3 })
		defer s.close()
		full := func(score float64, version string) attrs {
			return attrs{"gen_ai.evaluation.name": "m", "gen_ai.evaluation.score.value": score, "app.evaluation.scale.min": 0.0, "app.evaluation.scale.max": 4.0,
				"app.verifier.name": "v", "app.verifier.version": version, "app.verifier.kind": "human", "app.verifier.verdict": "fail", "app.evaluation.gate": true,
				"app.evaluation.attempt": 1, "app.evaluation.aggregation": "single", "app.verifier.subject.kind": "task", "app.task.id": "t"}
		}
		ld := results("a", full(1, "1"), full(3, "1"), full(9, "1"), full(2, "2"), full(2, "3"), full(2, "4"), full(2, "5"))
		for range 2 {
			require.NoError(t, s.logs.ConsumeLogs(t.Context(), ld))
			require.NoError(t, s.counter.ConsumeLogs(t.Context(), ld))
		}
		time.Sleep(time.Minute)
		all := s.counts.AllMetrics()
		require.NotEmpty(t, all)
		got := map[string]string{}
		sm := all[len(all)-1].ResourceMetrics().At(0).ScopeMetrics().At(0)
		for _, m := range sm.Metrics().All() {
			switch m.Name() {
			case "app.evaluation.scores":
				for _, p := range m.Histogram().DataPoints().All() {
					v, _ := p.Attributes().Get("app.verifier.version")
					got["scores "+v.Str()] = fmt.Sprint(p.Count(), " ", p.Sum())
				}
			default:
				for _, p := range m.Sum().DataPoints().All() {
					v, _ := p.Attributes().Get("app.verifier.version")
					got[m.Name()+" "+v.Str()] = fmt.Sprint(p.IntValue())
				}
			}
		}
		assert.Equal(t, map[string]string{
			"app.evaluation.results 1": "3", "app.evaluation.results 2": "1", "app.evaluation.results 3": "1", "app.evaluation.results _other": "2",
			"app.evaluation.gate.failures 1": "3", "app.evaluation.gate.failures 2": "1", "app.evaluation.gate.failures 3": "1", "app.evaluation.gate.failures _other": "2",
			"scores 1": "2 1", "scores 2": "1 0.5", "scores 3": "1 0.5", "scores _other": "2 1",
		}, got)
	})
}

// disk is a storage extension that keeps everything in memory of the test.
type disk struct {
	component.StartFunc
	component.ShutdownFunc
	mu   sync.Mutex
	data map[string][]byte
}

func (d *disk) GetClient(context.Context, component.Kind, component.ID, string) (storage.Client, error) {
	return d, nil
}
func (d *disk) Close(context.Context) error { return nil }
func (d *disk) Get(_ context.Context, k string) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.data[k], nil
}
func (d *disk) Set(ctx context.Context, k string, v []byte) error {
	return d.Batch(ctx, storage.SetOperation(k, v))
}
func (d *disk) Delete(ctx context.Context, k string) error {
	return d.Batch(ctx, storage.DeleteOperation(k))
}
func (d *disk) Batch(_ context.Context, ops ...*storage.Operation) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, o := range ops {
		switch o.Type {
		case storage.Set:
			d.data[o.Key] = o.Value
		case storage.Delete:
			delete(d.data, o.Key)
		case storage.Get:
			o.Value = d.data[o.Key]
		}
	}
	return nil
}

type host struct {
	extensions map[component.ID]component.Component
}

func (h host) GetExtensions() map[component.ID]component.Component { return h.extensions }

// With a storage a restart forgets neither results that wait nor steps, and a
// kill between two looks at the clock no result that was taken.
func TestRestart(t *testing.T) {
	for _, killed := range []bool{false, true} {
		t.Run(fmt.Sprintf("killed %v", killed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &disk{data: map[string][]byte{}}
				id := component.MustNewID("disk")
				h := host{map[component.ID]component.Component{id: d}}
				edit := func(c *Config) { c.Storage = &id }
				first := open(t, h, edit)
				require.NoError(t, first.traces.ConsumeTraces(t.Context(), spans("a", with("gen_ai.response.id", "r1"))))
				require.NoError(t, first.logs.ConsumeLogs(t.Context(), results("a", attrs{"gen_ai.response.id": "r2"}, attrs{"gen_ai.response.id": "r3"})))
				if killed {
					time.Sleep(2 * keepEvery)
					copied := &disk{data: map[string][]byte{}}
					d.mu.Lock()
					maps.Copy(copied.data, d.data)
					d.mu.Unlock()
					h.extensions[id] = copied
				}
				first.close()
				require.Empty(t, first.verdicts(), "what waits stays in the storage")

				second := open(t, h, edit)
				defer second.close()
				require.NoError(t, second.logs.ConsumeLogs(t.Context(), results("a", attrs{"gen_ai.response.id": "r1"})))
				require.Len(t, second.verdicts(), 1, "the step was seen before the restart")
				require.NoError(t, second.traces.ConsumeTraces(t.Context(), spans("a", func(s ptrace.Span) {
					s.SetSpanID(pcommon.SpanID{9})
					with("gen_ai.response.id", "r2")(s)
				})))
				got := second.verdicts()
				require.Len(t, got, 2, "the result was sent before the restart")
				assert.Equal(t, evidence.SpanID{9}, got[1].Links[0].To.Span)
				time.Sleep(11 * time.Minute)
				require.Len(t, second.verdicts(), 3, "its subject never came")
				second.close()

				third := open(t, h, edit)
				time.Sleep(20 * time.Minute)
				third.close()
				assert.Empty(t, third.verdicts(), "nothing is sent twice")
			})
		})
	}
}

// What a refused batch wrote to the storage does not stay there.
func TestRefusalLeavesNothingInTheStorage(t *testing.T) {
	d := &disk{data: map[string][]byte{}}
	id := component.MustNewID("disk")
	s := open(t, host{map[component.ID]component.Component{id: d}}, func(c *Config) { c.Storage = &id })
	defer s.close()
	s.court.traces = consumertest.NewErr(errors.New("busy"))
	require.Error(t, s.logs.ConsumeLogs(t.Context(), results("a", attrs{"gen_ai.response.id": "r2"}, attrs{"app.verifier.subject.kind": "task", "app.task.id": "t"})))
	d.mu.Lock()
	defer d.mu.Unlock()
	for k := range d.data {
		assert.NotContains(t, k, "held/")
	}
}

func TestStorageThatIsNotThere(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	id := component.MustNewID("nothing")
	cfg.Storage = &id
	c, err := NewFactory().CreateLogsToTraces(t.Context(), connectortest.NewNopSettings(metadata.Type), cfg, consumertest.NewNop())
	require.NoError(t, err)
	require.ErrorContains(t, c.Start(t.Context(), componenttest.NewNopHost()), "service.extensions")
	require.NoError(t, c.Shutdown(context.Background()))
}
