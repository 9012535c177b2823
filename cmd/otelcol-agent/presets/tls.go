package presets

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
)

// checkPair refuses a certificate and a key that are absent, unreadable or of two
// pairs, by the variables that name them, before anything listens or is sent.
func checkPair(set Settings, certVariable, keyVariable string) error {
	cert, certErr := readVariable(set, certVariable)
	key, keyErr := readVariable(set, keyVariable)
	if err := errors.Join(certErr, keyErr); err != nil {
		return err
	}
	if _, err := tls.X509KeyPair(cert, key); err != nil {
		return fmt.Errorf("%s and %s must name the PEM files of a certificate and its key: %w", certVariable, keyVariable, err)
	}
	return nil
}

// checkCA refuses a file of certificates that is absent, unreadable or empty.
func checkCA(set Settings, variable string) error {
	b, err := readVariable(set, variable)
	if err != nil {
		return err
	}
	if !x509.NewCertPool().AppendCertsFromPEM(b) {
		return fmt.Errorf("%s must name a PEM file with the certificate of a CA; %s has none", variable, set.Getenv(variable))
	}
	return nil
}

// readVariable reads the file that a variable names.
func readVariable(set Settings, variable string) ([]byte, error) {
	b, err := set.ReadFile(set.Getenv(variable))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", variable, err)
	}
	return b, nil
}
