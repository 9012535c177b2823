package agentevents

import (
	"context"
	"errors"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/connector"
	"go.opentelemetry.io/collector/connector/connectortest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"

	"github.com/otelcol-agent/otelcol-agent/connector/agentevents/internal/metadata"
	"github.com/otelcol-agent/otelcol-agent/connector/agentevents/internal/metadatatest"
)

var began = time.Unix(1_800_000_000, 0)

// records makes one log record an event name, a second apart, of one turn.
func records(events ...string) plog.Logs {
	ld := plog.NewLogs()
	rl := ld.ResourceLogs().AppendEmpty()
	rl.Resource().Attributes().PutStr("service.name", "cli")
	list := rl.ScopeLogs().AppendEmpty().LogRecords()
	for i, name := range events {
		lr := list.AppendEmpty()
		lr.SetEventName(name)
		lr.SetTimestamp(pcommonTime(began.Add(time.Duration(i) * time.Second)))
		lr.Attributes().PutStr("app.session.id", "s1")
		lr.Attributes().PutStr("app.turn.id", "t1")
		lr.Attributes().PutStr("app.mapping.dialect", "demo")
		lr.Attributes().PutStr("gen_ai.tool.name", "Bash")
		lr.Attributes().PutStr("gen_ai.tool.call.id", "c1")
		if name == "app.tool.decided" {
			lr.Attributes().PutStr("app.permission.decision", "allow")
		}
	}
	return ld
}

func create(t *testing.T, set connector.Settings, next consumer.Traces, change func(*Config)) connector.Logs {
	t.Helper()
	cfg := createDefaultConfig().(*Config)
	if change != nil {
		change(cfg)
	}
	c, err := NewFactory().CreateLogsToTraces(t.Context(), set, cfg, next)
	require.NoError(t, err)
	require.NoError(t, c.Start(t.Context(), componenttest.NewNopHost()))
	return c
}

func nop() connector.Settings { return connectortest.NewNopSettings(metadata.Type) }

// The golden file is what a mapped batch of a coding agent becomes.
func TestGolden(t *testing.T) {
	raw, err := os.ReadFile("testdata/turn/in.json")
	require.NoError(t, err)
	logs, err := (&plog.JSONUnmarshaler{}).UnmarshalLogs(raw)
	require.NoError(t, err)
	sink := &consumertest.TracesSink{}
	c := create(t, nop(), sink, nil)
	before := plog.NewLogs()
	logs.CopyTo(before)
	require.NoError(t, c.ConsumeLogs(t.Context(), logs))
	require.Equal(t, before, logs, "the logs belong to other pipelines too")
	require.NoError(t, c.Shutdown(t.Context()))
	require.Len(t, sink.AllTraces(), 1)
	compareGolden(t, "testdata/turn/out.json", sink.AllTraces()[0])
}

func TestIdleTurnGoesOutWithoutAnotherRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &consumertest.TracesSink{}
		c := create(t, nop(), sink, nil)
		require.NoError(t, c.ConsumeLogs(t.Context(), records("app.turn.started", "app.tool.decided")))
		require.Equal(t, 1, sink.SpanCount(), "the root; the allowed call waits for its result")
		time.Sleep(29 * time.Second)
		require.Equal(t, 1, sink.SpanCount())
		time.Sleep(3 * time.Second)
		require.Equal(t, 2, sink.SpanCount())
		require.NoError(t, c.Shutdown(t.Context()))
	})
}

func TestShutdownSendsWhatIsOpen(t *testing.T) {
	sink := &consumertest.TracesSink{}
	c := create(t, nop(), sink, func(c *Config) { c.Emit = "closed" })
	require.NoError(t, c.ConsumeLogs(t.Context(), records("app.turn.started", "app.tool.decided")))
	require.Zero(t, sink.SpanCount())
	require.NoError(t, c.Shutdown(t.Context()))
	require.Equal(t, 2, sink.SpanCount())
}

func TestBatchWithoutEventsSendsNothing(t *testing.T) {
	sink := &consumertest.TracesSink{}
	c := create(t, nop(), sink, nil)
	require.NoError(t, c.ConsumeLogs(t.Context(), records("something.else")))
	require.NoError(t, c.ConsumeLogs(t.Context(), plog.NewLogs()))
	require.NoError(t, c.Shutdown(t.Context()))
	require.Empty(t, sink.AllTraces())
}

// refusing answers with its error until that is taken away.
type refusing struct {
	consumertest.TracesSink
	err error
}

func (r *refusing) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	if r.err != nil {
		return r.err
	}
	return r.TracesSink.ConsumeTraces(ctx, td)
}

func TestRefusedDeliveryIsTheSendersErrorAndIsRepeated(t *testing.T) {
	next := &refusing{err: errors.New("queue is full")}
	c := create(t, nop(), next, func(c *Config) { c.MaxTurns = 1 })
	logs := records("app.turn.started", "app.tool.completed")
	require.ErrorIs(t, c.ConsumeLogs(t.Context(), logs), next.err)
	require.ErrorIs(t, c.ConsumeLogs(t.Context(), logs), next.err)
	next.err = nil
	require.NoError(t, c.ConsumeLogs(t.Context(), logs))
	require.NoError(t, c.Shutdown(t.Context()))
	require.Equal(t, 2, next.SpanCount())
}

func TestRefusedTickIsRepeatedByTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		next := &refusing{}
		c := create(t, nop(), next, func(c *Config) { c.Emit = "closed" })
		require.NoError(t, c.ConsumeLogs(t.Context(), records("app.turn.started", "app.tool.completed")))
		setError := func(err error) { // under the connector's own lock
			j := c.(*joiner)
			j.mu.Lock()
			defer j.mu.Unlock()
			next.err = err
		}
		setError(errors.New("queue is full"))
		time.Sleep(time.Minute)
		require.Zero(t, next.SpanCount())
		setError(nil)
		time.Sleep(2 * time.Second)
		require.Equal(t, 2, next.SpanCount())
		time.Sleep(time.Minute)
		require.NoError(t, c.Shutdown(t.Context()))
		require.Equal(t, 2, next.SpanCount(), "once")
	})
}

// Spans that will never be taken must not block those that would be.
func TestPermanentRefusalIsNotRepeated(t *testing.T) {
	next := &refusing{err: consumererror.NewPermanent(errors.New("refused"))}
	c := create(t, nop(), next, func(c *Config) { c.Emit, c.MaxTurns = "closed", 1 })
	require.NoError(t, c.ConsumeLogs(t.Context(), records("app.turn.started")))
	require.Error(t, c.Shutdown(t.Context()))
}

func TestTelemetry(t *testing.T) {
	reader := componenttest.NewTelemetry()
	t.Cleanup(func() { require.NoError(t, reader.Shutdown(context.WithoutCancel(t.Context()))) })
	next := &refusing{}
	c := create(t, metadatatest.NewSettings(reader), next, nil)
	logs := records("app.turn.started", "app.tool.decided", "other")
	logs.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().AppendEmpty().SetEventName("app.turn.started")
	require.NoError(t, c.ConsumeLogs(t.Context(), logs))
	next.err = errors.New("queue is full")
	require.Error(t, c.ConsumeLogs(t.Context(), records("app.tool.completed")))
	next.err = nil
	require.NoError(t, c.ConsumeLogs(t.Context(), records("app.tool.completed")))

	outcome := func(name string, n int64) metricdata.DataPoint[int64] {
		return metricdata.DataPoint[int64]{Value: n, Attributes: attribute.NewSet(attribute.String("outcome", name))}
	}
	phase := func(name string, n int64) metricdata.DataPoint[int64] {
		return metricdata.DataPoint[int64]{Value: n, Attributes: attribute.NewSet(attribute.String("phase", name))}
	}
	ignoreTime := metricdatatest.IgnoreTimestamp()
	metadatatest.AssertEqualConnectorAgenteventsRecords(t, reader,
		[]metricdata.DataPoint[int64]{outcome("joined", 3), outcome("ignored", 1), outcome("no_time", 1)}, ignoreTime)
	metadatatest.AssertEqualConnectorAgenteventsSpans(t, reader, []metricdata.DataPoint[int64]{{Value: 3}}, ignoreTime)
	metadatatest.AssertEqualConnectorAgenteventsTurns(t, reader, []metricdata.DataPoint[int64]{phase("open", 1), phase("settled", 0)}, ignoreTime)
	metadatatest.AssertEqualConnectorAgenteventsDeliveryErrors(t, reader, []metricdata.DataPoint[int64]{{Value: 1}}, ignoreTime)

	require.NoError(t, c.Shutdown(t.Context()))
	metadatatest.AssertEqualConnectorAgenteventsTurnsClosed(t, reader,
		[]metricdata.DataPoint[int64]{{Value: 1, Attributes: attribute.NewSet(attribute.String("reason", "shutdown"))}}, ignoreTime)
}

// While nothing can be delivered, the state holds its limit and one batch.
func TestOutageDoesNotGrowTheState(t *testing.T) {
	next := &refusing{err: errors.New("queue is full")}
	c := create(t, nop(), next, func(c *Config) { c.Emit, c.MaxTurns = "closed", 3 })
	for i := range 50 {
		logs := records("app.turn.started")
		logs.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0).Attributes().PutStr("app.turn.id", string(rune('a'+i)))
		_ = c.ConsumeLogs(t.Context(), logs)
	}
	require.LessOrEqual(t, c.(*joiner).state.Usage().Open, 4)
	next.err = nil
	require.NoError(t, c.Shutdown(t.Context()))
	require.Equal(t, 4, next.SpanCount())
}
