package agentevents

import (
	"context"
	"errors"
	"maps"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// disk is a storage extension of the test's own; it outlives the connectors.
type disk struct {
	component.Component
	kept   map[string][]byte
	broken bool
}

func (d *disk) GetClient(context.Context, component.Kind, component.ID, string) (storage.Client, error) {
	return d, nil
}
func (d *disk) Close(context.Context) error                       { return nil }
func (d *disk) Get(_ context.Context, key string) ([]byte, error) { return d.kept[key], nil }
func (d *disk) Set(ctx context.Context, key string, value []byte) error {
	return d.Batch(ctx, storage.SetOperation(key, value))
}
func (d *disk) Delete(ctx context.Context, key string) error {
	return d.Batch(ctx, storage.DeleteOperation(key))
}
func (d *disk) Batch(_ context.Context, ops ...*storage.Operation) error {
	if d.broken {
		return errors.New("disk full")
	}
	for _, op := range ops {
		if op.Type == storage.Set {
			d.kept[op.Key] = op.Value
		} else {
			delete(d.kept, op.Key)
		}
	}
	return nil
}

type host struct {
	ext map[component.ID]component.Component
}

func (h host) GetExtensions() map[component.ID]component.Component { return h.ext }

var (
	diskID = component.MustNewID("disk")
	cfgID  = &diskID
)

func started(t *testing.T, h component.Host, sink *consumertest.TracesSink, change func(*Config)) (logs, traces *joiner) {
	t.Helper()
	cfg := createDefaultConfig().(*Config)
	change(cfg)
	f, set := NewFactory(), nop()
	l, err := f.CreateLogsToTraces(t.Context(), set, cfg, sink)
	require.NoError(t, err)
	tr, err := f.CreateTracesToTraces(t.Context(), set, cfg, sink)
	require.NoError(t, err)
	require.NoError(t, l.Start(t.Context(), h))
	require.NoError(t, tr.Start(t.Context(), h))
	return l.(*joiner), tr.(*joiner)
}

// A turn that was open when the collector stopped, or died, goes on after the start.
func TestTurnsOutliveTheProcess(t *testing.T) {
	for _, crash := range []bool{false, true} {
		d := &disk{kept: map[string][]byte{}}
		h := host{map[component.ID]component.Component{diskID: d}}
		keep := func(c *Config) { c.Emit, c.Storage = "closed", cfgID }
		sink := &consumertest.TracesSink{}
		first, other := started(t, h, sink, keep)
		require.NoError(t, first.ConsumeLogs(t.Context(), records("app.turn.started", "app.tool.decided")))
		left := maps.Clone(d.kept)
		require.NotEmpty(t, left)
		require.NoError(t, other.Shutdown(t.Context()))
		require.NoError(t, first.Shutdown(t.Context()))
		require.Zero(t, sink.SpanCount(), "each span goes out once, with its turn")
		if crash {
			d.kept = left
		}
		second, other := started(t, h, sink, func(c *Config) { keep(c); c.Storage = cfgID; c.Settle = time.Millisecond })
		require.NoError(t, second.ConsumeLogs(t.Context(), records("app.turn.started", "app.tool.decided", "app.tool.completed", "app.turn.ended")))
		require.Eventually(t, func() bool { return sink.SpanCount() == 2 }, 5*time.Second, 5*time.Millisecond)
		require.NoError(t, second.Shutdown(t.Context()))
		require.NoError(t, other.Shutdown(t.Context()))
	}
}

// A state that cannot be kept is told to the sender, who sends the records again.
func TestAStorageThatFailsIsTold(t *testing.T) {
	d := &disk{kept: map[string][]byte{}}
	h := host{map[component.ID]component.Component{diskID: d}}
	j, other := started(t, h, &consumertest.TracesSink{}, func(c *Config) { c.Storage = cfgID })
	d.broken = true
	require.ErrorContains(t, j.ConsumeLogs(t.Context(), records("app.turn.started")), "storage: disk full")
	d.broken = false
	require.NoError(t, j.ConsumeLogs(t.Context(), records("app.turn.started")))
	require.NoError(t, j.Shutdown(t.Context()))
	require.NoError(t, other.Shutdown(t.Context()))
}

func TestTheStorageMustBeOne(t *testing.T) {
	for want, h := range map[string]component.Host{
		"storage: no extension disk":                   componenttest.NewNopHost(),
		"storage: extension disk keeps no state; name": host{map[component.ID]component.Component{diskID: struct{ component.Component }{}}},
	} {
		cfg := createDefaultConfig().(*Config)
		cfg.Storage = cfgID
		c, err := NewFactory().CreateLogsToTraces(t.Context(), nop(), cfg, &consumertest.TracesSink{})
		require.NoError(t, err)
		require.ErrorContains(t, c.Start(t.Context(), h), want)
	}
}

// The agents' own spans are looked at and not passed on; what a record adds to one
// has its ids. Records wait for them no longer than they are told to.
func TestRecordsAddToTheAgentsOwnSpans(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &consumertest.TracesSink{}
		logs, traces := started(t, componenttest.NewNopHost(), sink, func(c *Config) { c.Idle = time.Minute })
		require.NoError(t, logs.ConsumeLogs(t.Context(), records("app.turn.started", "app.tool.decided", "app.tool.completed")))
		require.Zero(t, sink.SpanCount(), "they wait")
		require.NoError(t, traces.ConsumeTraces(t.Context(), ownSpan("c1")))
		require.Equal(t, 1, sink.SpanCount())
		span := sink.AllTraces()[0].ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
		require.Equal(t, pcommon.SpanID{7}, span.SpanID())
		decision, _ := span.Attributes().Get("app.permission.decision")
		require.Equal(t, "allow", decision.Str())
		time.Sleep(12 * time.Second)
		require.Equal(t, 2, sink.SpanCount(), "no span of the agent's own came for the turn")
		require.NoError(t, logs.Shutdown(t.Context()))
		require.NoError(t, traces.Shutdown(t.Context()))
		require.Equal(t, 2, sink.SpanCount())
	})
}

func ownSpan(call string) ptrace.Traces {
	td := ptrace.NewTraces()
	span := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	span.SetTraceID(pcommon.TraceID{9})
	span.SetSpanID(pcommon.SpanID{7})
	span.SetName("execute_tool Bash")
	for k, v := range map[string]string{
		"gen_ai.operation.name": "execute_tool", "gen_ai.tool.call.id": call, "gen_ai.tool.name": "Bash", "app.session.id": "s1", "app.mapping.dialect": "demo",
	} {
		span.Attributes().PutStr(k, v)
	}
	return td
}
