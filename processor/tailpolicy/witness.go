package tailpolicy

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-agent/otelcol-agent/internal/tail"
)

// witness is the processor in a logs pipeline: records pass at once, and what they
// tell of runs takes part in the decisions of the traces pipeline with the same
// component id. Without such a pipeline it does nothing.
type witness struct {
	component.StartFunc
	component.ShutdownFunc
	group *group
	next  consumer.Logs
}

// Capabilities: records pass as they are.
func (*witness) Capabilities() consumer.Capabilities {
	return consumer.Capabilities{MutatesData: false}
}

// ConsumeLogs passes a batch on. Room for what it tells is taken before: an error
// is retryable and means that nothing was passed on or held, or it is the next
// component's.
func (w *witness) ConsumeLogs(ctx context.Context, ld plog.Logs) error {
	runs := w.group.runs
	if runs == nil {
		return w.next.ConsumeLogs(ctx, ld)
	}
	n := ld.LogRecordCount()
	err := w.pass(ctx, runs, ld)
	if runs.drops(ctx, err) {
		runs.meter.recordsDropped(ctx, n, err)
		return nil
	}
	runs.meter.refused(ctx, err)
	return err
}

func (w *witness) pass(ctx context.Context, runs *tailProcessor, ld plog.Logs) error {
	pieces, err := tail.SplitRecords(ld)
	if err != nil {
		return err
	}
	if len(pieces) == 0 {
		return w.next.ConsumeLogs(ctx, ld)
	}
	size := tail.Weight(pieces)
	_, err = runs.reserve(ctx, size)
	switch {
	case err == nil:
	case err == errStopped, runs.drops(ctx, err): // nothing is decided any more, or nothing more is held
		return w.next.ConsumeLogs(ctx, ld)
	default:
		return err
	}
	tail.Place(pieces, runs.alloc)
	err = runs.keep(pieces)
	kept := err == nil
	if kept || runs.drops(ctx, err) {
		err = w.next.ConsumeLogs(ctx, ld)
	}
	again := err != nil && !consumererror.IsPermanent(err) && !runs.drops(ctx, err) // they come again
	if kept && again {
		runs.unkeep(pieces)
	}
	if again || !kept {
		runs.free(pieces)
		pieces = nil
	}
	if _, ok := runs.tryStep(tail.Arrive{Pieces: pieces, Reserved: size}); ok {
		runs.meter.joined(ctx, pieces)
	}
	return err
}
