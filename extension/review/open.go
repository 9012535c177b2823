package review

import (
	"context"
	"fmt"
	"os"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/clickhouse"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/sqlite"
)

// open opens the store for reading.
func (s *server) open(ctx context.Context) (evidence.Reader, error) {
	if clickhouse.Owns(string(s.cfg.Store)) {
		settings := s.cfg.clickHouse()
		if tls := s.cfg.ClickHouse.TLS.Get(); tls != nil {
			var err error
			if settings.TLS, err = tls.LoadTLSConfig(ctx); err != nil {
				return nil, fmt.Errorf("clickhouse.tls: %w", err)
			}
		}
		return clickhouse.OpenReader(ctx, settings)
	}
	path, err := sqlite.PathOf(string(s.cfg.Store), os.Getenv)
	if err != nil {
		return nil, err
	}
	return sqlite.OpenReader(path)
}
