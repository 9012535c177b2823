package tailpolicy

import (
	"context"

	"go.opentelemetry.io/collector/consumer/consumererror"

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
func (m *meter) overflowed(ctx context.Context, spans int) {
	m.count(ctx, tail.Dropped{Spans: spans, Reason: tail.ByOverflow})
}
