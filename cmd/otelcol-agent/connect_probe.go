package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/connect"
)

// probe asks the target, with a request that holds nothing, whether it would take one.
func probe(ctx context.Context, t connect.Target) error {
	client, err := probeClient(t)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(t.Endpoint, "/")+"/v1/logs", strings.NewReader("{}"))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	if t.TokenFile != "" {
		b, err := os.ReadFile(t.TokenFile)
		if err != nil {
			return fmt.Errorf("--token-file: %w", err)
		}
		line, _, _ := strings.Cut(string(b), "\n")
		req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(line))
	}
	answer, err := client.Do(req)
	if err != nil {
		return unreached(req.URL.Host, err)
	}
	defer answer.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(answer.Body, 1024))
	switch {
	case answer.StatusCode == http.StatusOK && strings.Contains(string(body), "partialSuccess"):
		return nil
	case answer.StatusCode == http.StatusUnauthorized && t.TokenFile == "":
		return fmt.Errorf("the collector at %s asks for a token: name its file with --token-file", req.URL.Host)
	case answer.StatusCode == http.StatusUnauthorized || answer.StatusCode == http.StatusForbidden:
		return fmt.Errorf("the collector at %s does not take the token of --token-file", req.URL.Host)
	}
	return fmt.Errorf("what listens at %s takes no OTLP/HTTP: it answered %d; name another --endpoint", req.URL.Host, answer.StatusCode)
}

func probeClient(t connect.Target) (*http.Client, error) {
	config := &tls.Config{}
	if t.CA != "" {
		pem, err := os.ReadFile(t.CA)
		if err != nil {
			return nil, fmt.Errorf("--ca: %w", err)
		}
		if config.RootCAs = x509.NewCertPool(); !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("--ca: %s holds no certificate", t.CA)
		}
	}
	if t.Cert != "" {
		pair, err := tls.LoadX509KeyPair(t.Cert, t.Key)
		if err != nil {
			return nil, fmt.Errorf("--cert and --key: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return &http.Client{
		Timeout:       5 * time.Second,
		Transport:     &http.Transport{TLSClientConfig: config, DisableKeepAlives: true, Proxy: http.ProxyFromEnvironment},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, nil
}

// unreached says what to do where no answer came.
func unreached(host string, err error) error {
	var dial *net.OpError
	var unknown x509.UnknownAuthorityError
	switch {
	case errors.As(err, &unknown):
		return fmt.Errorf("the certificate of %s is of no CA that is known here: name its CA with --ca", host)
	case errors.As(err, &dial) && dial.Op == "dial":
		return fmt.Errorf("no collector listens at %s: start %s, or name another --endpoint", host, name)
	}
	return fmt.Errorf("what listens at %s does not answer as a collector: %w", host, err)
}
