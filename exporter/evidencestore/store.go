package evidencestore

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/otel/metric"
	"go.uber.org/zap"

	"github.com/otelcol-agent/otelcol-agent/exporter/evidencestore/internal/metadata"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// pruneEvery is how often the store is asked to delete what is too old; the
// first time is at the start.
const pruneEvery = time.Hour

// store is what the exporters of one component id share. It is opened by the
// first that starts and closed by the last that stops.
type store struct {
	cfg       *Config
	logger    *zap.Logger
	telemetry *metadata.TelemetryBuilder
	forget    func()

	mu     sync.Mutex
	users  int
	writer writer
	stop   context.CancelFunc // of the pruning
	pruned chan struct{}      // closed when it has stopped
}

func (s *store) start(ctx context.Context, _ component.Host) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.writer == nil {
		if err := s.open(ctx); err != nil {
			return err
		}
	}
	s.users++
	return nil
}

func (s *store) open(ctx context.Context) error {
	writer, err := s.openWriter(ctx)
	if err != nil {
		return err
	}
	err = s.telemetry.RegisterExporterEvidencestoreDatabaseSizeCallback(func(_ context.Context, o metric.Int64Observer) error {
		size, err := writer.Size()
		if err == nil {
			o.Observe(size)
		}
		return err
	})
	if err != nil {
		_ = writer.Close()
		return err
	}
	pruning, stop := context.WithCancel(context.Background())
	s.writer, s.stop, s.pruned = writer, stop, make(chan struct{})
	go s.keepPruning(pruning)
	return nil
}

// shutdown is also called when start was not, or failed.
func (s *store) shutdown(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users--; s.users > 0 {
		return nil
	}
	s.forget()
	s.telemetry.Shutdown()
	if s.writer == nil {
		return nil
	}
	s.stop()
	<-s.pruned
	err := s.writer.Close()
	s.writer = nil
	return err
}

func (s *store) traces(ctx context.Context, td ptrace.Traces) error {
	return s.write(ctx, kindSpan, func() (evidence.WriteResult, error) {
		if w, ok := s.writer.(tracesWriter); ok {
			return w.WriteTraces(ctx, td)
		}
		return s.writer.Write(ctx, evidence.Batch{Spans: evidence.FromTraces(td)})
	})
}

func (s *store) logs(ctx context.Context, ld plog.Logs) error {
	records := evidence.FromLogs(ld)
	err := s.write(ctx, kindRecord, func() (evidence.WriteResult, error) {
		return s.writer.Write(ctx, evidence.Batch{Records: records})
	})
	if err != nil {
		return err
	}
	s.telemetry.ExporterEvidencestoreRecordsUnknown.Add(ctx, int64(evidence.CountUnknown(records)))
	return nil
}

// write returns when the batch is on disk. What it cannot store for a reason of
// the store's own comes back as an error that may be retried.
func (s *store) write(ctx context.Context, kind string, write func() (evidence.WriteResult, error)) error {
	began := time.Now()
	result, err := write()
	s.counted(ctx, kind, time.Since(began), result, err)
	if errors.Is(err, evidence.ErrPermanent) {
		return consumererror.NewPermanent(err)
	}
	return err
}

func (s *store) keepPruning(ctx context.Context) {
	defer close(s.pruned)
	tick := time.NewTicker(pruneEvery)
	defer tick.Stop()
	for {
		s.prune(ctx, time.Now())
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func (s *store) prune(ctx context.Context, now time.Time) {
	n, err := s.writer.Prune(ctx, before(now, s.cfg.Retention.Evidence), before(now, s.cfg.Retention.Records))
	s.telemetry.ExporterEvidencestoreRowsPruned.Add(ctx, n)
	if err != nil && ctx.Err() == nil {
		s.logger.Warn("old rows could not be deleted; tried again in an hour", zap.Error(err))
	}
}

// before returns the time before which rows are too old; no row is older than
// the beginning.
func before(now time.Time, kept Age) time.Time {
	if kept == 0 {
		return time.Unix(0, 0)
	}
	return now.Add(-time.Duration(kept))
}
