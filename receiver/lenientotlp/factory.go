package lenientotlp

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/xconsumer"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/xreceiver"

	"github.com/otelcol-agent/otelcol-agent/receiver/lenientotlp/internal/metadata"
)

// profilesPath is the path of profiles; the stock receiver's cannot be changed either.
const profilesPath = "/v1development/profiles"

// NewFactory returns the factory of the receiver.
func NewFactory() receiver.Factory {
	servers := newShared()
	return xreceiver.NewFactory(metadata.Type, createDefaultConfig,
		xreceiver.WithTraces(func(_ context.Context, set receiver.Settings, cfg component.Config, next consumer.Traces) (receiver.Traces, error) {
			return servers.with(set, cfg.(*Config), func(s *server) { s.traces = next })
		}, metadata.TracesStability),
		xreceiver.WithMetrics(func(_ context.Context, set receiver.Settings, cfg component.Config, next consumer.Metrics) (receiver.Metrics, error) {
			return servers.with(set, cfg.(*Config), func(s *server) { s.metrics = next })
		}, metadata.MetricsStability),
		xreceiver.WithLogs(func(_ context.Context, set receiver.Settings, cfg component.Config, next consumer.Logs) (receiver.Logs, error) {
			return servers.with(set, cfg.(*Config), func(s *server) { s.logs = next })
		}, metadata.LogsStability),
		xreceiver.WithProfiles(func(_ context.Context, set receiver.Settings, cfg component.Config, next xconsumer.Profiles) (xreceiver.Profiles, error) {
			return servers.with(set, cfg.(*Config), func(s *server) { s.profiles = next })
		}, metadata.ProfilesStability),
	)
}

func createDefaultConfig() component.Config {
	http := confighttp.NewDefaultServerConfig()
	http.NetAddr.Endpoint = "localhost:4318"
	// As in the stock receiver: no time limits but those that are asked for.
	http.WriteTimeout, http.ReadHeaderTimeout = 0, 0
	http.Keepalive = configoptional.Some(confighttp.KeepaliveServerConfig{})
	return &Config{
		HTTP:           http,
		TracesURLPath:  "/v1/traces",
		MetricsURLPath: "/v1/metrics",
		LogsURLPath:    "/v1/logs",
		MaxNesting:     256,
	}
}
