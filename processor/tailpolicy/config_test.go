package tailpolicy

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/confmaptest"
	"gopkg.in/yaml.v3"
)

func TestConfigAccepted(t *testing.T) {
	all, err := confmaptest.LoadConf(filepath.Join("testdata", "config", "accepted.yaml"))
	require.NoError(t, err)
	for name := range all.ToStringMap() {
		t.Run(strings.TrimPrefix(name, "tailpolicy/"), func(t *testing.T) {
			sub, err := all.Sub(name)
			require.NoError(t, err)
			cfg := createDefaultConfig()
			require.NoError(t, sub.Unmarshal(cfg))
			require.NoError(t, confmap.Validate(cfg))
		})
	}
}

func TestConfigRefused(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "config", "refused.yaml"))
	require.NoError(t, err)
	var cases []struct {
		Config map[string]any
		Errors []string
		Decode string
	}
	require.NoError(t, yaml.Unmarshal(data, &cases))
	require.NotEmpty(t, cases)
	for _, c := range cases {
		cfg := createDefaultConfig()
		err := confmap.NewFromStringMap(c.Config).Unmarshal(cfg)
		if c.Decode != "" {
			require.ErrorContains(t, err, c.Decode)
			continue
		}
		require.NoError(t, err)
		err = confmap.Validate(cfg)
		require.Error(t, err)
		lines := strings.Split(err.Error(), "\n")
		if !assert.GreaterOrEqual(t, len(lines), len(c.Errors), err.Error()) {
			continue
		}
		for _, want := range c.Errors {
			assert.Contains(t, err.Error(), want)
		}
	}
}
