package agentevents

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/otelcol-agent/otelcol-agent/connector/agentevents/internal/metadata"
	"github.com/otelcol-agent/otelcol-agent/internal/synth"
)

// counters are the connector's own metrics; labels are closed lists.
type counters struct {
	builder  *metadata.TelemetryBuilder
	outcomes map[synth.Outcome]metric.MeasurementOption
	reasons  map[synth.Reason]metric.MeasurementOption
	open     metric.MeasurementOption
	settled  metric.MeasurementOption
}

func newCounters(set component.TelemetrySettings) (*counters, error) {
	builder, err := metadata.NewTelemetryBuilder(set)
	if err != nil {
		return nil, err
	}
	c := &counters{
		builder:  builder,
		outcomes: map[synth.Outcome]metric.MeasurementOption{},
		reasons:  map[synth.Reason]metric.MeasurementOption{},
		open:     label("phase", "open"),
		settled:  label("phase", "settled"),
	}
	for _, o := range synth.Outcomes() {
		c.outcomes[o] = label("outcome", o.String())
	}
	for _, r := range synth.Reasons() {
		c.reasons[r] = label("reason", r.String())
	}
	return c, nil
}

func label(key, value string) metric.MeasurementOption {
	return metric.WithAttributeSet(attribute.NewSet(attribute.String(key, value)))
}

// taken counts a call whose spans, if any, were delivered.
func (c *counters) taken(ctx context.Context, out synth.Output, holds synth.Usage) {
	for _, o := range synth.Outcomes() {
		if n := out.Records[o]; n > 0 {
			c.builder.ConnectorAgenteventsRecords.Add(ctx, n, c.outcomes[o])
		}
	}
	for _, r := range synth.Reasons() {
		if n := out.Closed[r]; n > 0 {
			c.builder.ConnectorAgenteventsTurnsClosed.Add(ctx, n, c.reasons[r])
		}
	}
	c.builder.ConnectorAgenteventsTurns.Record(ctx, int64(holds.Open), c.open)
	c.builder.ConnectorAgenteventsTurns.Record(ctx, int64(holds.Settled), c.settled)
	c.builder.ConnectorAgenteventsStateSize.Record(ctx, holds.Bytes)
}

func (c *counters) delivered(ctx context.Context, spans int) {
	c.builder.ConnectorAgenteventsSpans.Add(ctx, int64(spans))
}

func (c *counters) refused(ctx context.Context) {
	c.builder.ConnectorAgenteventsDeliveryErrors.Add(ctx, 1)
}

func (c *counters) shutdown() { c.builder.Shutdown() }
