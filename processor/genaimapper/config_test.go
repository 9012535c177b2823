package genaimapper

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap/confmaptest"
)

// No test makes a key in the home of who runs it.
func init() {
	dir, err := os.MkdirTemp("", "genaimapper")
	if err == nil {
		err = os.Setenv("XDG_DATA_HOME", dir)
	}
	if err != nil {
		panic(err)
	}
}

func load(t *testing.T, name string) *Config {
	t.Helper()
	conf, err := confmaptest.LoadConf(filepath.Join("testdata", "config", name))
	require.NoError(t, err)
	cfg := NewFactory().CreateDefaultConfig().(*Config)
	require.NoError(t, conf.Unmarshal(cfg))
	return cfg
}

func TestDefaultConfigIsValid(t *testing.T) {
	require.NoError(t, NewFactory().CreateDefaultConfig().(*Config).Validate())
}

func TestAcceptedConfig(t *testing.T) {
	paths, err := filepath.Glob("testdata/config/*_accepted.yaml")
	require.NoError(t, err)
	require.Len(t, paths, 7)
	for _, path := range paths {
		require.NoError(t, load(t, filepath.Base(path)).Validate(), path)
	}
}

func TestRefusedConfig(t *testing.T) {
	for name, problems := range map[string][]string{
		"snapshot": {`snapshot: snapshot "genai-1999-01-01" is not known; known are `},
		"content":  {`content must be keep or map`},
		"digests": {
			`digests[1] must be one of effects, prompts, catalogs`,
			`digest_key must hold at least 16 bytes, found 5`,
			`tenant_key must not be empty`,
		},
		"join_records":    {`join_records must be from 0 to 4096, found 4097`},
		"digest_key_file": {`digest_key or digest_key_file must be given, or digests must be empty`},
		"dialects_files": {
			`dialects.files[1]: open testdata/config/missing.yaml: `,
			`testdata/config/broken.yaml:6: target "gen_ai.request.modle" is in neither the snapshot nor app.yaml`,
			`testdata/config/broken.yaml:7: gen_ai.usage.input_tokens has no key "form"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			err := load(t, name+"_refused.yaml").Validate()
			require.Error(t, err)
			for _, p := range problems {
				require.True(t, strings.Contains(err.Error(), p), "%q is not in %q", p, err.Error())
			}
		})
	}
}

// Every embedded default of the README's table is the default in the code.
func TestDefaults(t *testing.T) {
	cfg := NewFactory().CreateDefaultConfig().(*Config)
	require.Equal(t, "genai-2026-08-15", cfg.Snapshot)
	require.Equal(t, "keep", cfg.Content)
	require.Empty(t, cfg.Dialects.Files)
	require.Equal(t, 256, cfg.JoinRecords)
	require.Equal(t, []string{"effects"}, cfg.Digests)
	require.Empty(t, cfg.DigestKey)
	require.Equal(t, "tenant.id", cfg.TenantKey)
	require.Equal(t, "redaction.key", filepath.Base(cfg.DigestKeyFile))
}
