package presets

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence/sqlite"
)

// GatewayCAVariable names the PEM file of the CA of the gateway's certificate.
const GatewayCAVariable = "OTELCOL_AGENT_GATEWAY_CA"

// Environment variables that choose overlays or what is in them. What a preset file
// names itself is read by the env provider.
const (
	envGateway     = "OTELCOL_AGENT_GATEWAY"
	envGatewayCA   = GatewayCAVariable
	envGatewayCert = "OTELCOL_AGENT_GATEWAY_CERT"
	envGatewayKey  = "OTELCOL_AGENT_GATEWAY_KEY"
	envTokenFile   = "OTELCOL_AGENT_TOKEN_FILE"
	envMetrics     = "OTELCOL_AGENT_METRICS"
	envStore       = "OTELCOL_AGENT_STORE"
	envClickHouse  = "OTELCOL_AGENT_CLICKHOUSE"
	envTLSCert     = "OTELCOL_AGENT_TLS_CERT"
	envTLSKey      = "OTELCOL_AGENT_TLS_KEY"
	envClientCA    = "OTELCOL_AGENT_TLS_CLIENT_CA"
)

// minToken is the length in bytes below which a token is refused as guessable.
const minToken = 16

// agent chooses the overlays of preset:agent and the settings that only the
// addresses of the gateway and of the store decide.
func agent(set Settings) (layers []string, own map[string]any, err error) {
	var errs []error
	if own, err = state(set); err != nil {
		errs = append(errs, err)
	}
	if address := set.Getenv(envMetrics); address != "" {
		if err := checkListen(address); err != nil {
			errs = append(errs, fmt.Errorf("%s %w", envMetrics, err))
		}
		layers = append(layers, "agent+metrics")
	}
	if address := set.Getenv(envGateway); address != "" {
		more, upstream, err := forward(set, address)
		errs = append(errs, err)
		layers = append(layers, more...)
		for key, v := range upstream {
			if own[key] == nil {
				own[key] = v
				continue
			}
			maps.Copy(own[key].(map[string]any), v.(map[string]any))
		}
	}
	return layers, own, errors.Join(errs...)
}

// state places what open turns and journals are remembered in.
func state(set Settings) (map[string]any, error) {
	store := beside(set)
	// Else the folder of the state would be the one that is told of.
	if _, err := set.ReadFile(filepath.Dir(store)); err == nil {
		return map[string]any{}, fmt.Errorf("evidence store %s cannot be written: %s is a file; name another place in %s", store, filepath.Dir(store), envStore)
	}
	return map[string]any{"extensions": map[string]any{"file_storage/state": map[string]any{"directory": literal(store + ".state")}}}, nil
}

// beside is the path of the store, which folders are named after: where it would be
// if it is a server; where the collector runs if there is no home.
func beside(set Settings) string {
	store, err := sqlite.PathOf(set.Getenv(envStore), set.Getenv)
	if err != nil {
		if store, err = sqlite.PathOf("", set.Getenv); err != nil {
			store = "otelcol-agent"
		}
	}
	return store
}

// runs places what tailpolicy holds beside the store, as state does, so that a crash
// loses no protected run.
func runs(set Settings) map[string]any {
	return map[string]any{"tailpolicy": map[string]any{"storage": map[string]any{"directory": literal(beside(set) + ".runs")}}}
}

// forward chooses what sends to a gateway. The queue is beside the store, so that
// every store has its own.
func forward(set Settings, address string) (layers []string, own map[string]any, err error) {
	up, err := parseUpstream(address)
	if err != nil {
		return nil, nil, err
	}
	layers = append(layers, "agent+upstream-"+up.protocol)
	token, err := credentials(set, up)
	if err != nil {
		return nil, nil, err
	}
	if token {
		layers = append(layers, "agent+token-"+up.protocol)
	}
	store, err := sqlite.PathOf(set.Getenv(envStore), set.Getenv)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", envStore, err)
	}
	queue := literal(store + ".upstream")
	return layers, map[string]any{
		"processors": runs(set),
		"exporters": map[string]any{"otlp_" + up.protocol + "/upstream": map[string]any{
			"endpoint": literal(up.endpoint),
			"tls":      map[string]any{"insecure": up.plain},
		}},
		"extensions": map[string]any{"file_storage/upstream": map[string]any{
			"directory":  queue,
			"compaction": map[string]any{"directory": queue},
		}},
	}, nil
}

// credentials checks what shows the gateway who sends: a token, a client
// certificate or both. It reports whether there is a token to send.
func credentials(set Settings, up upstream) (token bool, err error) {
	cert, key := set.Getenv(envGatewayCert) != "", set.Getenv(envGatewayKey) != ""
	if up.plain {
		if cert || key {
			return false, fmt.Errorf("%s and %s are for TLS; %s must begin with https:// or grpcs://", envGatewayCert, envGatewayKey, envGateway)
		}
		return false, nil
	}
	var errs []error
	if set.Getenv(envGatewayCA) != "" {
		errs = append(errs, checkCA(set, envGatewayCA))
	}
	switch {
	case cert && key:
		errs = append(errs, checkPair(set, envGatewayCert, envGatewayKey))
	case cert || key:
		errs = append(errs, fmt.Errorf("%s and %s must both be set, or neither", envGatewayCert, envGatewayKey))
	}
	if token = set.Getenv(envTokenFile) != "" || !cert && !key; token {
		errs = append(errs, checkTokens(set))
	}
	return token, errors.Join(errs...)
}

// literal keeps a dollar sign from being read as a reference.
func literal(s string) string { return strings.ReplaceAll(s, "$", "$$") }

// checkListen reports whether a server can listen on an address.
func checkListen(address string) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil || host == "" || !isPort(port) {
		return errors.New("must be host:port with a port from 1 to 65535, like 127.0.0.1:9464")
	}
	return nil
}

func isPort(s string) bool {
	n, err := strconv.ParseUint(s, 10, 16)
	return err == nil && n > 0
}

// upstream is a parsed gateway address.
type upstream struct {
	protocol string // http or grpc
	endpoint string // as the exporter of the protocol wants it
	plain    bool   // without TLS
}

// parseUpstream reads http(s)://host:port or grpc(s)://host:port. What leaves
// the machine must be encrypted, so the plain schemes reach loopback alone.
func parseUpstream(address string) (upstream, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return upstream{}, fmt.Errorf("%s must be https://host:port or grpcs://host:port", envGateway)
	}
	if port := u.Port(); strings.HasSuffix(u.Host, ":") || port != "" && !isPort(port) {
		return upstream{}, fmt.Errorf("%s must have a port from 1 to 65535, found another one", envGateway)
	}
	if u.User != nil {
		return upstream{}, fmt.Errorf("%s must not hold credentials; name a token file in %s", envGateway, envTokenFile)
	}
	var up upstream
	switch u.Scheme {
	case "https", "http":
		up = upstream{protocol: "http", endpoint: address, plain: u.Scheme == "http"}
	case "grpcs", "grpc":
		up = upstream{protocol: "grpc", endpoint: u.Host, plain: u.Scheme == "grpc"}
		if u.Port() == "" {
			return upstream{}, fmt.Errorf("%s must have a port with scheme %q, like grpcs://host:4317", envGateway, u.Scheme)
		}
		if u.Path != "" && u.Path != "/" {
			return upstream{}, fmt.Errorf("%s must not have a path with scheme %q", envGateway, u.Scheme)
		}
	default:
		return upstream{}, fmt.Errorf("%s must begin with https:// or grpcs://, found scheme %q", envGateway, u.Scheme)
	}
	if up.plain && !isLoopback(u.Hostname()) {
		return upstream{}, fmt.Errorf("%s must use %ss:// unless the host is loopback, found %s://", envGateway, u.Scheme, u.Scheme)
	}
	return up, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// checkTokens refuses a token file that is absent or holds a guessable token,
// before anything listens or is sent.
func checkTokens(set Settings) error {
	path := set.Getenv(envTokenFile)
	if path == "" {
		return fmt.Errorf("%s must name a file with a bearer token, or %s and %s a client certificate and its key", envTokenFile, envGatewayCert, envGatewayKey)
	}
	b, err := set.ReadFile(path)
	if err != nil {
		return fmt.Errorf("%s: %w", envTokenFile, err)
	}
	tokens := strings.Fields(string(b))
	if len(tokens) == 0 {
		return fmt.Errorf("%s: %s is empty", envTokenFile, path)
	}
	var errs []error
	for i, token := range tokens {
		if len(token) < minToken {
			errs = append(errs, fmt.Errorf("%s: token %d of %s must have at least %d characters, found %d", envTokenFile, i+1, path, minToken, len(token)))
		}
	}
	return errors.Join(errs...)
}
