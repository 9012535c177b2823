package agentevents

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap/confmaptest"
)

func load(t *testing.T, file, id string) (*Config, error) {
	t.Helper()
	conf, err := confmaptest.LoadConf(filepath.Join("testdata", "config", file))
	require.NoError(t, err)
	sub, err := conf.Sub(id)
	require.NoError(t, err)
	cfg := createDefaultConfig().(*Config)
	if err := sub.Unmarshal(cfg); err != nil {
		return nil, err
	}
	return cfg, cfg.Validate()
}

func TestAcceptedConfig(t *testing.T) {
	for _, id := range []string{"agentevents", "agentevents/defaults_spelled_out"} {
		cfg, err := load(t, "accepted.yaml", id)
		require.NoError(t, err)
		require.Equal(t, createDefaultConfig(), component.Config(cfg))
	}
	for _, id := range []string{"agentevents/closed", "agentevents/stateless"} {
		_, err := load(t, "accepted.yaml", id)
		require.NoError(t, err, id)
	}
}

func TestRefusedConfigNamesEveryProblem(t *testing.T) {
	_, err := load(t, "refused.yaml", "agentevents")
	require.EqualError(t, err, `emit must be one of ["live" "closed" "stateless"]
contexts must be one of ["auto" "span" "record"]
wait must be longer than 0s, found 0s
settle must be longer than 0s, found 0s
idle must be longer than 0s, found -1s
keep must be at least idle (-1s), found -2s
max_turns must be at least 1, found 0
max_state_mib must be at least 1, found 0`)
}

func TestUnknownKeyIsRefused(t *testing.T) {
	_, err := load(t, "unknown_key.yaml", "agentevents")
	require.ErrorContains(t, err, "emmit")
}
