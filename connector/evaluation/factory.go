package evaluation

import (
	"context"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/connector"
	"go.opentelemetry.io/collector/consumer"

	"github.com/otelcol-agent/otelcol-agent/connector/evaluation/internal/metadata"
)

// NewFactory returns the factory of the connector.
func NewFactory() connector.Factory {
	return connector.NewFactory(metadata.Type, createDefaultConfig,
		connector.WithLogsToTraces(createLogsToTraces, metadata.LogsToTracesStability))
}

func createDefaultConfig() component.Config { return &Config{} }

func createLogsToTraces(_ context.Context, set connector.Settings, _ component.Config, next consumer.Traces) (connector.Logs, error) {
	telemetry, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	return &judgeConnector{next: next, telemetry: telemetry, now: time.Now}, nil
}
