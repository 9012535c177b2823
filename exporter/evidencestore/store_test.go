package evidencestore

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/configopaque"
	"go.opentelemetry.io/collector/config/configretry"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"

	"github.com/otelcol-agent/otelcol-agent/exporter/evidencestore/internal/metadata"
	"github.com/otelcol-agent/otelcol-agent/exporter/evidencestore/internal/metadatatest"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/ledger"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/sqlite"
)

// pair is a traces and a logs exporter of one component id.
type pair struct {
	traces    exporter.Traces
	logs      exporter.Logs
	telemetry *componenttest.Telemetry
	path      string
	store     *store
}

func newPair(t *testing.T, change ...func(*Config)) *pair {
	t.Helper()
	p := &pair{telemetry: componenttest.NewTelemetry(), path: filepath.Join(t.TempDir(), "a folder", "evidence.db")}
	cfg := createDefaultConfig().(*Config)
	cfg.DSN = configopaque.String("sqlite:" + p.path)
	for _, c := range change {
		c(cfg)
	}
	set := exportertest.NewNopSettings(metadata.Type)
	set.TelemetrySettings = p.telemetry.NewTelemetrySettings()
	f := &factory{stores: map[*Config]*store{}}
	var err error
	p.traces, err = f.traces(t.Context(), set, cfg)
	require.NoError(t, err)
	p.logs, err = f.logs(t.Context(), set, cfg)
	require.NoError(t, err)
	p.store = f.stores[cfg]
	return p
}

func (p *pair) start(t *testing.T) {
	t.Helper()
	require.NoError(t, p.traces.Start(t.Context(), componenttest.NewNopHost()))
	require.NoError(t, p.logs.Start(t.Context(), componenttest.NewNopHost()))
}

func (p *pair) stop(t *testing.T) {
	t.Helper()
	require.NoError(t, p.traces.Shutdown(context.Background()))
	require.NoError(t, p.logs.Shutdown(context.Background()))
	require.NoError(t, p.telemetry.Shutdown(context.Background()))
}

func oneSpan(at time.Time, task string) ptrace.Traces {
	td := ptrace.NewTraces()
	s := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	s.SetTraceID(pcommon.TraceID{1})
	s.SetSpanID(pcommon.SpanID{1})
	s.SetStartTimestamp(pcommon.NewTimestampFromTime(at))
	s.SetEndTimestamp(pcommon.NewTimestampFromTime(at))
	s.Attributes().PutStr("app.task.id", task)
	return td
}

func records(at time.Time, task string, events ...string) plog.Logs {
	ld := plog.NewLogs()
	sl := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty()
	for _, e := range events {
		r := sl.LogRecords().AppendEmpty()
		r.SetEventName(e)
		r.SetTimestamp(pcommon.NewTimestampFromTime(at))
		r.Attributes().PutStr("app.task.id", task)
		r.Attributes().PutStr("an.unknown.key", "stays")
	}
	return ld
}

func TestTracesAndLogsMeetInOneRun(t *testing.T) {
	p := newPair(t)
	p.start(t)
	now := time.Now()
	for range 2 { // the sender did not hear the first time
		require.NoError(t, p.traces.ConsumeTraces(t.Context(), oneSpan(now, "t")))
		require.NoError(t, p.logs.ConsumeLogs(t.Context(), records(now, "t", "app.tool.decided", "vendor.made.this.up", "")))
	}

	// Another connection sees it as soon as it was acknowledged.
	r, err := sqlite.OpenReader(p.path)
	require.NoError(t, err)
	defer r.Close()
	run, err := r.Find(t.Context(), "", "t")
	require.NoError(t, err)
	require.Len(t, run.Spans, 1)
	require.Len(t, run.Records, 3)
	require.Equal(t, "stays", run.Records[0].Attrs["an.unknown.key"])

	ignore := []metricdatatest.Option{metricdatatest.IgnoreTimestamp(), metricdatatest.IgnoreExemplars()}
	kind := func(k string) attribute.Set { return attribute.NewSet(attribute.String("kind", k)) }
	metadatatest.AssertEqualExporterEvidencestoreRowsWritten(t, p.telemetry, []metricdata.DataPoint[int64]{
		{Attributes: kind("span"), Value: 1}, {Attributes: kind("record"), Value: 3},
	}, ignore...)
	metadatatest.AssertEqualExporterEvidencestoreRecordsUnknown(t, p.telemetry, []metricdata.DataPoint[int64]{{Value: 4}}, ignore...)
	metadatatest.AssertEqualExporterEvidencestoreRowsQuarantined(t, p.telemetry, []metricdata.DataPoint[int64]{
		{Attributes: kind("span")}, {Attributes: kind("record")},
	}, ignore...)
	size, err := p.telemetry.GetMetric("otelcol_exporter_evidencestore_database_size")
	require.NoError(t, err)
	require.Positive(t, size.Data.(metricdata.Gauge[int64]).DataPoints[0].Value)
	p.stop(t)
}

func TestBadSpanIsSetAside(t *testing.T) {
	p := newPair(t)
	p.start(t)
	td := oneSpan(time.Now(), "t")
	td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().AppendEmpty().SetName("no ids")
	require.NoError(t, p.traces.ConsumeTraces(t.Context(), td))
	metadatatest.AssertEqualExporterEvidencestoreRowsQuarantined(t, p.telemetry, []metricdata.DataPoint[int64]{
		{Attributes: attribute.NewSet(attribute.String("kind", "span")), Value: 1},
	}, metricdatatest.IgnoreTimestamp(), metricdatatest.IgnoreExemplars())
	p.stop(t)
}

func TestWhatIsTooOldGoes(t *testing.T) {
	now := time.Now()
	p := newPair(t, func(c *Config) { c.Retention = RetentionConfig{Evidence: Age(3 * time.Hour)} })
	p.start(t)
	for task, age := range map[string]time.Duration{"old": 4 * time.Hour, "young": 2 * time.Hour} {
		td := oneSpan(now.Add(-age), task)
		td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).SetTraceID(pcommon.TraceID{byte(age / time.Hour)})
		require.NoError(t, p.traces.ConsumeTraces(t.Context(), td))
	}
	require.NoError(t, p.logs.ConsumeLogs(t.Context(), records(now.Add(-10000*time.Hour), "ancient", "app.task.started")))
	p.store.prune(t.Context(), now)

	r, err := sqlite.OpenReader(p.path)
	require.NoError(t, err)
	defer r.Close()
	_, err = r.Find(t.Context(), "", "old")
	require.ErrorIs(t, err, evidence.ErrNotFound)
	for _, task := range []string{"young", "ancient"} {
		_, err = r.Find(t.Context(), "", task)
		require.NoError(t, err, "records are kept for ever here")
	}
	p.stop(t)
}

func TestStartRefusesWhatIsNoStore(t *testing.T) {
	p := newPair(t)
	require.NoError(t, os.MkdirAll(filepath.Dir(p.path), 0o700))
	require.NoError(t, os.WriteFile(p.path, []byte("a letter to a friend, not a database"), 0o600))
	for range 2 {
		err := p.traces.Start(t.Context(), componenttest.NewNopHost())
		require.ErrorContains(t, err, p.path)
		require.ErrorContains(t, err, "name another file")
	}
	content, err := os.ReadFile(p.path)
	require.NoError(t, err)
	require.Equal(t, "a letter to a friend, not a database", string(content))
	p.stop(t)
}

func TestTheLogIsSignedWithTheKeyThatIsNamed(t *testing.T) {
	key := filepath.Join(t.TempDir(), "keys", "ledger.key")
	p := newPair(t, func(c *Config) { c.Ledger.KeyFile = key })
	p.start(t)
	require.NoError(t, p.traces.ConsumeTraces(t.Context(), oneSpan(time.Now(), "t")))
	p.stop(t)
	require.NoFileExists(t, sqlite.KeyFile(p.path))
	vkey, err := ledger.LoadVerifier(key)
	require.NoError(t, err)
	keys, err := ledger.Verifiers([]string{vkey})
	require.NoError(t, err)
	r, err := sqlite.OpenReader(p.path)
	require.NoError(t, err)
	defer r.Close()
	text, err := r.Checkpoint(t.Context(), ledger.None)
	require.NoError(t, err)
	point, err := ledger.OpenCheckpoint(text, keys)
	require.NoError(t, err)
	require.Equal(t, int64(2), point.Size, "the beginning and a span")
}

func TestFailedWriteIsNotAcknowledged(t *testing.T) {
	p := newPair(t, func(c *Config) { c.RetryConfig = configretry.BackOffConfig{} })
	p.start(t)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.Error(t, p.traces.ConsumeTraces(ended, oneSpan(time.Now(), "t")))
	p.stop(t)
}
