package presets

import (
	"errors"
	"fmt"
)

// gateway refuses to become an open door: it listens on every interface, so TLS
// is required, and so is a bearer token or a client certificate, or both where both
// are named. Every reason to refuse is told at once.
func gateway(set Settings) (layers []string, err error) {
	var errs []error
	if set.Getenv(envClickHouse) != "" {
		errs = append(errs, fmt.Errorf("%s is set, and the preset has no ClickHouse store; unset it to keep evidence in SQLite, or name the server in a configuration (exporters::evidencestore::dsn)", envClickHouse))
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
	return layers, errors.Join(errs...)
}
