package evidencestore

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/config/configopaque"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence/sqlite"
)

func TestALostKeyIsWarnedOf(t *testing.T) {
	core, logs := observer.New(zapcore.WarnLevel)
	p := newPair(t)
	p.store.logger = zap.New(core)
	p.start(t)
	p.stop(t)
	require.Empty(t, logs.All(), "a new store has lost nothing")

	require.NoError(t, os.Remove(sqlite.KeyFile(p.path)))
	path := p.path
	p = newPair(t, func(c *Config) { c.DSN = configopaque.String("sqlite:" + path) })
	p.store.logger = zap.New(core)
	p.start(t)
	defer p.stop(t)
	require.Len(t, logs.All(), 1)
	warned := logs.All()[0]
	require.Contains(t, warned.Message, "another signing key")
	require.Equal(t, sqlite.KeyFile(path), warned.ContextMap()["key_file"])
	require.NotEqual(t, warned.ContextMap()["former_key"], warned.ContextMap()["key"])
}

// In a container there may be no home folder, or one that cannot be written: what
// to do about the key is said in the words of the configuration.
func TestNoPlaceForAKeySaysWhatToDo(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for name, home := range map[string]string{"no home": "", "a home that is no folder": file} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("XDG_DATA_HOME", "")
			t.Setenv("HOME", home)
			p := newPair(t, func(c *Config) { c.DSN = "http://127.0.0.1:1/evidence" })
			_, err := p.store.openWriter(t.Context())
			require.ErrorContains(t, err, "signing key")
			require.ErrorContains(t, err, "ledger.key_file")
			require.ErrorContains(t, err, "ledger.enabled: false")
			p.store.cfg.Ledger.Enabled = false
			w, err := p.store.openWriter(t.Context())
			require.NoError(t, err, "without a log no key is needed")
			require.NoError(t, w.Close())
		})
	}
}
