package welcome

import (
	"context"
	"os"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension"

	"github.com/otelcol-agent/otelcol-agent/extension/welcome/internal/metadata"
)

// NewFactory returns the factory of the extension.
func NewFactory() extension.Factory {
	return extension.NewFactory(metadata.Type, createDefaultConfig, create, metadata.ExtensionStability)
}

func createDefaultConfig() component.Config {
	return &Config{Receiver: component.NewID(otlp), HTTP: component.NewID(lenientotlp), Review: component.NewID(review)}
}

func create(_ context.Context, set extension.Settings, cfg component.Config) (extension.Extension, error) {
	return newWelcome(cfg.(*Config), set.BuildInfo, os.Getenv, os.Stderr)
}
