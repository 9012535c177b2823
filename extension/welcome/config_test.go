package welcome

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/confmaptest"
)

func loadConfig(t *testing.T, file string) (*Config, error) {
	t.Helper()
	conf, err := confmaptest.LoadConf("testdata/config/" + file)
	require.NoError(t, err)
	sub, err := conf.Sub("welcome")
	require.NoError(t, err)
	cfg := createDefaultConfig().(*Config)
	if err := sub.Unmarshal(cfg); err != nil {
		return nil, err
	}
	return cfg, confmap.Validate(cfg)
}

func TestConfigAccepted(t *testing.T) {
	cfg, err := loadConfig(t, "accepted.yaml")
	require.NoError(t, err)
	require.Equal(t, component.MustNewIDWithName("otlp", "agents"), cfg.Receiver)
	require.Equal(t, component.MustNewIDWithName("lenientotlp", "agents"), cfg.HTTP)
	require.Equal(t, component.MustNewIDWithName("review", "pages"), cfg.Review)
	require.EqualValues(t, "sqlite:/var/lib/evidence.db", cfg.Store)
}

func TestConfigRefusedWithEveryProblem(t *testing.T) {
	_, err := loadConfig(t, "refused.yaml")
	require.ErrorContains(t, err, "receiver must be of type otlp, found filelog")
	require.ErrorContains(t, err, "http must be of type lenientotlp, found otlp")
	require.ErrorContains(t, err, "review must be of type review, found zpages")
	require.ErrorContains(t, err, "store: engine \"postgres\" is not in this build")
}
