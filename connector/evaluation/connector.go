package evaluation

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/internal/judge"
)

// door is one connector of a court.
type door struct{ court *court }

func (door) Capabilities() consumer.Capabilities { return consumer.Capabilities{} }

func (d door) Start(ctx context.Context, host component.Host) error { return d.court.open(ctx, host) }

func (d door) Shutdown(ctx context.Context) error { return d.court.close(ctx) }

type logs struct{ door }

// ConsumeLogs sends one verdict span for each result that does not wait. An
// error means that nothing of the batch was taken: the ids are deterministic, so
// sending again is safe.
func (l *logs) ConsumeLogs(ctx context.Context, ld plog.Logs) error { return l.court.hear(ctx, ld) }

// counter is the way to metrics. Where results also become spans, the logs come
// in at that door, and this one only lets the counts out.
type counter struct{ door }

func (c *counter) ConsumeLogs(ctx context.Context, ld plog.Logs) error {
	if c.court.reads {
		return nil
	}
	return c.court.hear(ctx, ld)
}

// Shutdown sends the last counts: after it the metrics pipeline may stop.
func (c *counter) Shutdown(ctx context.Context) error {
	c.court.sendCounts(ctx)
	c.court.mu.Lock()
	c.court.metrics = nil
	c.court.mu.Unlock()
	return c.door.Shutdown(ctx)
}

type traces struct{ door }

// ConsumeTraces notes what spans can be named by, sends the results that waited
// for one of them, and those that spans state themselves.
func (t *traces) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	return t.court.watch(ctx, td)
}

// hear judges the results of a batch of records.
func (c *court) hear(ctx context.Context, ld plog.Logs) error {
	now := c.now()
	c.mu.Lock()
	b := c.newSession(now)
	b.contradict(c.memory.Read(ld, now, b.judge))
	c.mu.Unlock()
	return b.deliver(ctx, true)
}

// watch looks at a batch of spans.
func (c *court) watch(ctx context.Context, td ptrace.Traces) error {
	now := c.now()
	c.mu.Lock()
	b := c.newSession(now)
	var names []judge.Name
	for _, rs := range td.ResourceSpans().All() {
		tenant := judge.TenantOf(rs.Resource())
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				seen, denied := c.memory.See(tenant, s, now)
				names = append(names, seen...)
				b.contradict(denied)
			}
		}
	}
	for _, name := range names { // after all of the batch: two steps may have one name
		b.release(c.waiting.Came(name))
	}
	stated := plog.NewLogs()
	for _, rs := range td.ResourceSpans().All() {
		var into plog.LogRecordSlice
		begun := false
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				if !judge.Results(s) {
					continue
				}
				if !begun {
					rl := stated.ResourceLogs().AppendEmpty()
					rs.Resource().CopyTo(rl.Resource())
					rl.SetSchemaUrl(rs.SchemaUrl())
					into, begun = rl.ScopeLogs().AppendEmpty().LogRecords(), true
				}
				judge.Events(s, func(lr plog.LogRecord) { lr.MoveTo(into.AppendEmpty()) })
			}
		}
	}
	if stated.ResourceLogs().Len() > 0 {
		b.contradict(c.memory.Read(stated, now, b.judge))
	}
	c.mu.Unlock()
	return b.deliver(ctx, true)
}
