package evaluation

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/connector"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/otel/metric"
	"go.uber.org/zap"

	"github.com/otelcol-agent/otelcol-agent/connector/evaluation/internal/metadata"
	"github.com/otelcol-agent/otelcol-agent/internal/judge"
)

// court is what the connectors of one component id share.
type court struct {
	cfg       *Config
	id        component.ID
	logger    *zap.Logger
	telemetry *metadata.TelemetryBuilder
	now       func() time.Time
	forget    func()

	traces  consumer.Traces  // nil if there is no traces pipeline
	metrics consumer.Metrics // nil if there is no metrics pipeline
	reads   bool             // records come in at the door to traces
	store   *store

	mu      sync.Mutex // of the three below
	memory  *judge.Memory
	waiting *judge.Waiting
	scores  *judge.Scores

	life    sync.Mutex // of the doors that are open
	doors   int
	stop    context.CancelFunc
	stopped chan struct{}
}

func newCourt(set connector.Settings, cfg *Config) (*court, error) {
	telemetry, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	c := &court{
		cfg: cfg, id: set.ID, logger: set.Logger, telemetry: telemetry, now: time.Now, store: &store{},
		memory:  judge.NewMemory(judge.Limits{Targets: cfg.MaxTargets, Window: cfg.Window}),
		waiting: judge.NewWaiting(cfg.MaxWaiting, cfg.MaxWaitingMiB<<20),
		scores:  judge.NewScores(cfg.Metrics.MaxSeries, time.Now()),
	}
	return c, errors.Join(
		telemetry.RegisterConnectorEvaluationTargetsCallback(c.observe(func() int { return c.memory.Targets() })),
		telemetry.RegisterConnectorEvaluationWaitingCallback(c.observe(func() int { return c.waiting.Len() })),
		telemetry.RegisterConnectorEvaluationWaitingSizeCallback(c.observe(func() int { return c.waiting.Bytes() })),
	)
}

func (c *court) observe(of func() int) metric.Int64Callback {
	return func(_ context.Context, o metric.Int64Observer) error {
		c.mu.Lock()
		defer c.mu.Unlock()
		o.Observe(int64(of()))
		return nil
	}
}

// open begins the work with the first door.
func (c *court) open(ctx context.Context, host component.Host) error {
	c.life.Lock()
	defer c.life.Unlock()
	if c.doors++; c.doors > 1 {
		return nil
	}
	if c.cfg.Storage != nil {
		if err := c.restore(ctx, host); err != nil {
			c.doors--
			return err
		}
	}
	ctx, c.stop = context.WithCancel(context.WithoutCancel(ctx))
	c.stopped = make(chan struct{})
	go c.work(ctx)
	return nil
}

// tick is how often the clock is looked at.
const tick = time.Second

func (c *court) work(ctx context.Context) {
	defer close(c.stopped)
	clock := time.NewTicker(tick)
	defer clock.Stop()
	counted, kept := c.now(), time.Time{}
	for {
		select {
		case <-ctx.Done():
			return
		case <-clock.C:
		}
		now := c.now()
		c.settleDue(ctx, now)
		if now.Sub(counted) >= c.cfg.Metrics.Interval {
			counted = now
			c.sendCounts(ctx)
		}
		if now.Sub(kept) >= keepEvery {
			c.keep(ctx, kept)
			kept = now
		}
	}
}

// settleDue lets go of results whose window is over.
func (c *court) settleDue(ctx context.Context, now time.Time) {
	c.mu.Lock()
	s := c.newSession(now)
	s.evict(c.waiting.Due(now.Add(-c.cfg.Window)))
	c.mu.Unlock()
	if len(s.released) == 0 {
		return
	}
	if err := s.deliver(ctx, false); err != nil {
		c.logger.Warn("results whose subject did not come are not sent yet", zap.Error(err))
	}
}

func (c *court) sendCounts(ctx context.Context) {
	c.mu.Lock()
	next := c.metrics
	if next == nil {
		c.mu.Unlock()
		return
	}
	md := c.scores.Metrics(c.now())
	c.mu.Unlock()
	if md.DataPointCount() == 0 {
		return
	}
	if err := next.ConsumeMetrics(ctx, md); err != nil {
		c.logger.Warn("counts of results were refused; the next ones include them", zap.Error(err))
	}
}

// close ends the work with the last door: what comes after the doors still runs.
// Without a storage what waits goes out as it stands.
func (c *court) close(ctx context.Context) error {
	c.life.Lock()
	defer c.life.Unlock()
	if c.doors--; c.doors > 0 {
		return nil
	}
	var err error
	if c.stop != nil {
		c.stop()
		<-c.stopped
		c.stop = nil
		if c.cfg.Storage == nil {
			c.mu.Lock()
			s := c.newSession(c.now())
			s.evict(c.waiting.Due(c.now().Add(time.Hour)))
			c.mu.Unlock()
			err = s.deliver(ctx, false)
		} else {
			c.keep(ctx, time.Time{})
		}
	}
	c.end()
	return err
}

func (c *court) end() {
	c.telemetry.Shutdown()
	_ = c.store.close(context.Background())
	if c.forget != nil {
		c.forget()
	}
}
