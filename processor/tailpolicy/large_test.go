package tailpolicy

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"

	"github.com/otelcol-agent/otelcol-agent/processor/tailpolicy/internal/metadatatest"
)

// narrow is a receiver that refuses for good what is larger than it takes, as one of
// OTLP does, or what has a span of a name.
func narrow(sink *consumertest.TracesSink, name string) consumer.Traces {
	next, _ := consumer.NewTraces(func(ctx context.Context, td ptrace.Traces) error {
		var m ptrace.ProtoMarshaler
		if m.TracesSize(td) > 4<<20 {
			return consumererror.NewPermanent(errors.New("received message larger than max"))
		}
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, span := range ss.Spans().All() {
					if span.Name() == name {
						return consumererror.NewPermanent(errors.New("not that one"))
					}
				}
			}
		}
		return sink.ConsumeTraces(ctx, td)
	})
	return next
}

func big(s ptrace.Span) {
	s.SetName("big")
	s.Attributes().PutStr("text", strings.Repeat("0123456789", 100_000))
}

func TestALargeRunGoesInPortions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &consumertest.TracesSink{}
		p, tel := start(t, nil, narrow(sink, "odd"))
		require.NoError(t, p.ConsumeTraces(t.Context(), one(1, 1, failed)))
		for i := range byte(9) {
			require.NoError(t, p.ConsumeTraces(t.Context(), one(1, 2+i, big)))
		}
		pass(11 * time.Second)
		assert.Equal(t, 10, sink.SpanCount())
		assert.Greater(t, len(sink.AllTraces()), 2)
		stop(t, p, tel)
	})
}

// TestOnePortionIsRefused: what is refused for good is counted and set aside, and
// nothing else is.
func TestOnePortionIsRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs")
	synctest.Test(t, func(t *testing.T) {
		sink := &consumertest.TracesSink{}
		p, tel := start(t, stored(dir), narrow(sink, "odd"))
		for i := range byte(9) {
			require.NoError(t, p.ConsumeTraces(t.Context(), one(1, 1+i, big)))
		}
		require.NoError(t, p.ConsumeTraces(t.Context(), one(1, 99, func(s ptrace.Span) { failed(s); s.SetName("odd") })))
		pass(11 * time.Second)
		assert.Positive(t, sink.SpanCount())
		lost := 10 - sink.SpanCount()
		assert.Less(t, lost, 5)
		metadatatest.AssertEqualProcessorTailpolicySpansDropped(t, tel, []metricdata.DataPoint[int64]{
			{Value: int64(lost), Attributes: attribute.NewSet(attribute.String("reason", "permanent_error"))},
		}, metricdatatest.IgnoreTimestamp())
		data, err := os.ReadFile(filepath.Join(dir, "rejected.jsonl"))
		require.NoError(t, err)
		var u ptrace.JSONUnmarshaler
		aside, err := u.UnmarshalTraces(data)
		require.NoError(t, err)
		assert.Equal(t, lost, aside.SpanCount())
		stop(t, p, tel)
	})
}

// TestARunOnDiskIsDecodedInParts: a run on disk may be larger than memory; it is
// decided when it is as large as may be decoded, and what follows goes with it.
func TestARunOnDiskIsDecodedInParts(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs")
	synctest.Test(t, func(t *testing.T) {
		sink := &consumertest.TracesSink{}
		p, tel := start(t, func(c *Config) { stored(dir)(c); c.MemoryMiB = 16 }, narrow(sink, "odd"))
		require.NoError(t, p.ConsumeTraces(t.Context(), one(1, 1, failed)))
		for i := range byte(20) {
			require.NoError(t, p.ConsumeTraces(t.Context(), one(1, 2+i, big)))
			pass(time.Second)
		}
		assert.GreaterOrEqual(t, sink.SpanCount(), 15, "most of it is out before the run rests")
		pass(11 * time.Second)
		assert.Equal(t, 21, sink.SpanCount())
		stop(t, p, tel)
	})
}
