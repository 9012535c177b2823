package lenientotlp

import (
	"context"
	"net/http"

	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/pprofile/pprofileotlp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/otelcol-agent/otelcol-agent/internal/lenient"
)

// dataFormat is what the stock receiver calls both formats in its own telemetry.
const dataFormat = "protobuf"

// doors serves the path of every signal that has a pipeline.
func (s *server) doors() *http.ServeMux {
	mux := http.NewServeMux()
	if s.traces != nil {
		mux.Handle(string(s.config.TracesURLPath), door{s, lenient.Traces, ptraceotlp.NewExportResponse(), func() request {
			r := ptraceotlp.NewExportRequest()
			return request{r, func(ctx context.Context) error {
				n := r.Traces().SpanCount()
				if n == 0 {
					return nil
				}
				ctx = s.report.StartTracesOp(ctx)
				err := s.traces.ConsumeTraces(ctx, r.Traces())
				s.report.EndTracesOp(ctx, dataFormat, n, err)
				return err
			}}
		}})
	}
	if s.metrics != nil {
		mux.Handle(string(s.config.MetricsURLPath), door{s, lenient.Metrics, pmetricotlp.NewExportResponse(), func() request {
			r := pmetricotlp.NewExportRequest()
			return request{r, func(ctx context.Context) error {
				n := r.Metrics().DataPointCount()
				if n == 0 {
					return nil
				}
				ctx = s.report.StartMetricsOp(ctx)
				err := s.metrics.ConsumeMetrics(ctx, r.Metrics())
				s.report.EndMetricsOp(ctx, dataFormat, n, err)
				return err
			}}
		}})
	}
	if s.logs != nil {
		mux.Handle(string(s.config.LogsURLPath), door{s, lenient.Logs, plogotlp.NewExportResponse(), func() request {
			r := plogotlp.NewExportRequest()
			return request{r, func(ctx context.Context) error {
				n := r.Logs().LogRecordCount()
				if n == 0 {
					return nil
				}
				ctx = s.report.StartLogsOp(ctx)
				err := s.logs.ConsumeLogs(ctx, r.Logs())
				s.report.EndLogsOp(ctx, dataFormat, n, err)
				return err
			}}
		}})
	}
	if s.profiles != nil {
		mux.Handle(profilesPath, door{s, lenient.Profiles, pprofileotlp.NewExportResponse(), func() request {
			r := pprofileotlp.NewExportRequest()
			return request{r, func(ctx context.Context) error {
				n := r.Profiles().SampleCount()
				if n == 0 {
					return nil
				}
				ctx = s.report.StartProfilesOp(ctx)
				err := s.profiles.ConsumeProfiles(ctx, r.Profiles())
				s.report.EndProfilesOp(ctx, dataFormat, n, err)
				return err
			}}
		}})
	}
	return mux
}
