package evidencestore

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.uber.org/zap"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// Values of the attribute kind.
const (
	kindSpan   = "span"
	kindRecord = "record"
)

var (
	withKind = map[string]metric.MeasurementOption{
		kindSpan:   metric.WithAttributeSet(attribute.NewSet(attribute.String("kind", kindSpan))),
		kindRecord: metric.WithAttributeSet(attribute.NewSet(attribute.String("kind", kindRecord))),
	}
	withStored = metric.WithAttributeSet(attribute.NewSet(attribute.String("outcome", "stored")))
	withFailed = metric.WithAttributeSet(attribute.NewSet(attribute.String("outcome", "failed")))
)

// counted tells of one batch.
func (s *store) counted(ctx context.Context, kind string, took time.Duration, result evidence.WriteResult, err error) {
	if err != nil {
		s.telemetry.ExporterEvidencestoreWriteDuration.Record(ctx, took.Seconds(), withFailed)
		return
	}
	s.telemetry.ExporterEvidencestoreWriteDuration.Record(ctx, took.Seconds(), withStored)
	s.telemetry.ExporterEvidencestoreRowsWritten.Add(ctx, int64(result.Stored), withKind[kind])
	s.telemetry.ExporterEvidencestoreRowsQuarantined.Add(ctx, int64(result.Quarantined), withKind[kind])
	if result.Quarantined > 0 {
		s.logger.Warn("rows were set aside; the table quarantine says why",
			zap.String("kind", kind), zap.Int("rows", result.Quarantined))
	}
}
