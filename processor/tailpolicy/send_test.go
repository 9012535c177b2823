package tailpolicy

import (
	"context"
	"encoding/binary"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"

	"github.com/otelcol-agent/otelcol-agent/processor/tailpolicy/internal/metadatatest"
)

// runsOfOne is a batch of n runs of a span each; the one in the middle is odd.
func runsOfOne(n int) ptrace.Traces {
	td := ptrace.NewTraces()
	spans := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
	for i := range n {
		s := spans.AppendEmpty()
		var id pcommon.TraceID
		binary.BigEndian.PutUint32(id[:], uint32(i+1))
		s.SetTraceID(id)
		s.SetSpanID(pcommon.SpanID{1})
		if i == n/2 {
			s.SetName("odd")
		}
	}
	return td
}

// slow takes nothing before it is let go.
func slow(open <-chan struct{}, next consumer.Traces) consumer.Traces {
	c, _ := consumer.NewTraces(func(ctx context.Context, td ptrace.Traces) error {
		<-open
		return next.ConsumeTraces(ctx, td)
	})
	return c
}

// TestSmallRunsGoTogether: each worker has at most one batch before the next component
// is let go, and at most one after.
func TestSmallRunsGoTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink, letGo := &consumertest.TracesSink{}, make(chan struct{})
		p, tel := start(t, func(c *Config) { c.Baseline.Ratio = 1 }, slow(letGo, sink))
		n := 10 * workers()
		require.NoError(t, p.ConsumeTraces(t.Context(), runsOfOne(n)))
		pass(11 * time.Second)
		close(letGo)
		pass(time.Second)
		assert.Equal(t, n, sink.SpanCount())
		assert.LessOrEqual(t, len(sink.AllTraces()), 2*workers())
		stop(t, p, tel)
	})
}

// TestOneOfAGroupIsRefused: the runs that went with it are not lost for it.
func TestOneOfAGroupIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink, letGo := &consumertest.TracesSink{}, make(chan struct{})
		p, tel := start(t, func(c *Config) { c.Baseline.Ratio = 1 }, slow(letGo, narrow(sink, "odd")))
		n := 10 * workers()
		require.NoError(t, p.ConsumeTraces(t.Context(), runsOfOne(n)))
		pass(11 * time.Second)
		close(letGo)
		pass(time.Second)
		assert.Equal(t, n-1, sink.SpanCount())
		metadatatest.AssertEqualProcessorTailpolicySpansDropped(t, tel, []metricdata.DataPoint[int64]{
			{Value: 1, Attributes: attribute.NewSet(attribute.String("reason", "permanent_error"))},
		}, metricdatatest.IgnoreTimestamp())
		metadatatest.AssertEqualProcessorTailpolicySendsFailed(t, tel, []metricdata.DataPoint[int64]{
			{Value: 1, Attributes: attribute.NewSet(attribute.String("outcome", "permanent"))},
		}, metricdatatest.IgnoreTimestamp())
		stop(t, p, tel)
	})
}

// TestAGroupIsTriedAgain: an error that passes leaves all of its runs pending.
func TestAGroupIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		next, letGo := &moody{}, make(chan struct{})
		p, tel := start(t, func(c *Config) { c.Baseline.Ratio = 1 }, slow(letGo, next))
		next.set(assert.AnError)
		n := 10 * workers()
		require.NoError(t, p.ConsumeTraces(t.Context(), runsOfOne(n)))
		pass(11 * time.Second)
		close(letGo)
		pass(time.Second)
		assert.Zero(t, next.SpanCount())
		next.set(nil)
		pass(time.Minute)
		assert.Equal(t, n, next.SpanCount())
		stop(t, p, tel)
	})
}
