package review

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/confmaptest"
)

func load(t *testing.T, file string) (*Config, error) {
	t.Helper()
	conf, err := confmaptest.LoadConf("testdata/config/" + file)
	require.NoError(t, err)
	sub, err := conf.Sub("review")
	require.NoError(t, err)
	cfg := createDefaultConfig().(*Config)
	if err := sub.Unmarshal(cfg); err != nil {
		return nil, err
	}
	return cfg, confmap.Validate(cfg)
}

func TestConfigAccepted(t *testing.T) {
	cfg, err := load(t, "accepted.yaml")
	require.NoError(t, err)
	require.Equal(t, "127.0.0.1:14380", cfg.ServerConfig.NetAddr.Endpoint)
	require.EqualValues(t, "sqlite:/var/lib/evidence.db", cfg.Store)
	require.Equal(t, "reader", cfg.ClickHouse.Username)
	require.Equal(t, 3, cfg.Readers)
	require.True(t, cfg.loopback())
	require.False(t, cfg.guarded())
	require.True(t, cfg.MCP.Enabled)

	cfg, err = load(t, "accepted_guarded.yaml")
	require.NoError(t, err)
	require.True(t, cfg.guarded())
	require.False(t, cfg.loopback())
	require.True(t, cfg.TokenAsPassword)
}

func TestConfigRefusedWithEveryProblem(t *testing.T) {
	_, err := load(t, "refused.yaml")
	require.ErrorContains(t, err, "endpoint must be a loopback address, or auth or tls::client_ca_file must be set")
	require.ErrorContains(t, err, "store: ")
	require.ErrorContains(t, err, "token_as_password needs auth")
	require.ErrorContains(t, err, "metrics_endpoint must be a URL")
	require.ErrorContains(t, err, "readers must be 0 or more, found -1")
	require.NotContains(t, err.Error(), "db/evidence")
}

func TestKeysThatDoNotExistAreRefused(t *testing.T) {
	_, err := load(t, "refused_keys.yaml")
	require.ErrorContains(t, err, "has invalid keys: usernam, enabld, reader")
}

func TestDefaultsAreLoopback(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	require.NoError(t, confmap.Validate(cfg))
	require.False(t, cfg.MCP.Enabled)
	require.Equal(t, "127.0.0.1:4380", cfg.ServerConfig.NetAddr.Endpoint)
	require.True(t, cfg.loopback())
	require.Zero(t, cfg.readers(), "as many as there are processors")
	cfg.Store = "http://127.0.0.1:8123/evidence"
	require.Equal(t, serverReaders, cfg.readers())
	cfg.ServerConfig.NetAddr.Endpoint = ""
	require.ErrorContains(t, confmap.Validate(cfg), "endpoint must be host:port")
}
