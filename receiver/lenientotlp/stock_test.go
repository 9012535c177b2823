package lenientotlp

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/configopaque"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/receiver/receivertest"
	"go.opentelemetry.io/collector/receiver/xreceiver"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
)

const limit = 4096 // bytes of a body in these tests

// one is a request to try at both receivers.
type one struct {
	name, method, path, contentType, encoding string
	body                                      []byte
}

// sink takes everything; err is what it answers, nil for taken.
type sink struct {
	consumertest.Consumer
	logs *consumertest.LogsSink
	err  error
}

func newSink(err error) *sink {
	logs := new(consumertest.LogsSink)
	if err != nil {
		return &sink{consumertest.NewErr(err), logs, err}
	}
	return &sink{consumertest.NewNop(), logs, nil}
}

func (s *sink) ConsumeLogs(ctx context.Context, ld plog.Logs) error {
	if s.err != nil {
		return s.err
	}
	return s.logs.ConsumeLogs(ctx, ld)
}

// run starts a receiver with all signals .
func run(t *testing.T, f receiver.Factory, cfg component.Config, next *sink) {
	t.Helper()
	set := receivertest.NewNopSettings(f.Type())
	ctx, host := context.Background(), componenttest.NewNopHost()
	var parts []component.Component
	add := func(c component.Component, err error) {
		require.NoError(t, err)
		parts = append(parts, c)
	}
	add(f.CreateTraces(ctx, set, cfg, next))
	add(f.CreateLogs(ctx, set, cfg, consumer.Logs(next)))
	add(f.CreateMetrics(ctx, set, cfg, next))
	add(f.(xreceiver.Factory).CreateProfiles(ctx, set, cfg, next))
	for _, c := range parts {
		require.NoError(t, c.Start(ctx, host))
	}
	t.Cleanup(func() {
		for _, c := range parts {
			require.NoError(t, c.Shutdown(ctx))
		}
	})

}

func serveLenient(t *testing.T, next *sink, change func(*Config)) string {
	f, cfg := NewFactory(), createDefaultConfig().(*Config)
	cfg.HTTP.NetAddr.Endpoint = freePort(t)
	cfg.HTTP.MaxRequestBodySize = limit
	cfg.HTTP.ResponseHeaders = configopaque.MapList{{Name: "X-Here", Value: "yes"}}
	if change != nil {
		change(cfg)
	}
	run(t, f, cfg, next)
	return "http://" + cfg.HTTP.NetAddr.Endpoint
}

func serveStock(t *testing.T, next *sink) string {
	f := otlpreceiver.NewFactory()
	cfg := f.CreateDefaultConfig().(*otlpreceiver.Config)
	http := cfg.Protocols.HTTP.GetOrInsertDefault()
	http.ServerConfig.NetAddr.Endpoint = freePort(t)
	http.ServerConfig.MaxRequestBodySize = limit
	http.ServerConfig.ResponseHeaders = configopaque.MapList{{Name: "X-Here", Value: "yes"}}
	run(t, f, cfg, next)
	return "http://" + http.ServerConfig.NetAddr.Endpoint
}

// answered is what a sender sees of an answer.
type answered struct {
	status                        int
	contentType, retryAfter, body string
	header                        string
}

func send(t *testing.T, url string, r one) answered {
	t.Helper()
	req, err := http.NewRequest(r.method, url+r.path, bytes.NewReader(r.body))
	require.NoError(t, err)
	req.Close = true
	if r.contentType != "" {
		req.Header.Set("Content-Type", r.contentType)
	}
	if r.encoding != "" {
		req.Header.Set("Content-Encoding", r.encoding)
	}
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return answered{resp.StatusCode, resp.Header.Get("Content-Type"), resp.Header.Get("Retry-After"), string(body), resp.Header.Get("X-Here")}
}

func compressed(t *testing.T, encoding string, body []byte) []byte {
	var b bytes.Buffer
	var w io.WriteCloser
	switch encoding {
	case "gzip":
		w = gzip.NewWriter(&b)
	case "zlib", "deflate":
		w = zlib.NewWriter(&b)
	case "zstd":
		z, err := zstd.NewWriter(&b)
		require.NoError(t, err)
		w = z
	}
	_, err := w.Write(body)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.Bytes()
}

const (
	jsonLog = `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"said"}}]}]}]}`
	typeJS  = "application/json"
	typePB  = "application/x-protobuf"
)

func requests(t *testing.T) []one {
	logs := plog.NewLogs()
	logs.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty().Body().SetStr("said")
	pb, err := plogotlp.NewExportRequestFromLogs(logs).MarshalProto()
	require.NoError(t, err)
	large := []byte(`{"x":"` + strings.Repeat("a", limit) + `"}`)
	out := []one{
		{"json", "POST", "/v1/logs", typeJS, "", []byte(jsonLog)},
		{"json with a parameter", "POST", "/v1/logs", typeJS + "; charset=utf-8", "", []byte(jsonLog)},
		{"protobuf", "POST", "/v1/logs", typePB, "", pb},
		{"nothing in it", "POST", "/v1/logs", typeJS, "", []byte(`{}`)},
		{"nothing in it, protobuf", "POST", "/v1/logs", typePB, "", nil},
		{"traces", "POST", "/v1/traces", typeJS, "", []byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"a"}]}]}]}`)},
		{"metrics", "POST", "/v1/metrics", typeJS, "", []byte(`{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"sum":{"dataPoints":[{"asInt":1}]}}]}]}]}`)},
		{"profiles", "POST", "/v1development/profiles", typeJS, "", []byte(`{"resourceProfiles":[{"scopeProfiles":[{"profiles":[{"samples":[{}]}]}]}]}`)},
		{"not protobuf", "POST", "/v1/logs", typePB, "", []byte(`{`)},
		{"another path", "POST", "/v1/other", typeJS, "", []byte(jsonLog)},
		{"get", "GET", "/v1/logs", typeJS, "", nil},
		{"options", "OPTIONS", "/v1/logs", "", "", nil},
		{"no type", "POST", "/v1/logs", "", "", []byte(jsonLog)},
		{"another type", "POST", "/v1/logs", "text/plain", "", []byte(jsonLog)},
		{"no such type", "POST", "/v1/logs", ";;", "", []byte(jsonLog)},
		{"unknown compression", "POST", "/v1/logs", typeJS, "br", []byte(jsonLog)},
		{"unknown compression, protobuf", "POST", "/v1/logs", typePB, "br", pb},
		{"unknown compression, another type", "POST", "/v1/logs", "text/plain", "br", pb},
		{"not gzip", "POST", "/v1/logs", typeJS, "gzip", []byte(jsonLog)},
		{"cut gzip", "POST", "/v1/logs", typeJS, "gzip", compressed(t, "gzip", []byte(jsonLog))[:20]},
		{"too large", "POST", "/v1/logs", typeJS, "", large},
		{"too large, protobuf", "POST", "/v1/logs", typePB, "", large},
	}
	for _, encoding := range []string{"gzip", "zlib", "deflate", "zstd"} {
		out = append(out,
			one{"json in " + encoding, "POST", "/v1/logs", typeJS, encoding, compressed(t, encoding, []byte(jsonLog))},
			one{"protobuf in " + encoding, "POST", "/v1/logs", typePB, encoding, compressed(t, encoding, pb)},
			one{"too large in " + encoding, "POST", "/v1/logs", typeJS, encoding, compressed(t, encoding, large)})
	}
	return out
}

// A sender cannot tell the receiver from the stock one: status, type, headers and
// body of the answer are the same, whatever the pipeline says.
func TestAnswersAsTheStockReceiver(t *testing.T) {
	later, err := status.New(codes.ResourceExhausted, "later").WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(7 * time.Second)})
	require.NoError(t, err)
	for name, err := range map[string]error{
		"taken": nil, "again": errors.New("not now"), "never": consumererror.NewPermanent(errors.New("not this")),
		"later": later.Err(), "unauthenticated": status.Error(codes.Unauthenticated, "who"), "unknown": status.Error(codes.Unknown, "what"),
		"invalid": status.Error(codes.InvalidArgument, "that"), "unimplemented": status.Error(codes.Unimplemented, "how"), "denied": status.Error(codes.PermissionDenied, "no"),
	} {
		ours, theirs := newSink(err), newSink(err)
		here, there := serveLenient(t, ours, nil), serveStock(t, theirs)
		for _, r := range requests(t) {
			require.Equal(t, send(t, there, r), send(t, here, r), "%s: %s", name, r.name)
		}
		require.Equal(t, theirs.logs.AllLogs(), ours.logs.AllLogs(), name)
	}
}
