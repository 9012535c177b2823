package lenientotlp

import (
	"go.opentelemetry.io/collector/confmap"

	"github.com/otelcol-agent/otelcol-agent/internal/configkeys"
)

// Unmarshal reads a configuration and refuses keys that do not exist.
func (c *Config) Unmarshal(conf *confmap.Conf) error {
	if err := conf.Unmarshal(c, confmap.WithIgnoreUnused()); err != nil {
		return err
	}
	return configkeys.Check(conf.ToStringMap(), c)
}
