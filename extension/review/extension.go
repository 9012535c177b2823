package review

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/extension"

	"github.com/otelcol-agent/otelcol-agent/extension/review/web"
)

// server is the extension.
type server struct {
	cfg *Config
	set extension.Settings

	handler *web.Handler
	http    *http.Server
	done    sync.WaitGroup
}

// Start listens. The store need not be there yet.
func (s *server) Start(ctx context.Context, host component.Host) error {
	settings := web.Settings{Open: s.open, Now: time.Now, Version: s.set.BuildInfo.Version, Readers: s.cfg.readers(), LocalOnly: s.cfg.loopback() && !s.cfg.guarded(), MCP: s.cfg.MCP.Enabled}
	if s.cfg.MetricsEndpoint != "" {
		settings.Metrics = s.metrics
	}
	var err error
	if s.handler, err = web.New(settings); err != nil {
		return err
	}
	listener, err := s.cfg.ServerConfig.ToListener(ctx)
	if err != nil {
		return fmt.Errorf("endpoint: %w", err)
	}
	s.http, err = s.cfg.ServerConfig.ToServer(ctx, host.GetExtensions(), s.set.TelemetrySettings, s.handler, confighttp.WithErrorHandler(s.refuse))
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	if s.cfg.TokenAsPassword {
		s.http.Handler = tokenAsPassword(s.http.Handler)
	}
	s.http.Handler = web.Secured(s.http.Handler)
	s.done.Go(func() {
		if err := s.http.Serve(listener); err != nil && !errors.Is(err, http.ErrServerClosed) {
			componentstatus.ReportStatus(host, componentstatus.NewFatalErrorEvent(err))
		}
	})
	return nil
}

// Shutdown lets answers that are under way end, then closes the store.
func (s *server) Shutdown(ctx context.Context) error {
	var errs []error
	if s.http != nil {
		ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
		if s.http.Shutdown(ctx) != nil {
			errs = append(errs, s.http.Close())
		}
	}
	s.done.Wait()
	if s.handler != nil {
		errs = append(errs, s.handler.Close())
	}
	return errors.Join(errs...)
}

// mostMetrics bounds what is read of the collector's metrics.
const mostMetrics = 8 << 20

var metricsClient = &http.Client{Timeout: 3 * time.Second}

// metrics asks the collector for its own metrics.
func (s *server) metrics(ctx context.Context) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.cfg.MetricsEndpoint, http.NoBody)
	if err != nil {
		return nil, err
	}
	res, err := metricsClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("metrics_endpoint answers %s", res.Status)
	}
	return io.ReadAll(io.LimitReader(res.Body, mostMetrics))
}
