package tailpolicy

import (
	"context"
	"time"

	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.uber.org/zap"

	"github.com/otelcol-agent/otelcol-agent/internal/tail"
)

// What becomes of a batch that there is no room for.
const (
	overflowRefuse = "refuse" // its sender keeps it
	overflowDrop   = "drop"   // its sender has it elsewhere, and must not be kept waiting for this place
)

// drops reports whether a batch is given up because of an error. One that comes while the
// collector stops, or whose sender has gone, is not: its sender is told.
func (p *tailProcessor) drops(ctx context.Context, err error) bool {
	return err != nil && p.config.Overflow == overflowDrop && err != errStopped && ctx.Err() == nil && !consumererror.IsPermanent(err)
}

// overflowed counts spans that are given up.
func (m *meter) overflowed(ctx context.Context, spans int, err error) {
	m.count(ctx, tail.Dropped{Spans: spans, Reason: tail.ByOverflow})
	m.tell(zap.WarnLevel, "spans are dropped, as overflow is drop", spans, err, time.Now())
}

// recordsDropped counts records that are not passed on.
func (m *meter) recordsDropped(ctx context.Context, records int, err error) {
	m.ProcessorTailpolicyRecordsDropped.Add(ctx, int64(records))
	m.tell(zap.WarnLevel, "log records are dropped, as overflow is drop", records, err, time.Now())
}
