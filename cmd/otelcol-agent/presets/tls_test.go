package presets

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// pems returns the PEM texts of a new certificate and its key.
func pems(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	require.NoError(t, err)
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})),
		string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8}))
}

func TestTLSFilesAreCheckedByTheVariablesThatNameThem(t *testing.T) {
	cert, key := pems(t)
	_, other := pems(t)
	files := map[string]string{"cert": cert, "key": key, "other": other, "token": goodToken}
	cases := map[string]struct {
		env  map[string]string
		want []string // nothing: it is accepted
	}{
		"a pair":         {map[string]string{envTLSCert: "cert", envTLSKey: "key"}, nil},
		"absent":         {map[string]string{envTLSCert: "nowhere", envTLSKey: "nowhere"}, []string{"OTELCOL_AGENT_TLS_CERT: ", "OTELCOL_AGENT_TLS_KEY: "}},
		"of two pairs":   {map[string]string{envTLSCert: "cert", envTLSKey: "other"}, []string{"OTELCOL_AGENT_TLS_CERT and OTELCOL_AGENT_TLS_KEY must name"}},
		"no certificate": {map[string]string{envTLSCert: "cert", envTLSKey: "key", envClientCA: "token"}, []string{"OTELCOL_AGENT_TLS_CLIENT_CA must name a PEM file"}},
		"absent CA":      {map[string]string{envTLSCert: "cert", envTLSKey: "key", envClientCA: "nowhere"}, []string{"OTELCOL_AGENT_TLS_CLIENT_CA: "}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			c.env[envTokenFile] = "token"
			_, err := retrieve("preset:gateway", c.env, files)
			if c.want == nil {
				require.NoError(t, err)
			}
			for _, want := range c.want {
				require.ErrorContains(t, err, want)
			}
		})
	}
}

func TestAgentShowsATokenOrACertificateOrBoth(t *testing.T) {
	cert, key := pems(t)
	_, other := pems(t)
	files := map[string]string{"cert": cert, "key": key, "other": other, "token": goodToken}
	cases := map[string]struct {
		env   map[string]string
		token bool
		want  string
	}{
		"token":                {map[string]string{envTokenFile: "token"}, true, ""},
		"certificate":          {map[string]string{envGatewayCert: "cert", envGatewayKey: "key"}, false, ""},
		"both":                 {map[string]string{envGatewayCert: "cert", envGatewayKey: "key", envTokenFile: "token"}, true, ""},
		"a CA":                 {map[string]string{envGatewayCA: "cert", envTokenFile: "token"}, true, ""},
		"neither":              {map[string]string{}, false, "OTELCOL_AGENT_TOKEN_FILE must name a file with a bearer token, or OTELCOL_AGENT_GATEWAY_CERT"},
		"half of a pair":       {map[string]string{envGatewayCert: "cert"}, false, "OTELCOL_AGENT_GATEWAY_CERT and OTELCOL_AGENT_GATEWAY_KEY must both be set"},
		"of two pairs":         {map[string]string{envGatewayCert: "cert", envGatewayKey: "other"}, false, "OTELCOL_AGENT_GATEWAY_CERT and OTELCOL_AGENT_GATEWAY_KEY must name"},
		"a CA that is none":    {map[string]string{envGatewayCA: "token", envTokenFile: "token"}, false, "OTELCOL_AGENT_GATEWAY_CA must name a PEM file"},
		"certificate in plain": {map[string]string{envGateway: "http://127.0.0.1:1", envGatewayCert: "cert", envGatewayKey: "key"}, false, "are for TLS"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			c.env["XDG_DATA_HOME"] = "/data"
			if c.env[envGateway] == "" {
				c.env[envGateway] = "https://gw.example"
			}
			conf, err := retrieve(Default, c.env, files)
			if c.want != "" {
				require.ErrorContains(t, err, c.want)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.token, conf.Get("exporters::otlp_http/upstream::auth::authenticator") != nil)
			require.Equal(t, "${env:OTELCOL_AGENT_GATEWAY_CERT:-}", conf.Get("exporters::otlp_http/upstream::tls::cert_file"))
			require.Equal(t, c.token, slices.Contains(conf.Get("service::extensions").([]any), any("bearertokenauth/upstream")))
		})
	}
}
