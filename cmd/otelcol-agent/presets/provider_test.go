package presets

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/confmaptest"
)

const goodToken = "0123456789abcdef0123"

// retrieve asks the provider with an environment and files of the test's own.
func retrieve(uri string, env, tokens map[string]string) (*confmap.Conf, error) {
	p := NewFactory(Settings{
		Getenv: func(name string) string { return env[name] },
		ReadFile: func(path string) ([]byte, error) {
			text, ok := tokens[path]
			if !ok {
				return nil, fs.ErrNotExist
			}
			return []byte(text), nil
		},
	}).Create(confmap.ProviderSettings{})
	got, err := p.Retrieve(context.Background(), uri, nil)
	if err != nil {
		return nil, err
	}
	return got.AsConf()
}

func TestSchemeIsValid(t *testing.T) {
	p := NewFactory(Settings{}).Create(confmap.ProviderSettings{})
	require.NoError(t, confmaptest.ValidateProviderScheme(p))
	require.NoError(t, p.Shutdown(context.Background()))
}

func TestNamesAreThePresetsWithoutOverlays(t *testing.T) {
	require.Equal(t, []string{
		"agent", "gateway",
		"journals/acp", "journals/aider", "journals/cursor", "journals/kimi", "journals/kimi-cli", "journals/opencode",
	}, Names())
}

func TestUnknownPresetListsTheKnownOnes(t *testing.T) {
	for _, uri := range []string{"preset:agnet", "preset:", "preset:agent+metrics", "preset:../agent"} {
		_, err := retrieve(uri, nil, nil)
		require.ErrorContains(t, err, "is not known; known are agent, gateway", uri)
	}
	_, err := retrieve("file:agent", nil, nil)
	require.ErrorContains(t, err, `"file:agent" does not begin with "preset:"`)
}

// pipelines returns each pipeline with its parts in order.
func pipelines(t *testing.T, conf *confmap.Conf) map[string]string {
	t.Helper()
	out := map[string]string{}
	all, err := conf.Sub("service::pipelines")
	require.NoError(t, err)
	for name, v := range all.ToStringMap() {
		p := v.(map[string]any)
		var parts []string
		for _, key := range []string{"receivers", "processors", "exporters"} {
			var names []string
			list, _ := p[key].([]any)
			for _, item := range list {
				names = append(names, item.(string))
			}
			parts = append(parts, strings.Join(names, " "))
		}
		out[name] = strings.Join(parts, " | ")
	}
	return out
}

func TestAgentKeepsEverythingHereByDefault(t *testing.T) {
	conf, err := retrieve(Default, nil, nil)
	require.NoError(t, err)
	require.Equal(t, map[string]string{
		"traces/receive":  "otlp lenientotlp | memory_limiter genaimapper redactor | forward/clean agentevents evaluation",
		"traces/store":    "forward/clean agentevents evaluation |  | evidencestore",
		"logs/receive":    "otlp lenientotlp | memory_limiter genaimapper redactor | forward/clean agentevents evaluation",
		"logs/store":      "forward/clean |  | evidencestore",
		"metrics/receive": "otlp lenientotlp | memory_limiter genaimapper redactor | forward/clean",
		"metrics/store":   "forward/clean |  | nop",
	}, pipelines(t, conf))
	for _, key := range conf.AllKeys() {
		if strings.HasSuffix(key, "::endpoint") {
			require.Regexp(t, `^127\.0\.0\.1:`, conf.Get(key), key)
		}
	}
	sub, err := conf.Sub("exporters")
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"evidencestore", "nop"}, keys(sub.ToStringMap()), "no exporter that could send")
}

// Tools, instructions and messages are gone when a review asks what the model saw.
func TestPresetsKeepDigestsOfWhatTheModelSaw(t *testing.T) {
	cert, key := pems(t)
	for _, name := range []string{"agent", "gateway"} {
		conf, err := retrieve(Scheme+":"+name, map[string]string{
			envTLSCert: "cert", envTLSKey: "key", envTokenFile: "token",
		}, map[string]string{"token": goodToken, "cert": cert, "key": key})
		require.NoError(t, err)
		require.Equal(t, []any{"effects", "prompts", "catalogs"}, conf.Get("processors::genaimapper::digests"), name)
	}
}

func keys(m map[string]any) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func TestAgentForwardsOnlyBehindRedactorAndTailPolicy(t *testing.T) {
	cases := []struct {
		name, address, exporter, endpoint string
		insecure                          bool
	}{
		{"https", "https://gw.example:4318", "otlp_http/upstream", "https://gw.example:4318", false},
		{"https with a path", "https://gw.example/otlp", "otlp_http/upstream", "https://gw.example/otlp", false},
		{"gRPC", "grpcs://gw.example:4317", "otlp_grpc/upstream", "gw.example:4317", false},
		{"plain on loopback", "http://127.0.0.1:5318", "otlp_http/upstream", "http://127.0.0.1:5318", true},
		{"plain gRPC on loopback", "grpc://[::1]:5317", "otlp_grpc/upstream", "[::1]:5317", true},
		{"a dollar sign is no reference", "https://gw.example/${env:HOME}", "otlp_http/upstream", "https://gw.example/$${env:HOME}", false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			env := map[string]string{envGateway: c.address, envTokenFile: "token", "XDG_DATA_HOME": "/data"}
			conf, err := retrieve(Default, env, map[string]string{"token": goodToken + "\n"})
			require.NoError(t, err)
			exporter := "exporters::" + c.exporter
			require.Equal(t, c.endpoint, conf.Get(exporter+"::endpoint"))
			require.Equal(t, c.insecure, conf.Get(exporter+"::tls::insecure"))
			wantAuth := any("bearertokenauth/upstream")
			if c.insecure {
				wantAuth = nil
			}
			require.Equal(t, wantAuth, conf.Get(exporter+"::auth::authenticator"))
			got := pipelines(t, conf)
			require.Equal(t, "forward/clean agentevents evaluation | tailpolicy | "+c.exporter, got["traces/upstream"])
			require.Equal(t, "forward/clean | attributes/joined tailpolicy | "+c.exporter, got["logs/upstream"])
			require.Equal(t, "forward/clean |  | "+c.exporter, got["metrics/upstream"])
			require.Equal(t, "file_storage/upstream", conf.Get(exporter+"::sending_queue::storage"))
			require.True(t, conf.IsSet(exporter+"::sending_queue::batch"), "batches are made of what is on disk")
			require.Equal(t, "drop", conf.Get("processors::tailpolicy::overflow"), "nothing reaches back to the local store")
			require.Equal(t, "/data/otelcol-agent/evidence.db.upstream", conf.Get("extensions::file_storage/upstream::directory"))
			require.Equal(t, "/data/otelcol-agent/evidence.db.runs", conf.Get("processors::tailpolicy::storage::directory"))
			require.Contains(t, conf.Get("service::extensions"), "file_storage/upstream")
			require.Equal(t, "forward/clean agentevents evaluation |  | evidencestore", got["traces/store"], "the local store keeps everything")
		})
	}
}

func TestAgentRefusesAnUnsafeGateway(t *testing.T) {
	cases := []struct {
		name, address, token, want string
	}{
		{"no scheme", "gw.example:4317", goodToken, "OTELCOL_AGENT_GATEWAY must be"},
		{"unknown scheme", "ftp://gw.example", goodToken, `must begin with https:// or grpcs://, found scheme "ftp"`},
		{"plain to another machine", "http://gw.example:4318", goodToken, "must use https:// unless the host is loopback"},
		{"plain gRPC to another machine", "grpc://10.0.0.1:4317", goodToken, "must use grpcs:// unless the host is loopback"},
		{"name that only looks local", "http://localhost.example:4318", goodToken, "must use https://"},
		{"gRPC with a path", "grpcs://gw.example:4317/x", goodToken, "must not have a path"},
		{"a port that is none", "https://gw.example:abc", goodToken, "OTELCOL_AGENT_GATEWAY must be https://host:port"},
		{"an empty port", "https://gw.example:", goodToken, "must have a port from 1 to 65535"},
		{"port 0", "https://gw.example:0", goodToken, "must have a port from 1 to 65535"},
		{"a port that is too large", "grpcs://gw.example:65536", goodToken, "must have a port from 1 to 65535"},
		{"gRPC without a port", "grpcs://gw.example", goodToken, "must have a port with scheme"},
		{"credentials in the address", "https://me:pass@gw.example", goodToken, "must not hold credentials"},
		{"empty token file", "https://gw.example", "\n", "is empty"},
		{"guessable token", "https://gw.example", "secret", "must have at least 16 characters, found 6"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := retrieve(Default, map[string]string{envGateway: c.address, envTokenFile: "token"}, map[string]string{"token": c.token})
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), "pass@")
			require.NotContains(t, err.Error(), `"secret"`)
		})
	}
	_, err := retrieve(Default, map[string]string{envGateway: "https://gw.example"}, nil)
	require.ErrorContains(t, err, "OTELCOL_AGENT_TOKEN_FILE must name a file with a bearer token")
	_, err = retrieve(Default, map[string]string{envGateway: "https://gw.example", envTokenFile: "absent"}, nil)
	require.True(t, errors.Is(err, fs.ErrNotExist))
}

func TestAgentServesMetricsWhereItIsTold(t *testing.T) {
	conf, err := retrieve(Default, map[string]string{envMetrics: "127.0.0.1:9464"}, nil)
	require.NoError(t, err)
	require.Equal(t, "forward/clean span_metrics |  | prometheus", pipelines(t, conf)["metrics/store"])
	require.Equal(t, "${env:OTELCOL_AGENT_METRICS}", conf.Get("exporters::prometheus::endpoint"))
	require.Equal(t, "normal", conf.Get("service::telemetry::metrics::level"))
}

func TestGatewayServesMetricsWhereItIsTold(t *testing.T) {
	cert, key := pems(t)
	env := map[string]string{envTLSCert: "c.pem", envTLSKey: "k.pem", envTokenFile: "tokens", envMetrics: "127.0.0.1:9464"}
	files := map[string]string{"c.pem": cert, "k.pem": key, "tokens": "a-token-of-the-test-0001"}
	conf, err := retrieve("preset:gateway", env, files)
	require.NoError(t, err)
	require.Equal(t, "span_metrics | tailpolicy | prometheus", pipelines(t, conf)["metrics/spans"])
	env[envMetrics] = "banana"
	_, err = retrieve("preset:gateway", env, files)
	require.ErrorContains(t, err, "OTELCOL_AGENT_METRICS must be host:port")
}

func TestAgentRefusesABadMetricsAddress(t *testing.T) {
	for _, address := range []string{"banana", "127.0.0.1", ":9464", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:70000", "127.0.0.1:http", "http://127.0.0.1:9464"} {
		_, err := retrieve(Default, map[string]string{envMetrics: address, envGateway: "gw"}, nil)
		require.ErrorContains(t, err, "OTELCOL_AGENT_METRICS must be host:port", address)
		require.ErrorContains(t, err, "OTELCOL_AGENT_GATEWAY must be", "every reason is told at once")
	}
}

func TestRetentionIsStated(t *testing.T) {
	conf, err := retrieve(Default, nil, nil)
	require.NoError(t, err)
	require.Equal(t, "720h", conf.Get("exporters::evidencestore::retention::evidence"))
	require.Equal(t, "168h", conf.Get("exporters::evidencestore::retention::records"))
}

func TestGatewayIsNoOpenDoor(t *testing.T) {
	tls := map[string]string{envTLSCert: "c.pem", envTLSKey: "k.pem"}
	cert, key := pems(t)
	files := func(token string) map[string]string {
		return map[string]string{"c.pem": cert, "k.pem": key, "ca.pem": cert, "token": token}
	}
	with := func(more map[string]string) map[string]string {
		out := map[string]string{}
		for _, m := range []map[string]string{tls, more} {
			for k, v := range m {
				out[k] = v
			}
		}
		return out
	}

	_, err := retrieve("preset:gateway", map[string]string{envClickHouse: "ch:9000"}, nil)
	for _, want := range []string{
		"OTELCOL_AGENT_TLS_CERT must name", "OTELCOL_AGENT_TLS_KEY must name",
		"OTELCOL_AGENT_TOKEN_FILE must name a file with bearer tokens, or OTELCOL_AGENT_TLS_CLIENT_CA",
		"OTELCOL_AGENT_CLICKHOUSE must be clickhouse://HOST:9000/DATABASE",
	} {
		require.ErrorContains(t, err, want, "every reason is told at once")
	}
	door := map[string]string{envTokenFile: "token", envClickHouse: "https://me:secret@ch:8443/evidence"}
	conf, err := retrieve("preset:gateway", with(door), files(goodToken))
	require.NoError(t, err)
	for _, key := range []string{"exporters::evidencestore::dsn", "extensions::welcome::store", "extensions::review::store"} {
		require.Equal(t, "${env:OTELCOL_AGENT_CLICKHOUSE}", conf.Get(key), key)
	}
	door[envStore] = "a.db"
	_, err = retrieve("preset:gateway", with(door), files(goodToken))
	require.ErrorContains(t, err, "OTELCOL_AGENT_CLICKHOUSE and OTELCOL_AGENT_STORE both name a store")

	_, err = retrieve("preset:gateway", with(map[string]string{envTokenFile: "token"}), files(goodToken+"\nshort"))
	require.ErrorContains(t, err, "token 2 of token must have at least 16 characters, found 5")

	conf, err = retrieve("preset:gateway", with(map[string]string{envTokenFile: "token"}), files(goodToken))
	require.NoError(t, err)
	for _, key := range []string{"receivers::otlp::protocols::grpc", "receivers::lenientotlp"} {
		require.Equal(t, "bearertokenauth/door", conf.Get(key+"::auth::authenticator"))
		require.Equal(t, "${env:OTELCOL_AGENT_TLS_CERT}", conf.Get(key+"::tls::cert_file"))
		require.Nil(t, conf.Get(key+"::tls::client_ca_file"))
	}
	require.Contains(t, conf.Get("service::extensions"), "bearertokenauth/door")
	require.Equal(t, "forward/clean agentevents evaluation | tailpolicy | evidencestore", pipelines(t, conf)["traces/store"])
	require.Equal(t, "forward/clean | tailpolicy | evidencestore", pipelines(t, conf)["logs/store"])
	require.Equal(t, "gateway", conf.Get("processors::redactor::boundary"))
	require.Equal(t, "otelcol-agent.runs", conf.Get("processors::tailpolicy::storage::directory"), "without a home, where it runs")

	conf, err = retrieve("preset:gateway", with(map[string]string{envTokenFile: "token", envStore: "/data/a$b.db"}), files(goodToken))
	require.NoError(t, err)
	require.Equal(t, "/data/a$$b.db.runs", conf.Get("processors::tailpolicy::storage::directory"))

	conf, err = retrieve("preset:gateway", with(map[string]string{envClientCA: "ca.pem"}), files(""))
	require.NoError(t, err)
	for _, key := range []string{"receivers::otlp::protocols::grpc", "receivers::lenientotlp"} {
		require.Equal(t, "${env:OTELCOL_AGENT_TLS_CLIENT_CA}", conf.Get(key+"::tls::client_ca_file"))
		require.Nil(t, conf.Get(key+"::auth::authenticator"))
	}
}

func TestEveryOverlayBelongsToAPreset(t *testing.T) {
	entries, err := fs.ReadDir(files, ".")
	require.NoError(t, err)
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		base, _, _ := strings.Cut(strings.TrimSuffix(e.Name(), ".yaml"), "+")
		require.Contains(t, Names(), base, e.Name())
		_, err := load(strings.TrimSuffix(e.Name(), ".yaml"))
		require.NoError(t, err)
	}
}

// A journal's preset adds one receiver and one pipeline, and what it reads passes
// what everything passes.
func TestJournalsAddOnePipeline(t *testing.T) {
	for _, name := range Names() {
		short, ok := strings.CutPrefix(name, "journals/")
		if !ok {
			continue
		}
		conf, err := retrieve(Scheme+":"+name, map[string]string{"HOME": "/home/a"}, nil)
		require.NoError(t, err)
		require.Equal(t, map[string]string{
			"logs/" + short: "filelog/" + short + " | memory_limiter genaimapper redactor | forward/clean agentevents evaluation",
		}, pipelines(t, conf))
		require.Equal(t, "file_storage/state", conf.Get("receivers::filelog/"+short+"::storage"), name)
		agent, err := retrieve(Default, map[string]string{"XDG_DATA_HOME": "/data"}, nil)
		require.NoError(t, err)
		require.NoError(t, agent.Merge(conf))
		require.Equal(t, "/data/otelcol-agent/evidence.db.state", agent.Get("extensions::file_storage/state::directory"))
		require.Len(t, pipelines(t, agent), 7, name)
	}
}
