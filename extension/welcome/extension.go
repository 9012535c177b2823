package welcome

import (
	"context"
	"io"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/extension/extensioncapabilities"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence/clickhouse"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/sqlite"
)

var (
	_ extensioncapabilities.PipelineWatcher       = (*welcome)(nil)
	_ extensioncapabilities.ConfigSnapshotWatcher = (*welcome)(nil)
)

type welcome struct {
	component.StartFunc
	component.ShutdownFunc

	config *Config
	build  component.BuildInfo
	out    io.Writer
	places places
}

func newWelcome(cfg *Config, build component.BuildInfo, getenv func(string) string, out io.Writer) (*welcome, error) {
	store, err := placeOf(string(cfg.Store), getenv)
	if err != nil {
		return nil, err
	}
	return &welcome{config: cfg, build: build, out: out, places: places{store: store, named: cfg.Store != ""}}, nil
}

// placeOf says where a store is: the path of a file, or the address of a server
// without credentials.
func placeOf(dsn string, getenv func(string) string) (string, error) {
	if clickhouse.Owns(dsn) {
		s := clickhouse.Settings{DSN: dsn}
		return s.Place(), nil
	}
	return sqlite.PathOf(dsn, getenv)
}

// NotifyConfigSnapshot keeps the addresses; the collector calls it before Ready.
func (w *welcome) NotifyConfigSnapshot(_ context.Context, snapshot extensioncapabilities.ConfigSnapshot) error {
	w.places.read(snapshot.Effective(), w.config)
	return nil
}

// Ready prints the message. A terminal that is gone is no reason not to run.
func (w *welcome) Ready() error {
	_, _ = io.WriteString(w.out, message(w.build, w.places))
	return nil
}

// NotReady does nothing.
func (*welcome) NotReady() error { return nil }

// places is what the message speaks of; an empty address is not told.
type places struct {
	http, grpc string // host:port
	secure     bool   // the door that is told first asks for TLS
	token      bool   // it asks for a bearer token
	clientCert bool   // it asks for a certificate of the agent
	review     string // host:port of the review pages
	reviewTLS  bool
	password   bool   // they take a token as a password
	store      string // path or address
	named      bool   // the store is not where the commands look by themselves
}

// read takes the addresses from the effective configuration, defaults included.
func (p *places) read(conf *confmap.Conf, cfg *Config) {
	protocol := "receivers::" + cfg.Receiver.String() + "::protocols::"
	text := func(key string) string { s, _ := conf.Get(key).(string); return s }
	door := "receivers::" + cfg.HTTP.String()
	if text(door+"::endpoint") == "" {
		door = protocol + "http"
	}
	p.http, p.grpc = text(door+"::endpoint"), text(protocol+"grpc::endpoint")
	if p.http == "" {
		door = protocol + "grpc"
	}
	authenticator, _, _ := strings.Cut(text(door+"::auth::authenticator"), "/")
	p.secure = text(door+"::tls::cert_file") != ""
	p.token = authenticator == "bearertokenauth"
	p.clientCert = text(door+"::tls::client_ca_file") != ""
	running, _ := conf.Get("service::extensions").([]any)
	if slices.Contains(running, any(cfg.Review.String())) {
		key := "extensions::" + cfg.Review.String() + "::"
		p.review, p.reviewTLS = text(key+"endpoint"), text(key+"tls::cert_file") != ""
		p.password, _ = conf.Get(key + "token_as_password").(bool)
	}
}
