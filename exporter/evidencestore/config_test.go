package evidencestore

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/confmaptest"
	"gopkg.in/yaml.v3"
)

func TestConfigAccepted(t *testing.T) {
	all, err := confmaptest.LoadConf(filepath.Join("testdata", "config", "accepted.yaml"))
	require.NoError(t, err)
	for name := range all.ToStringMap() {
		t.Run(strings.TrimPrefix(name, "evidencestore/"), func(t *testing.T) {
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
		for _, want := range c.Errors {
			require.ErrorContains(t, err, want)
		}
		require.NotContains(t, err.Error(), "hunter2")
	}
}

func TestNothingIsAcknowledgedFromMemoryByDefault(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	require.False(t, cfg.QueueConfig.HasValue(), "a queue")

	require.NoError(t, confmap.NewFromStringMap(map[string]any{"sending_queue": map[string]any{"queue_size": 10}}).Unmarshal(cfg))
	require.True(t, cfg.QueueConfig.HasValue())
	require.True(t, cfg.QueueConfig.Get().WaitForResult, "a queue that somebody asks for keeps senders waiting")
	require.Equal(t, Age(9600*time.Hour), cfg.Retention.Evidence)
	require.Equal(t, Age(720*time.Hour), cfg.Retention.Records)
}

func TestRetentionInDaysIsThatInHours(t *testing.T) {
	days, hours := createDefaultConfig(), createDefaultConfig()
	require.NoError(t, confmap.NewFromStringMap(map[string]any{"retention": map[string]any{"evidence": "90d", "records": "2d"}}).Unmarshal(days))
	require.NoError(t, confmap.NewFromStringMap(map[string]any{"retention": map[string]any{"evidence": "2160h", "records": "48h"}}).Unmarshal(hours))
	require.Equal(t, hours, days)
	require.Equal(t, Age(90*24*time.Hour), days.(*Config).Retention.Evidence)
	written := confmap.New()
	require.NoError(t, written.Marshal(days))
	require.Equal(t, "2160h0m0s", written.Get("retention::evidence"))
}
