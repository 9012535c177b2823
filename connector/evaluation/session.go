package evaluation

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.uber.org/zap"

	"github.com/otelcol-agent/otelcol-agent/internal/judge"
)

// session is what one batch, or one look at the clock, leads to.
type session struct {
	court    *court
	now      time.Time
	batch    *judge.Batch
	held     []*judge.Held  // began to wait
	released []*judge.Held  // wait no longer
	denied   []judge.Denied // stated again
	disputes map[judge.Dispute]int64
	err      error
}

func (c *court) newSession(now time.Time) *session {
	return &session{court: c, now: now, batch: judge.NewBatch()}
}

// judge settles a result, or lets it wait. The court is locked.
func (s *session) judge(a judge.Arrival) {
	if len(a.Wait) == 0 {
		s.settle(&a)
		return
	}
	data, err := a.Encode()
	if err != nil {
		s.err = err
		return
	}
	h, out := s.court.waiting.Hold(data, a.Wait, s.now)
	s.held = append(s.held, h)
	s.evict(out)
}

// settle makes the span of a verdict and counts it.
func (s *session) settle(a *judge.Arrival) {
	span := s.batch.Add(a)
	for _, d := range s.court.memory.Dispute(&a.Verdict, span, s.now) {
		s.dispute(d)
	}
	if s.court.memory.First(&a.Verdict, s.now) {
		s.court.scores.Count(&a.Verdict)
	}
}

func (s *session) dispute(d judge.Dispute) {
	if s.disputes == nil {
		s.disputes = map[judge.Dispute]int64{}
	}
	s.disputes[d]++
}

// contradict states failing verdicts again, each with the claim that came after it.
func (s *session) contradict(all []judge.Denied) {
	s.denied = append(s.denied, all...)
	for i := range all {
		s.batch.AddDenied(&all[i])
		s.dispute(judge.AgainstClaim)
	}
}

// release judges again what waited for a name that was seen now.
func (s *session) release(all []*judge.Held) {
	for _, h := range all {
		s.released = append(s.released, h)
		s.again(h, func(a judge.Arrival) {
			if len(a.Wait) > 0 && s.now.Sub(time.Unix(0, h.Since)) < s.court.cfg.Window {
				h.Rename(a.Wait) // it waits for another of its names
				s.released = s.released[:len(s.released)-1]
				s.evict(s.court.waiting.Put(h))
				return
			}
			s.settle(&a)
		})
	}
}

// evict settles results as they stand.
func (s *session) evict(all []*judge.Held) {
	for _, h := range all {
		s.released = append(s.released, h)
		s.again(h, func(a judge.Arrival) { s.settle(&a) })
	}
}

func (s *session) again(h *judge.Held, yield func(judge.Arrival)) {
	ld, err := judge.Decode(h.Data)
	if err != nil {
		s.court.logger.Error("a result that waited cannot be read and is dropped", zap.Error(err))
		return
	}
	s.court.memory.Read(ld, s.now, yield)
}

// deliver sends the verdicts. If the next component refuses them, what waited
// waits on, and what came with the batch is not taken, so that it may be sent
// again.
func (s *session) deliver(ctx context.Context, retried bool) error {
	c := s.court
	err := s.err
	if err == nil && len(s.held) > 0 {
		err = c.store.hold(ctx, s.held)
	}
	if err == nil && c.traces != nil && s.batch.Traces.SpanCount() > 0 {
		err = c.traces.ConsumeTraces(ctx, s.batch.Traces)
	}
	if err != nil {
		c.mu.Lock()
		if retried {
			for _, h := range s.held {
				c.waiting.Drop(h)
			}
		}
		for _, h := range s.released {
			c.waiting.Put(h)
		}
		c.memory.Return(s.denied, s.now)
		c.mu.Unlock()
		if retried && len(s.held) > 0 {
			return errors.Join(err, c.store.let(ctx, s.held))
		}
		return err
	}
	if len(s.released) > 0 {
		if err := c.store.let(ctx, s.released); err != nil {
			c.logger.Warn("results that no longer wait stay in the storage and are sent again after a restart", zap.Error(err))
		}
	}
	s.count(ctx)
	return nil
}

func (s *session) count(ctx context.Context) {
	t := s.court.telemetry
	for of, n := range s.batch.Counts {
		t.ConnectorEvaluationResults.Add(ctx, n, metric.WithAttributes(
			attribute.String("outcome", string(of.Outcome)),
			attribute.String("verdict", of.Verdict),
			attribute.Bool("comparable", of.Comparable)))
	}
	for kind, n := range s.disputes {
		t.ConnectorEvaluationDisputes.Add(ctx, n, metric.WithAttributes(attribute.String("against", string(kind))))
	}
}
