package review

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/config/configopaque"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/config/configtls"
	"go.opentelemetry.io/collector/confmap"

	"github.com/otelcol-agent/otelcol-agent/internal/configkeys"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/clickhouse"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/sqlite"
)

// Config says where the pages are served and what they read.
type Config struct {
	// ServerConfig is how pages are served: endpoint, tls, auth, cors and what else
	// the collector's HTTP servers have. Without auth and a client CA only a loopback
	// endpoint is allowed.
	ServerConfig confighttp.ServerConfig `mapstructure:",squash"`
	// TokenAsPassword takes a bearer token as the password of HTTP's basic
	// authentication too, with any name, so that a browser asks for it. It is for an
	// authenticator that takes bearer tokens.
	TokenAsPassword bool `mapstructure:"token_as_password"`
	// MCP serves tools for agents.
	MCP MCPConfig `mapstructure:"mcp"`
	// Store is the DSN of the evidence store, as the exporter has it. Empty means the
	// one in the user's data folder.
	Store configopaque.String `mapstructure:"store"`
	// ClickHouse is for a store in ClickHouse and says nothing otherwise.
	ClickHouse ClickHouseConfig `mapstructure:"clickhouse"`
	// MetricsEndpoint is the URL of the collector's own metrics in the text form of
	// Prometheus, for the page about losses and queues. Empty leaves them out.
	MetricsEndpoint string `mapstructure:"metrics_endpoint"`
	// Readers is how many requests read the store at a time. Others wait for their
	// turn, and get 503 after a while, so that reviewers do not take the collector's
	// time from the spans that it stores. 0 means as many as there are processors, at
	// least two, and eight on a ClickHouse server, which does the work elsewhere.
	Readers int `mapstructure:"readers"`
}

// MCPConfig says whether agents may ask, by the Model Context Protocol.
type MCPConfig struct {
	// Enabled serves read-only tools over the evidence at /mcp, behind what the pages
	// are behind.
	Enabled bool `mapstructure:"enabled"`
}

// ClickHouseConfig says how a ClickHouse server is reached. A user who may only
// read is enough.
type ClickHouseConfig struct {
	// Username and Password count instead of those in the DSN.
	Username string              `mapstructure:"username"`
	Password configopaque.String `mapstructure:"password"`
	// TLS is used for the connection if it is set; a DSN that begins with https://
	// or has secure=true uses the system's certificates without it.
	TLS configoptional.Optional[configtls.ClientConfig] `mapstructure:"tls"`
}

// defaultEndpoint is reached from this machine alone.
const defaultEndpoint = "127.0.0.1:4380"

func createDefaultConfig() component.Config {
	server := confighttp.NewDefaultServerConfig()
	server.NetAddr.Endpoint = defaultEndpoint
	server.ReadHeaderTimeout = 10 * time.Second
	server.ReadTimeout = 30 * time.Second
	server.WriteTimeout = time.Minute
	server.MaxRequestBodySize = 1 << 16 // nothing is sent to it
	return &Config{
		ServerConfig: server,
		ClickHouse:   ClickHouseConfig{TLS: configoptional.Default(configtls.NewDefaultClientConfig())},
	}
}

// Unmarshal reads a configuration and refuses keys that do not exist.
func (c *Config) Unmarshal(conf *confmap.Conf) error {
	if err := conf.Unmarshal(c, confmap.WithIgnoreUnused()); err != nil {
		return err
	}
	return configkeys.Check(conf.ToStringMap(), c)
}

// Validate reports all problems at once. It does not look at the disk or the network.
func (c *Config) Validate() error {
	var errs []error
	if clickhouse.Owns(string(c.Store)) {
		s := c.clickHouse()
		if err := s.Validate(); err != nil {
			errs = append(errs, fmt.Errorf("store: %w", err))
		}
	} else if _, err := sqlite.PathOf(string(c.Store), os.Getenv); err != nil {
		errs = append(errs, fmt.Errorf("store: %w", err))
	}
	if c.ServerConfig.NetAddr.Endpoint == "" {
		errs = append(errs, errors.New("endpoint must be host:port, like "+defaultEndpoint))
	} else if !c.guarded() && !c.loopback() {
		errs = append(errs, errors.New("endpoint must be a loopback address, or auth or tls::client_ca_file must be set: evidence is not for everyone who can reach the port"))
	}
	if c.TokenAsPassword && !c.ServerConfig.Auth.HasValue() {
		errs = append(errs, errors.New("token_as_password needs auth: without an authenticator nobody is asked for a token"))
	}
	if u, err := url.Parse(c.MetricsEndpoint); c.MetricsEndpoint != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil) {
		errs = append(errs, errors.New("metrics_endpoint must be a URL without credentials, like http://127.0.0.1:8888/metrics"))
	}
	if c.Readers < 0 {
		errs = append(errs, fmt.Errorf("readers must be 0 or more, found %d", c.Readers))
	}
	return errors.Join(errs...)
}

// serverReaders is how many read a store at a time that a server keeps.
const serverReaders = 8

func (c *Config) readers() int {
	if c.Readers == 0 && clickhouse.Owns(string(c.Store)) {
		return serverReaders
	}
	return c.Readers
}

// guarded reports whether a reader has to show who they are.
func (c *Config) guarded() bool {
	tls := c.ServerConfig.TLS.Get()
	return c.ServerConfig.Auth.HasValue() || tls != nil && tls.ClientCAFile != ""
}

// loopback reports whether only this machine reaches the pages.
func (c *Config) loopback() bool {
	if c.ServerConfig.NetAddr.Transport == "unix" {
		return true
	}
	host, _, err := net.SplitHostPort(c.ServerConfig.NetAddr.Endpoint)
	ip := net.ParseIP(host)
	return err == nil && (host == "localhost" || ip != nil && ip.IsLoopback())
}

func (c *Config) clickHouse() clickhouse.Settings {
	return clickhouse.Settings{DSN: string(c.Store), Username: c.ClickHouse.Username, Password: string(c.ClickHouse.Password)}
}
