package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-agent/otelcol-agent/processor/genaimapper"
	"github.com/otelcol-agent/otelcol-agent/processor/redactor"
)

const houseDialect = `dialect: house
content: {keys: [house.said], prefixes: [house.answers.]}
person: [house.caller]
targets: {house.caller: string}
spans:
  detect: {keys: [house.*]}
  fields:
    gen_ai.request.model: house.model
    house.caller: {const: fixed}
`

// The values are short words, which nothing but their keys gives away.
var houseSecrets = []string{"paris", "yes", "ada"}

func putHouse(m pcommon.Map) {
	m.PutStr("house.said", "paris")
	m.PutStr("house.answers.0.text", "yes")
	m.PutStr("house.caller", "ada")
	m.PutStr("house.model", "m-1")
}

// house converts a configuration that names the dialect for the mapper and
// returns the two processors' settings of it.
func house(t *testing.T, redactors map[string]any) (*confmap.Conf, string) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	path := filepath.Join(t.TempDir(), "house.yaml")
	require.NoError(t, os.WriteFile(path, []byte(houseDialect), 0o600))
	processors := map[string]any{
		"genaimapper":   map[string]any{"dialects": map[string]any{"files": []any{path}}},
		"genaimapper/2": map[string]any{"dialects": map[string]any{"files": []any{path}}},
		"genaimapper/3": nil,
	}
	for key, v := range redactors {
		processors[key] = v
	}
	conf := confmap.NewFromStringMap(map[string]any{"processors": processors})
	require.NoError(t, newDialectsFactory().Create(confmap.ConverterSettings{}).Convert(context.Background(), conf))
	return conf, path
}

func configOf(t *testing.T, conf *confmap.Conf, f processor.Factory, id string) component.Config {
	cfg := f.CreateDefaultConfig()
	sub, err := conf.Sub("processors::" + id)
	require.NoError(t, err)
	require.NoError(t, sub.Unmarshal(cfg))
	require.NoError(t, cfg.(interface{ Validate() error }).Validate())
	return cfg
}

func TestContentOfAPrivateDialectDoesNotLeave(t *testing.T) {
	conf, _ := house(t, map[string]any{"redactor": nil})
	ctx := context.Background()
	mapping, redaction := genaimapper.NewFactory(), redactor.NewFactory()
	mapperConfig, redactorConfig := configOf(t, conf, mapping, "genaimapper"), configOf(t, conf, redaction, "redactor")
	settings := func(f processor.Factory) processor.Settings { return processortest.NewNopSettings(f.Type()) }

	spans, logs, points := new(consumertest.TracesSink), new(consumertest.LogsSink), new(consumertest.MetricsSink)
	redactTraces, err := redaction.CreateTraces(ctx, settings(redaction), redactorConfig, spans)
	require.NoError(t, err)
	mapTraces, err := mapping.CreateTraces(ctx, settings(mapping), mapperConfig, redactTraces)
	require.NoError(t, err)
	redactLogs, err := redaction.CreateLogs(ctx, settings(redaction), redactorConfig, logs)
	require.NoError(t, err)
	mapLogs, err := mapping.CreateLogs(ctx, settings(mapping), mapperConfig, redactLogs)
	require.NoError(t, err)
	redactMetrics, err := redaction.CreateMetrics(ctx, settings(redaction), redactorConfig, points)
	require.NoError(t, err)
	mapMetrics, err := mapping.CreateMetrics(ctx, settings(mapping), mapperConfig, redactMetrics)
	require.NoError(t, err)
	for _, c := range []component.Component{redactTraces, mapTraces, redactLogs, mapLogs, redactMetrics, mapMetrics} {
		require.NoError(t, c.Start(ctx, componenttest.NewNopHost()))
		defer func() { require.NoError(t, c.Shutdown(ctx)) }()
	}

	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	putHouse(rs.Resource().Attributes())
	ss := rs.ScopeSpans().AppendEmpty()
	putHouse(ss.Scope().Attributes())
	span := ss.Spans().AppendEmpty()
	putHouse(span.Attributes())
	putHouse(span.Events().AppendEmpty().Attributes())
	putHouse(span.Links().AppendEmpty().Attributes())
	require.NoError(t, mapTraces.ConsumeTraces(ctx, td))
	got := spans.AllTraces()[0]
	out := got.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Attributes().AsRaw()
	require.Equal(t, "house", out["app.mapping.dialect"])
	require.Equal(t, "m-1", out["gen_ai.request.model"], "what is no content stays")
	text, err := (&ptrace.JSONMarshaler{}).MarshalTraces(got)
	require.NoError(t, err)
	requireNoSecrets(t, text)

	ld := plog.NewLogs()
	record := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
	putHouse(record.Attributes())
	putHouse(record.Body().SetEmptyMap())
	require.NoError(t, mapLogs.ConsumeLogs(ctx, ld))
	text, err = (&plog.JSONMarshaler{}).MarshalLogs(logs.AllLogs()[0])
	require.NoError(t, err)
	requireNoSecrets(t, text)

	md := pmetric.NewMetrics()
	metric := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
	metric.SetName("house.calls")
	putHouse(metric.SetEmptySum().DataPoints().AppendEmpty().Attributes())
	require.NoError(t, mapMetrics.ConsumeMetrics(ctx, md))
	text, err = (&pmetric.JSONMarshaler{}).MarshalMetrics(points.AllMetrics()[0])
	require.NoError(t, err)
	requireNoSecrets(t, text)
}

func requireNoSecrets(t *testing.T, text []byte) {
	t.Helper()
	for _, secret := range houseSecrets {
		require.NotContains(t, string(text), `"`+secret+`"`)
	}
}

func TestRedactorsAreToldTheMappersDialects(t *testing.T) {
	own := map[string]any{"dialects": map[string]any{"files": []any{}}}
	conf, path := house(t, map[string]any{"redactor": nil, "redactor/out": map[string]any{"content": "drop"}, "redactor/own": own})
	require.Equal(t, []any{path}, conf.Get("processors::redactor::dialects::files"))
	require.Equal(t, []any{path}, conf.Get("processors::redactor/out::dialects::files"))
	require.Equal(t, "drop", conf.Get("processors::redactor/out::content"))
	require.Equal(t, []any{}, conf.Get("processors::redactor/own::dialects::files"))
	require.Nil(t, conf.Get("processors::genaimapper/3"))
}

func TestWithoutPrivateDialectsNothingChanges(t *testing.T) {
	before := map[string]any{"processors": map[string]any{"redactor": nil, "genaimapper": map[string]any{"content": "map"}}}
	conf := confmap.NewFromStringMap(before)
	require.NoError(t, newDialectsFactory().Create(confmap.ConverterSettings{}).Convert(context.Background(), conf))
	require.Equal(t, before, conf.ToStringMap())
}
