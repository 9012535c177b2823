package welcome

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/configopaque"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/extension/extensioncapabilities"
)

func run(t *testing.T, conf map[string]any, store string) string {
	t.Helper()
	var out bytes.Buffer
	cfg := createDefaultConfig().(*Config)
	cfg.Store = configopaque.String(store)
	home := func(name string) string { return map[string]string{"HOME": "/home/me"}[name] }
	w, err := newWelcome(cfg, component.BuildInfo{Command: "otelcol-agent", Version: "1.2.3"}, home, &out)
	require.NoError(t, err)
	snapshot := extensioncapabilities.NewConfigSnapshot(confmap.NewFromStringMap(conf), nil)
	require.NoError(t, w.NotifyConfigSnapshot(context.Background(), snapshot))
	require.Empty(t, out.String(), "nothing is said before the pipelines are ready")
	require.NoError(t, w.Ready())
	require.NoError(t, w.NotReady())
	return out.String()
}

func receiver(protocols map[string]any) map[string]any {
	return map[string]any{"otlp": map[string]any{"protocols": protocols}}
}

func endpoint(address string) map[string]any { return map[string]any{"endpoint": address} }

func TestMessage(t *testing.T) {
	both := map[string]any{"http": endpoint("127.0.0.1:4318"), "grpc": endpoint("127.0.0.1:4317")}
	cases := []struct {
		name  string
		conf  map[string]any
		store string
		want  string
	}{
		{
			name: "both protocols and the default store",
			conf: map[string]any{"receivers": receiver(both)},
			want: `otelcol-agent 1.2.3 is ready.
  point an agent here   export OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318 OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf
  settings of an agent  otelcol-agent connect AGENT
  or by gRPC            127.0.0.1:4317
  list the tasks        otelcol-agent tasks
  look at one           otelcol-agent task ID
  evidence is kept in   /home/me/.local/share/otelcol-agent/evidence.db
`,
		},
		{
			name:  "a server is told without its password",
			conf:  map[string]any{},
			store: "https://writer:secret@ch.example:8443/evidence?dial_timeout=1s",
			want: `otelcol-agent 1.2.3 is ready.
  list the tasks        otelcol-agent tasks --store https://ch.example:8443/evidence
  look at one           otelcol-agent task ID --store https://ch.example:8443/evidence
  evidence is kept in   https://ch.example:8443/evidence
`,
		},
		{
			name: "the lenient receiver's address before the stock one's",
			conf: map[string]any{"receivers": map[string]any{
				"lenientotlp": endpoint("127.0.0.1:4318"),
				"otlp":        map[string]any{"protocols": map[string]any{"http": endpoint("127.0.0.1:5318"), "grpc": endpoint("127.0.0.1:4317")}},
			}},
			want: `otelcol-agent 1.2.3 is ready.
  point an agent here   export OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318 OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf
  settings of an agent  otelcol-agent connect AGENT
  or by gRPC            127.0.0.1:4317
  list the tasks        otelcol-agent tasks
  look at one           otelcol-agent task ID
  evidence is kept in   /home/me/.local/share/otelcol-agent/evidence.db
`,
		},
		{
			name:  "a store of one's own is named in the commands, as one word",
			conf:  map[string]any{"receivers": receiver(both)},
			store: "sqlite:/tmp/my store/it's.db",
			want: `otelcol-agent 1.2.3 is ready.
  point an agent here   export OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318 OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf
  settings of an agent  otelcol-agent connect AGENT
  or by gRPC            127.0.0.1:4317
  list the tasks        otelcol-agent tasks --store '/tmp/my store/it'\''s.db'
  look at one           otelcol-agent task ID --store '/tmp/my store/it'\''s.db'
  evidence is kept in   /tmp/my store/it's.db
`,
		},
		{
			name: "every interface is told as localhost, TLS as https",
			conf: map[string]any{"receivers": receiver(map[string]any{"http": map[string]any{
				"endpoint": "0.0.0.0:14318", "tls": map[string]any{"cert_file": "c.pem"}, "auth": map[string]any{"authenticator": "bearertokenauth/door"},
			}})},
			want: `otelcol-agent 1.2.3 is ready.
  point an agent here   export OTEL_EXPORTER_OTLP_ENDPOINT=https://localhost:14318 OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf
  settings of an agent  otelcol-agent connect AGENT --endpoint https://localhost:14318 --token
  with its token        export OTEL_EXPORTER_OTLP_HEADERS=Authorization=Bearer%20TOKEN
  if its CA is private  export OTEL_EXPORTER_OTLP_CERTIFICATE=CA.pem
  list the tasks        otelcol-agent tasks
  look at one           otelcol-agent task ID
  evidence is kept in   /home/me/.local/share/otelcol-agent/evidence.db
`,
		},
		{
			name: "a door with a token and client certificates says how to bring them",
			conf: map[string]any{"receivers": receiver(map[string]any{"grpc": map[string]any{
				"endpoint": "0.0.0.0:4317",
				"tls":      map[string]any{"cert_file": "c.pem", "client_ca_file": "ca.pem"},
				"auth":     map[string]any{"authenticator": "bearertokenauth/door"},
			}})},
			want: `otelcol-agent 1.2.3 is ready.
  point an agent here   export OTEL_EXPORTER_OTLP_ENDPOINT=https://localhost:4317 OTEL_EXPORTER_OTLP_PROTOCOL=grpc
  with its token        export OTEL_EXPORTER_OTLP_HEADERS=Authorization=Bearer%20TOKEN
  with its certificate  export OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE=CERT.pem OTEL_EXPORTER_OTLP_CLIENT_KEY=KEY.pem
  if its CA is private  export OTEL_EXPORTER_OTLP_CERTIFICATE=CA.pem
  list the tasks        otelcol-agent tasks
  look at one           otelcol-agent task ID
  evidence is kept in   /home/me/.local/share/otelcol-agent/evidence.db
`,
		},
		{
			name: "the pages of a review extension that runs are told",
			conf: map[string]any{
				"extensions": map[string]any{"review": map[string]any{"endpoint": "0.0.0.0:4380", "tls": map[string]any{"cert_file": "c.pem"}, "token_as_password": true}},
				"service":    map[string]any{"extensions": []any{"welcome", "review"}},
			},
			want: `otelcol-agent 1.2.3 is ready.
  review in a browser   https://localhost:4380
  it asks for           any name, and a token as the password
  list the tasks        otelcol-agent tasks
  look at one           otelcol-agent task ID
  evidence is kept in   /home/me/.local/share/otelcol-agent/evidence.db
`,
		},
		{
			name: "one that does not run is not",
			conf: map[string]any{"extensions": map[string]any{"review": endpoint("127.0.0.1:4380")}, "service": map[string]any{"extensions": []any{"welcome"}}},
			want: `otelcol-agent 1.2.3 is ready.
  list the tasks        otelcol-agent tasks
  look at one           otelcol-agent task ID
  evidence is kept in   /home/me/.local/share/otelcol-agent/evidence.db
`,
		},
		{
			name: "gRPC alone",
			conf: map[string]any{"receivers": receiver(map[string]any{"grpc": endpoint("[::]:4317")})},
			want: `otelcol-agent 1.2.3 is ready.
  point an agent here   export OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4317 OTEL_EXPORTER_OTLP_PROTOCOL=grpc
  list the tasks        otelcol-agent tasks
  look at one           otelcol-agent task ID
  evidence is kept in   /home/me/.local/share/otelcol-agent/evidence.db
`,
		},
		{
			name: "a configuration without the receiver",
			want: `otelcol-agent 1.2.3 is ready.
  list the tasks        otelcol-agent tasks
  look at one           otelcol-agent task ID
  evidence is kept in   /home/me/.local/share/otelcol-agent/evidence.db
`,
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, run(t, c.conf, c.store))
		})
	}
}
