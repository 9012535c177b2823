package redactor

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pprofile"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.uber.org/zap"

	"github.com/otelcol-agent/otelcol-agent/internal/redact"
	"github.com/otelcol-agent/otelcol-agent/processor/redactor/internal/metadata"
)

type redactor struct {
	config    *Config
	logger    *zap.Logger
	telemetry *metadata.TelemetryBuilder
	policy    *redact.Policy // from start on
}

func newRedactor(set processor.Settings, cfg *Config) (*redactor, error) {
	telemetry, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	return &redactor{config: cfg, logger: set.Logger, telemetry: telemetry}, nil
}

func (r *redactor) start(context.Context, component.Host) error {
	key := string(r.config.DigestKey)
	if key == "" {
		var err error
		if key, err = loadKey(r.config.DigestKeyFile); err != nil {
			return err
		}
	}
	policy, err := r.config.Policy(key)
	if err != nil {
		return err
	}
	r.policy = policy
	r.logger.Info("redaction policy is in force",
		zap.String("boundary", r.config.Boundary), zap.String("policy", policy.Hash()), zap.String("key_id", policy.KeyID()), zap.Int("rules", len(policy.Rules())))
	return nil
}

func (r *redactor) shutdown(context.Context) error {
	r.telemetry.Shutdown()
	return nil
}

func (r *redactor) traces(ctx context.Context, td ptrace.Traces) (ptrace.Traces, error) {
	r.count(ctx, r.policy.Traces(td))
	return td, nil
}

func (r *redactor) logs(ctx context.Context, ld plog.Logs) (plog.Logs, error) {
	r.count(ctx, r.policy.Logs(ld))
	return ld, nil
}

func (r *redactor) metrics(ctx context.Context, md pmetric.Metrics) (pmetric.Metrics, error) {
	r.count(ctx, r.policy.Metrics(md))
	return md, nil
}

func (r *redactor) profiles(ctx context.Context, pd pprofile.Profiles) (pprofile.Profiles, error) {
	r.count(ctx, r.policy.Profiles(pd))
	return pd, nil
}

func (r *redactor) count(ctx context.Context, h redact.Hits) {
	boundary := attribute.String("boundary", r.config.Boundary)
	for hit, n := range h.Values {
		r.telemetry.ProcessorRedactorValuesRedacted.Add(ctx, n, metric.WithAttributes(
			attribute.String("rule", hit.Rule), attribute.String("position", hit.Position.String()), boundary))
	}
	for f, n := range h.Failures {
		r.telemetry.ProcessorRedactorValuesFailed.Add(ctx, n, metric.WithAttributes(
			attribute.String("reason", f.Reason.String()), attribute.String("position", f.Position.String()), boundary))
	}
}
