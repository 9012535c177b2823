package evidencestore

import (
	"os"
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
