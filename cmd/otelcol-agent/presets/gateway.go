package presets

import (
	"errors"
	"fmt"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence/clickhouse"
)

// gateway refuses to become an open door: it listens on every interface, so TLS
// is required, and so is a bearer token or a client certificate, or both where both
// are named. Every reason to refuse is told at once.
func gateway(set Settings) (layers []string, own map[string]any, err error) {
	var errs []error
	own = map[string]any{"processors": runs(set)}
	switch server := set.Getenv(envClickHouse); {
	case server == "":
	case !clickhouse.Owns(server):
		errs = append(errs, fmt.Errorf("%s must be clickhouse://HOST:9000/DATABASE, http://HOST:8123/DATABASE or https://HOST:8443/DATABASE", envClickHouse))
	case set.Getenv(envStore) != "":
		errs = append(errs, fmt.Errorf("%s and %s both name a store; unset one of them", envClickHouse, envStore))
	default:
		inClickHouse(own)
	}
	pair := true
	for _, name := range []string{envTLSCert, envTLSKey} {
		if set.Getenv(name) == "" {
			pair = false
			errs = append(errs, fmt.Errorf("%s must name a PEM file: the gateway listens on every interface and does not start without TLS", name))
		}
	}
	if pair {
		if err := checkPair(set, envTLSCert, envTLSKey); err != nil {
			errs = append(errs, err)
		}
	}
	token, clientCA := set.Getenv(envTokenFile), set.Getenv(envClientCA)
	switch {
	case token == "" && clientCA == "":
		errs = append(errs, fmt.Errorf("%s must name a file with bearer tokens, or %s the CA of client certificates: the gateway does not start without authentication", envTokenFile, envClientCA))
	case token != "":
		if err := checkTokens(set); err != nil {
			errs = append(errs, err)
		}
		layers = append(layers, "gateway+token")
	}
	if clientCA != "" {
		if err := checkCA(set, envClientCA); err != nil {
			errs = append(errs, err)
		}
		layers = append(layers, "gateway+clientca")
	}
	if address := set.Getenv(envMetrics); address != "" {
		if err := checkListen(address); err != nil {
			errs = append(errs, fmt.Errorf("%s %w", envMetrics, err))
		}
		layers = append(layers, "gateway+metrics")
	}
	return layers, own, errors.Join(errs...)
}

// inClickHouse has the server named wherever the store is. The name may hold a
// password, so it stays in the environment until the component reads it.
func inClickHouse(own map[string]any) {
	server := "${env:" + envClickHouse + "}"
	own["exporters"] = map[string]any{"evidencestore": map[string]any{"dsn": server}}
	own["extensions"] = map[string]any{"welcome": map[string]any{"store": server}, "review": map[string]any{"store": server}}
}
