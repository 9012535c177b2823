package tailpolicy

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processortest"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/otelcol-agent/otelcol-agent/processor/tailpolicy/internal/metadata"
	"github.com/otelcol-agent/otelcol-agent/processor/tailpolicy/internal/metadatatest"
)

// start makes a processor by its factory, inside the bubble of synctest.
func start(t *testing.T, edit func(*Config), next consumer.Traces) (processor.Traces, *componenttest.Telemetry) {
	t.Helper()
	p, tel, _ := startLogged(t, edit, next)
	return p, tel
}

// startLogged also shows what is logged.
func startLogged(t *testing.T, edit func(*Config), next consumer.Traces) (processor.Traces, *componenttest.Telemetry, *observer.ObservedLogs) {
	t.Helper()
	cfg := NewFactory().CreateDefaultConfig().(*Config)
	cfg.Baseline.Ratio = 0
	if edit != nil {
		edit(cfg)
	}
	require.NoError(t, cfg.Validate())
	tel := componenttest.NewTelemetry()
	set := processortest.NewNopSettings(metadata.Type)
	set.TelemetrySettings = tel.NewTelemetrySettings()
	core, logs := observer.New(zap.InfoLevel)
	set.Logger = zap.New(core)
	p, err := NewFactory().CreateTraces(t.Context(), set, cfg, next)
	require.NoError(t, err)
	require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
	return p, tel, logs
}

func stop(t *testing.T, p processor.Traces, tel *componenttest.Telemetry) {
	t.Helper()
	require.NoError(t, p.Shutdown(context.Background()))
	require.NoError(t, tel.Shutdown(context.Background()))
}

// pass lets the bubble's clock go on and everything that is due happen.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// one is a batch of a single span.
func one(trace, id byte, edit func(ptrace.Span)) ptrace.Traces {
	td := ptrace.NewTraces()
	s := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	s.SetTraceID(pcommon.TraceID{trace})
	s.SetSpanID(pcommon.SpanID{trace, id})
	if edit != nil {
		edit(s)
	}
	return td
}

func failed(s ptrace.Span) { s.Status().SetCode(ptrace.StatusCodeError) }

func TestKeepsAndStampsARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &consumertest.TracesSink{}
		p, tel := start(t, nil, sink)
		require.NoError(t, p.ConsumeTraces(t.Context(), one(1, 1, nil)))
		require.NoError(t, p.ConsumeTraces(t.Context(), one(1, 2, failed)))
		require.NoError(t, p.ConsumeTraces(t.Context(), one(2, 1, nil)))
		pass(9 * time.Second)
		assert.Zero(t, sink.SpanCount())
		pass(3 * time.Second)
		require.Equal(t, 2, sink.SpanCount())
		for _, td := range sink.AllTraces() {
			for _, rs := range td.ResourceSpans().All() {
				a := rs.ScopeSpans().At(0).Spans().At(0).Attributes()
				class, _ := a.Get("app.sampling.class")
				proof, _ := a.Get("app.sampling.evidence")
				rule, _ := a.Get("app.sampling.rule")
				assert.Equal(t, "error", class.Str())
				assert.Equal(t, "01000000000000000000000000000000/0102000000000000", proof.Str())
				assert.NotEmpty(t, rule.Str())
			}
		}
		metadatatest.AssertEqualProcessorTailpolicySpansDropped(t, tel, []metricdata.DataPoint[int64]{
			{Value: 1, Attributes: attribute.NewSet(attribute.String("reason", "baseline"))},
		}, metricdatatest.IgnoreTimestamp())
		metadatatest.AssertEqualProcessorTailpolicyRunsDecided(t, tel, []metricdata.DataPoint[int64]{
			{Value: 1, Attributes: decided("error", "keep", "rest")},
			{Value: 1, Attributes: decided("none", "drop", "rest")},
		}, metricdatatest.IgnoreTimestamp())
		metadatatest.AssertEqualProcessorTailpolicyPendingBytes(t, tel, []metricdata.DataPoint[int64]{{Value: 0}}, metricdatatest.IgnoreTimestamp())
		metadatatest.AssertEqualProcessorTailpolicyPendingRuns(t, tel, []metricdata.DataPoint[int64]{{Value: 0}}, metricdatatest.IgnoreTimestamp())
		stop(t, p, tel)
	})
}

func decided(class, decision, trigger string) attribute.Set {
	return attribute.NewSet(attribute.String("class", class), attribute.String("decision", decision), attribute.String("trigger", trigger))
}

// moody is a next component that fails as it is told.
type moody struct {
	consumertest.TracesSink
	mu   sync.Mutex
	fail error
}

func (m *moody) set(err error) { m.mu.Lock(); m.fail = err; m.mu.Unlock() }

func (m *moody) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	m.mu.Lock()
	err := m.fail
	m.mu.Unlock()
	if err != nil {
		return err
	}
	return m.TracesSink.ConsumeTraces(ctx, td)
}

func TestOutageThenRecovery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		next := &moody{}
		p, tel := start(t, nil, next)
		next.set(errors.New("busy"))
		for trace := range byte(5) {
			require.NoError(t, p.ConsumeTraces(t.Context(), one(1+trace, 1, failed)))
		}
		pass(40 * time.Second)
		assert.Zero(t, next.SpanCount())
		next.set(nil)
		pass(40 * time.Second)
		assert.Equal(t, 5, next.SpanCount())
		stop(t, p, tel)
		assert.Equal(t, 5, next.SpanCount(), "nothing goes out twice")
	})
}

func TestFullOfProtectedRunsRefusesRetryably(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		next := &moody{}
		p, tel := start(t, func(c *Config) { c.MemoryMiB = 1 }, next)
		next.set(errors.New("busy"))
		big := func(s ptrace.Span) {
			failed(s)
			s.Attributes().PutStr("ballast", string(make([]byte, 280<<10)))
		}
		var refused error
		accepted := 0
		for trace := range byte(6) {
			td := one(1+trace, 1, big)
			if err := p.ConsumeTraces(t.Context(), td); err != nil {
				refused = err
				assert.Equal(t, 1, td.SpanCount(), "a refused batch is left as it was")
			} else {
				accepted++
			}
		}
		require.Error(t, refused)
		assert.False(t, consumererror.IsPermanent(refused))
		assert.Equal(t, 3, accepted)
		metadatatest.AssertEqualProcessorTailpolicyBatchesRefused(t, tel, []metricdata.DataPoint[int64]{{Value: 3}}, metricdatatest.IgnoreTimestamp())
		next.set(nil)
		pass(time.Minute)
		assert.Equal(t, accepted, next.SpanCount())
		require.NoError(t, p.ConsumeTraces(t.Context(), one(9, 1, big)))
		stop(t, p, tel)
	})
}

func TestPermanentErrorIsCountedAndNotRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		next := &moody{}
		p, tel := start(t, nil, next)
		next.set(consumererror.NewPermanent(errors.New("never")))
		require.NoError(t, p.ConsumeTraces(t.Context(), one(1, 1, failed)))
		pass(12 * time.Second)
		next.set(nil)
		pass(time.Minute)
		assert.Zero(t, next.SpanCount())
		metadatatest.AssertEqualProcessorTailpolicySpansDropped(t, tel, []metricdata.DataPoint[int64]{
			{Value: 1, Attributes: attribute.NewSet(attribute.String("reason", "permanent_error"))},
		}, metricdatatest.IgnoreTimestamp())
		metadatatest.AssertEqualProcessorTailpolicySendsFailed(t, tel, []metricdata.DataPoint[int64]{
			{Value: 1, Attributes: attribute.NewSet(attribute.String("outcome", "permanent"))},
		}, metricdatatest.IgnoreTimestamp())
		stop(t, p, tel)
	})
}

func TestLateAlarmIsCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &consumertest.TracesSink{}
		p, tel := start(t, nil, sink)
		require.NoError(t, p.ConsumeTraces(t.Context(), one(1, 1, nil)))
		pass(30 * time.Second)
		require.NoError(t, p.ConsumeTraces(t.Context(), one(1, 2, failed)))
		pass(30 * time.Second)
		assert.Equal(t, 1, sink.SpanCount())
		metadatatest.AssertEqualProcessorTailpolicyRunsIncomplete(t, tel, []metricdata.DataPoint[int64]{
			{Value: 1, Attributes: attribute.NewSet(attribute.String("class", "error"))},
		}, metricdatatest.IgnoreTimestamp())
		metadatatest.AssertEqualProcessorTailpolicySpansLate(t, tel, []metricdata.DataPoint[int64]{
			{Value: 1, Attributes: attribute.NewSet(attribute.String("decision", "keep"))},
		}, metricdatatest.IgnoreTimestamp())
		stop(t, p, tel)
	})
}

func TestShutdownDrainsAndWaitsForTheNextComponent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		next := &moody{}
		p, tel := start(t, nil, next)
		next.set(errors.New("busy"))
		require.NoError(t, p.ConsumeTraces(t.Context(), one(1, 1, failed)))
		require.NoError(t, p.ConsumeTraces(t.Context(), one(2, 1, failed)))
		time.AfterFunc(2*time.Second, func() { next.set(nil) })
		began := time.Now()
		stop(t, p, tel)
		assert.Less(t, time.Since(began), 5*time.Second, "shutdown does not wait for runs to rest")
		assert.Equal(t, 2, next.SpanCount())
	})
}

func TestShutdownGivesUpInTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		next := &moody{}
		p, tel := start(t, nil, next)
		next.set(errors.New("busy"))
		require.NoError(t, p.ConsumeTraces(t.Context(), one(1, 1, failed)))
		began := time.Now()
		require.EqualError(t, p.Shutdown(context.Background()),
			"tailpolicy: 1 acknowledged spans are lost: the next component did not take them within 10s: busy")
		assert.LessOrEqual(t, time.Since(began), drainLimit+time.Second)
		metadatatest.AssertEqualProcessorTailpolicySpansDropped(t, tel, []metricdata.DataPoint[int64]{
			{Value: 1, Attributes: attribute.NewSet(attribute.String("reason", "shutdown"))},
		}, metricdatatest.IgnoreTimestamp())
		require.NoError(t, tel.Shutdown(context.Background()))
	})
}

// stuck is a next component that answers only when it is told to stop.
type stuck struct{ consumertest.TracesSink }

func (*stuck) ConsumeTraces(ctx context.Context, _ ptrace.Traces) error {
	<-ctx.Done()
	return ctx.Err()
}

func TestShutdownEndsWhatIsBeingSent(t *testing.T) {
	for name, rest := range map[string]time.Duration{"begun before": 15 * time.Second, "begun by it": 0} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, tel := start(t, nil, &stuck{})
				require.NoError(t, p.ConsumeTraces(t.Context(), one(1, 1, failed)))
				pass(rest)
				began := time.Now()
				require.ErrorContains(t, p.Shutdown(context.Background()), "1 acknowledged spans are lost")
				assert.LessOrEqual(t, time.Since(began), drainLimit+time.Second)
				require.NoError(t, tel.Shutdown(context.Background()))
			})
		})
	}
}

// deaf is a next component that answers when it likes, whatever its context says.
type deaf struct {
	consumertest.TracesSink
	wake chan struct{}
}

func (d *deaf) ConsumeTraces(context.Context, ptrace.Traces) error {
	<-d.wake
	return nil
}

// TestShutdownLeavesADeafComponentBehind: it ends within the caller's patience, says
// what the next component has not answered for, and keeps it in storage if there is one.
func TestShutdownLeavesADeafComponentBehind(t *testing.T) {
	for name, dir := range map[string]string{"memory": "", "storage": filepath.Join(t.TempDir(), "runs")} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				next := &deaf{wake: make(chan struct{})}
				edit := func(c *Config) {
					if dir != "" {
						stored(dir)(c)
					}
				}
				p, tel := start(t, edit, next)
				const runs = 40
				for i := range byte(runs) {
					require.NoError(t, p.ConsumeTraces(t.Context(), one(1+i, 1, failed)))
				}
				pass(15 * time.Second)
				ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
				defer cancel()
				time.AfterFunc(time.Hour, func() { close(next.wake) })
				began := time.Now()
				err := p.Shutdown(ctx)
				assert.LessOrEqual(t, time.Since(began), 3*time.Second+2*grace)
				if dir == "" {
					require.ErrorContains(t, err, "40 acknowledged spans are lost")
					metadatatest.AssertEqualProcessorTailpolicySpansDropped(t, tel, []metricdata.DataPoint[int64]{
						{Value: runs, Attributes: attribute.NewSet(attribute.String("reason", "shutdown"))},
					}, metricdatatest.IgnoreTimestamp())
				} else {
					require.NoError(t, err)
					sink := &consumertest.TracesSink{}
					again, tel := start(t, edit, sink)
					pass(12 * time.Second)
					assert.Equal(t, runs, sink.SpanCount(), "what was not answered for goes on with the next start")
					stop(t, again, tel)
				}
				pass(time.Hour)
				require.NoError(t, tel.Shutdown(context.Background()))
			})
		})
	}
}

func TestNothingIsTakenAfterShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, tel := start(t, nil, &consumertest.TracesSink{})
		stop(t, p, tel)
		td := one(1, 1, failed)
		err := p.ConsumeTraces(t.Context(), td)
		require.Error(t, err)
		assert.False(t, consumererror.IsPermanent(err))
		assert.Equal(t, 1, td.SpanCount(), "a refused batch is left as it was")
	})
}

func TestRules(t *testing.T) {
	all := 1.0
	rules := []RuleConfig{
		{Name: "loss", Condition: `span.attributes["score"] >= -5 and span.attributes["score"] <= 0`, Keep: &all},
		{Name: "long", Condition: `span.end_time - span.start_time > Duration("5s")`, Keep: &all},
	}
	for _, c := range []struct {
		name string
		kept bool
		edit func(ptrace.Span)
	}{
		{"lower bound", true, func(s ptrace.Span) { s.Attributes().PutInt("score", -5) }},
		{"zero is a bound", true, func(s ptrace.Span) { s.Attributes().PutInt("score", 0) }},
		{"just above", false, func(s ptrace.Span) { s.Attributes().PutDouble("score", 0.0001) }},
		{"far above", false, func(s ptrace.Span) { s.Attributes().PutInt("score", 9) }},
		{"text is no number", false, func(s ptrace.Span) { s.Attributes().PutStr("score", "-3") }},
		{"absent", false, nil},
		{"long", true, func(s ptrace.Span) { s.SetEndTimestamp(6e9) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sink := &consumertest.TracesSink{}
				p, tel := start(t, func(cfg *Config) { cfg.Rules = rules }, sink)
				require.NoError(t, p.ConsumeTraces(t.Context(), one(1, 1, c.edit)))
				pass(12 * time.Second)
				assert.Equal(t, c.kept, sink.SpanCount() == 1)
				stop(t, p, tel)
			})
		})
	}
}

// TestManySenders: concurrent batches, a small budget and a clock; run with the
// race detector. Every alarm comes out once.
func TestManySenders(t *testing.T) {
	sink := &consumertest.TracesSink{}
	cfg := NewFactory().CreateDefaultConfig().(*Config)
	cfg.Baseline.Ratio, cfg.MemoryMiB, cfg.DecisionWait = 0, 1, 20*time.Millisecond
	p, err := NewFactory().CreateTraces(t.Context(), processortest.NewNopSettings(metadata.Type), cfg, sink)
	require.NoError(t, err)
	require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
	const senders, batches = 4, 200
	var wg sync.WaitGroup
	for s := range byte(senders) {
		wg.Go(func() {
			for b := range batches {
				td := one(1+s, byte(b), func(span ptrace.Span) {
					span.SetTraceID(pcommon.TraceID{s, byte(b), 1})
					span.SetSpanID(pcommon.SpanID{s, byte(b), 1})
					span.Attributes().PutStr("ballast", string(make([]byte, 20<<10)))
					if b%10 == 0 {
						failed(span)
					}
				})
				for p.ConsumeTraces(context.Background(), td) != nil {
				}
			}
		})
	}
	wg.Wait()
	require.NoError(t, p.Shutdown(context.Background()))
	assert.Equal(t, senders*batches/10, sink.SpanCount())
}
