package lenientotlp

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/receivertest"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/otelcol-agent/otelcol-agent/receiver/lenientotlp/internal/metadata"
	"github.com/otelcol-agent/otelcol-agent/receiver/lenientotlp/internal/metadatatest"
)

// freePort is an address that nothing listens on.
func freePort(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().String()
}

func logs(attribute string) one {
	return one{"", "POST", "/v1/logs", typeJS, "", []byte(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"attributes":[{"key":"k","value":` + attribute + `}]}]}]}]}`)}
}

// What the stock receiver refuses for one field is taken here, and each mend counted.
func TestMendsAndCounts(t *testing.T) {
	tel := componenttest.NewTelemetry()
	defer func() { require.NoError(t, tel.Shutdown(context.Background())) }()
	next := new(consumertest.LogsSink)
	url, stop := observed(t, metadatatest.NewSettings(tel), next)
	defer stop()
	theirs := serveStock(t, newSink(nil))
	for _, value := range []string{`{"doubleValue":{}}`, `{"intValue":12.0}`, `{"intValue":13.0}`, `{"boolValue":"true"}`} {
		require.Equal(t, http.StatusBadRequest, send(t, theirs, logs(value)).status)
		require.Equal(t, http.StatusOK, send(t, url, logs(value)).status)
	}
	require.Equal(t, 4, next.LogRecordCount())
	v, _ := next.AllLogs()[1].ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0).Attributes().Get("k")
	require.EqualValues(t, 12, v.Int())
	metadatatest.AssertEqualReceiverLenientotlpMends(t, tel, []metricdata.DataPoint[int64]{
		{Attributes: attribute.NewSet(attribute.String("kind", "bool_text")), Value: 1},
		{Attributes: attribute.NewSet(attribute.String("kind", "double_object")), Value: 1},
		{Attributes: attribute.NewSet(attribute.String("kind", "int_integral")), Value: 2},
	}, metricdatatest.IgnoreTimestamp(), metricdatatest.IgnoreExemplars())
}

// What cannot be mended is refused with the path of the fault, counted by reason,
// and told in the log; nothing of the body is told anywhere.
func TestRefusesWithAPathAndNoValue(t *testing.T) {
	tel := componenttest.NewTelemetry()
	defer func() { require.NoError(t, tel.Shutdown(context.Background())) }()
	set := metadatatest.NewSettings(tel)
	core, said := observer.New(zap.DebugLevel)
	set.Logger = zap.New(core)
	next := new(consumertest.LogsSink)
	url, stop := observed(t, set, next)
	defer stop()
	const at = `$.resourceLogs[0].scopeLogs[0].logRecords[0].attributes[0].value`
	deep := strings.Repeat(`{"arrayValue":{"values":[`, 200) + strings.Repeat(`]}}`, 200)
	for _, c := range []struct {
		send one
		want string
	}{
		{logs(`{"intValue":"hunter2"}`), at + `.intValue: must be an integer of 64 bits`},
		{logs(`{"hunter2":hunter2}`), at + `.*: must be a value`},
		{logs(deep), `must not nest objects and arrays deeper than 256 levels`},
		{one{"", "POST", "/v1/logs", typePB, "", []byte("\x0a\x07hunter2")}, `proto`},
	} {
		got := send(t, url, c.send)
		require.Equal(t, http.StatusBadRequest, got.status)
		require.Contains(t, got.body, c.want)
		require.NotContains(t, got.body, "hunter2")
	}
	require.Zero(t, next.LogRecordCount())
	for _, entry := range said.All() {
		require.NotContains(t, entry.Message+entry.ContextMap()["error"].(string), "hunter2")
	}
	require.Equal(t, 4, said.Len())
	point := func(reason string) metricdata.DataPoint[int64] {
		return metricdata.DataPoint[int64]{Attributes: attribute.NewSet(attribute.String("reason", reason)), Value: 1}
	}
	metadatatest.AssertEqualReceiverLenientotlpRefusedRequests(t, tel,
		[]metricdata.DataPoint[int64]{point("value"), point("syntax"), point("nesting"), point("protobuf")}, metricdatatest.IgnoreTimestamp(), metricdatatest.IgnoreExemplars())
}

// observed starts a receiver of logs alone. Start and stop messages are not observed.
func observed(t *testing.T, set receiver.Settings, next *consumertest.LogsSink) (url string, stop func()) {
	cfg := createDefaultConfig().(*Config)
	cfg.HTTP.NetAddr.Endpoint = freePort(t)
	logger := set.Logger
	set.Logger = logger.WithOptions(zap.IncreaseLevel(zap.WarnLevel))
	r, err := NewFactory().CreateLogs(context.Background(), set, cfg, next)
	require.NoError(t, err)
	require.NoError(t, r.Start(context.Background(), componenttest.NewNopHost()))
	return "http://" + cfg.HTTP.NetAddr.Endpoint, func() { require.NoError(t, r.Shutdown(context.Background())) }
}

// A protobuf request that a decoder would not survive is refused, compressed or not.
func TestSurvivesDeepProtobuf(t *testing.T) {
	url := serveLenient(t, newSink(nil), func(c *Config) { c.HTTP.MaxRequestBodySize = 0 })
	body := make([]byte, 20<<20-100)
	start := len(body)
	put := func(tag byte) {
		n := len(body) - start
		start -= 5
		copy(body[start:], []byte{tag, byte(n) | 0x80, byte(n>>7) | 0x80, byte(n>>14) | 0x80, byte(n >> 21)})
	}
	for start > 30 {
		put(0x0a)
		put(0x2a)
	}
	for _, tag := range []byte{0x2a, 0x12, 0x12, 0x0a} {
		put(tag)
	}
	r := one{"", "POST", "/v1/logs", typePB, "", body[start:]}
	require.Contains(t, send(t, url, r).body, "must not nest messages deeper than 256 levels")
	r.encoding, r.body = "gzip", compressed(t, "gzip", r.body)
	require.Contains(t, send(t, url, r).body, "must not nest messages deeper than 256 levels")
}

// One id is one server: it starts and stops once, and a second start of the same
// configuration works.
func TestOneServerForAllSignals(t *testing.T) {
	f, cfg := NewFactory(), createDefaultConfig().(*Config)
	cfg.HTTP.NetAddr.Endpoint = freePort(t)
	ctx, set := context.Background(), receivertest.NewNopSettings(metadata.Type)
	for range 2 {
		traces, err := f.CreateTraces(ctx, set, cfg, consumertest.NewNop())
		require.NoError(t, err)
		logs, err := f.CreateLogs(ctx, set, cfg, consumertest.NewNop())
		require.NoError(t, err)
		require.Same(t, traces, logs)
		for _, c := range []component.Component{traces, logs} {
			require.NoError(t, c.Start(ctx, componenttest.NewNopHost()))
		}
		url := "http://" + cfg.HTTP.NetAddr.Endpoint
		require.Equal(t, http.StatusOK, send(t, url, logsOf()).status)
		require.Equal(t, http.StatusNotFound, send(t, url, one{"", "POST", "/v1/metrics", typeJS, "", []byte(`{}`)}).status)
		for _, c := range []component.Component{traces, logs} {
			require.NoError(t, c.Shutdown(ctx))
		}
	}
}

func logsOf() one { return one{"", "POST", "/v1/logs", typeJS, "", []byte(jsonLog)} }

// A port that is taken is told to every signal that starts.
func TestPortTaken(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	f, cfg := NewFactory(), createDefaultConfig().(*Config)
	cfg.HTTP.NetAddr.Endpoint = l.Addr().String()
	r, err := f.CreateLogs(context.Background(), receivertest.NewNopSettings(metadata.Type), cfg, consumertest.NewNop())
	require.NoError(t, err)
	for range 2 {
		require.ErrorContains(t, r.Start(context.Background(), componenttest.NewNopHost()), "address already in use")
	}
	require.NoError(t, r.Shutdown(context.Background()))
}
