package evidencestore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/clickhouse"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/ledger"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/sqlite"
)

// writer is the writing side of an engine.
type writer interface {
	evidence.Writer
	// Size is the bytes that the store takes on disk.
	Size() (int64, error)
}

// tracesWriter is an engine that takes spans as OTLP has them, for less work.
type tracesWriter interface {
	WriteTraces(ctx context.Context, td ptrace.Traces) (evidence.WriteResult, error)
}

// openWriter opens the store that the configuration names.
func (s *store) openWriter(ctx context.Context) (writer, error) {
	if clickhouse.Owns(string(s.cfg.DSN)) {
		return s.openClickHouse(ctx)
	}
	path, err := s.cfg.path()
	if err != nil {
		return nil, err
	}
	w, err := sqlite.Open(path, sqlite.Settings{Now: time.Now, KeyFile: s.cfg.Ledger.KeyFile, KeyChanged: func(before, now string) {
		s.logger.Warn("the evidence log goes on with another signing key, which the log says; what the former key signed verifies with its public half only. "+
			"If the key file was lost or left behind, stop this collector and put it back", zap.String("path", path),
			zap.String("key_file", cmp.Or(s.cfg.Ledger.KeyFile, sqlite.KeyFile(path))), zap.String("former_key", before), zap.String("key", now))
	}})
	if err != nil {
		return nil, err
	}
	s.logger.Info("evidence store is open", zap.String("path", path))
	return w, nil
}

// openClickHouse fails for what waiting cannot mend. A server that is not there
// yet is asked again by every batch, which its sender keeps until then.
func (s *store) openClickHouse(ctx context.Context) (writer, error) {
	settings := s.cfg.clickHouse()
	settings.Now = time.Now
	var err error
	if settings.KeyFile, err = s.cfg.keyFile(settings); err != nil {
		return nil, err
	}
	place := zap.String("place", settings.Place())
	file := zap.String("key_file", settings.KeyFile)
	settings.KeyNew = func(name string) {
		s.logger.Warn("the log of this collector is signed with a key that has signed nothing in this evidence store yet; verify needs its public half too. "+
			"If this collector recorded here before, its key file was lost or left behind: stop it and put it back", place, file, zap.String("key", name))
	}
	settings.KeyShared = func(name string) {
		s.logger.Warn("another collector signs in this evidence store with the same key. Nothing is lost by that, and who recorded what cannot be told apart; give each its own", place, file, zap.String("key", name))
	}
	if tls := s.cfg.ClickHouse.TLS.Get(); tls != nil {
		if settings.TLS, err = tls.LoadTLSConfig(ctx); err != nil {
			return nil, fmt.Errorf("clickhouse.tls: %w", err)
		}
	}
	if s.cfg.TimeoutConfig.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.cfg.TimeoutConfig.Timeout)
		defer cancel()
	}
	w, err := clickhouse.Open(ctx, settings)
	if errors.Is(err, ledger.ErrNoKey) {
		return nil, fmt.Errorf("%w; %s", err, keyAdvice)
	}
	if err != nil {
		return nil, err
	}
	if w.Ready() {
		s.logger.Info("evidence store is open", place)
	} else {
		s.logger.Warn("evidence store is not reachable yet; batches are refused until it is", place)
	}
	return w, nil
}
