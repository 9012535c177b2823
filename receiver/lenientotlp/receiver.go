package lenientotlp

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/xconsumer"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/receiverhelper"
	"go.uber.org/zap"
)

// server is the HTTP server of one component id.
type server struct {
	config    *Config
	set       receiver.Settings
	telemetry *counters
	report    *receiverhelper.ObsReport

	traces   consumer.Traces
	metrics  consumer.Metrics
	logs     consumer.Logs
	profiles xconsumer.Profiles

	http    *http.Server
	running sync.WaitGroup
}

func newServer(set receiver.Settings, cfg *Config) (*server, error) {
	telemetry, err := newCounters(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	report, err := receiverhelper.NewObsReport(receiverhelper.ObsReportSettings{
		ReceiverID: set.ID, Transport: "http", ReceiverCreateSettings: set,
	})
	if err != nil {
		return nil, err
	}
	return &server{config: cfg, set: set, telemetry: telemetry, report: report}, nil
}

func (s *server) start(ctx context.Context, host component.Host) error {
	built, err := s.config.HTTP.ToServer(ctx, host.GetExtensions(), s.set.TelemetrySettings, s.doors(), confighttp.WithErrorHandler(answerRefusal))
	if err != nil {
		return err
	}
	listener, err := s.config.HTTP.ToListener(ctx)
	if err != nil {
		return err
	}
	s.http = built
	s.set.Logger.Info("Starting HTTP server", zap.String("endpoint", listener.Addr().String()))
	s.running.Go(func() {
		if err := built.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			componentstatus.ReportStatus(host, componentstatus.NewFatalErrorEvent(err))
		}
	})
	return nil
}

func (s *server) shutdown(ctx context.Context) error {
	var err error
	if s.http != nil {
		err = s.http.Shutdown(ctx)
	}
	s.running.Wait()
	s.telemetry.shutdown()
	return err
}
