package lenientotlp

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
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
	return cfg, confmap.Validate(cfg)
}

func TestAcceptedConfig(t *testing.T) {
	defaults, err := load(t, "accepted.yaml", "lenientotlp")
	require.NoError(t, err)
	cfg, err := load(t, "accepted.yaml", "lenientotlp/spelled_out")
	require.NoError(t, err)
	require.Equal(t, defaults, cfg)
	require.Equal(t, 256, defaults.MaxNesting)
	require.Equal(t, "localhost:4318", defaults.HTTP.NetAddr.Endpoint)
	cfg, err = load(t, "accepted.yaml", "lenientotlp/bounded")
	require.NoError(t, err)
	require.Equal(t, 10*time.Second, cfg.HTTP.ReadHeaderTimeout)
	require.Equal(t, "bearertokenauth/door", cfg.HTTP.Auth.Get().Config.AuthenticatorID.String())
}

func TestRefusedConfigNamesEveryProblem(t *testing.T) {
	for id, want := range map[string][]string{
		"lenientotlp": {
			"endpoint must be host:port",
			"max_nesting must be from 16 to 10000, found 15",
			"max_request_body_size must not be below 0, found -1",
			"logs_url_path must be a path of its own, found that of traces_url_path",
			"metrics_url_path must be a path of its own, found that of the profiles path",
		},
		"lenientotlp/deep": {"max_nesting must be from 16 to 10000, found 10001"},
		"lenientotlp/keys": {"invalid keys: max_nestin, protocols"},
		"lenientotlp/path": {"must be the path of a URL, like /v1/traces"},
	} {
		_, err := load(t, "refused.yaml", id)
		for _, w := range want {
			require.ErrorContains(t, err, w, id)
		}
	}
}
