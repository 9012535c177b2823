package lenientotlp

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/otelcol-agent/otelcol-agent/internal/lenient"
	"github.com/otelcol-agent/otelcol-agent/receiver/lenientotlp/internal/metadata"
)

// reasonProtobuf is beside the reasons of internal/lenient: a body that is no protobuf.
const reasonProtobuf = "protobuf"

// counters are the receiver's own metrics; labels are closed lists.
type counters struct {
	builder *metadata.TelemetryBuilder
	kinds   map[lenient.Kind]metric.MeasurementOption
	reasons map[string]metric.MeasurementOption
}

func newCounters(set component.TelemetrySettings) (*counters, error) {
	builder, err := metadata.NewTelemetryBuilder(set)
	if err != nil {
		return nil, err
	}
	c := &counters{builder, map[lenient.Kind]metric.MeasurementOption{}, map[string]metric.MeasurementOption{
		reasonProtobuf: label("reason", reasonProtobuf),
	}}
	for _, k := range lenient.Kinds() {
		c.kinds[k] = label("kind", k.String())
	}
	for _, r := range lenient.Reasons() {
		c.reasons[r.String()] = label("reason", r.String())
	}
	return c, nil
}

func label(key, value string) metric.MeasurementOption {
	return metric.WithAttributeSet(attribute.NewSet(attribute.String(key, value)))
}

func (c *counters) mended(ctx context.Context, counts lenient.Counts) {
	for _, k := range lenient.Kinds() {
		if n := counts[k]; n > 0 {
			c.builder.ReceiverLenientotlpMends.Add(ctx, n, c.kinds[k])
		}
	}
}

func (c *counters) refused(ctx context.Context, reason string) {
	c.builder.ReceiverLenientotlpRefusedRequests.Add(ctx, 1, c.reasons[reason])
}

func (c *counters) shutdown() { c.builder.Shutdown() }
