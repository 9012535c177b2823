package connect

import (
	"errors"
	"net"
	"net/url"
	"regexp"
	"strconv"
)

// Target is where the collector takes OTLP/HTTP, what it asks of a sender, and where it
// reads journals. Paths are absolute, because nobody knows where the agent is started.
type Target struct {
	Endpoint  string // http(s)://host:port, without a path
	Token     bool   // a bearer token is asked for
	TokenFile string // file that holds it, read by the shell when the settings are; "" for one to fill in
	CA        string // PEM file of a private CA
	Cert, Key string // PEM files of the sender's certificate and its key
	Program   string // this program
	Journals  string // folder of the journals that it reads
}

var hostname = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$`)

// Validate reports every problem at once.
func (t Target) Validate() error {
	var errs []error
	u, err := url.Parse(t.Endpoint)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || !hostname.MatchString(u.Hostname()) && net.ParseIP(u.Hostname()) == nil:
		errs = append(errs, errors.New("endpoint must be http://host:port or https://host:port"))
	case u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "" || u.User != nil:
		errs = append(errs, errors.New("endpoint must be a scheme, a host and a port alone"))
	case u.Scheme == "http" && (t.CA != "" || t.Cert != "" || t.Key != ""):
		errs = append(errs, errors.New("ca, cert and key are for TLS; endpoint must begin with https://"))
	default:
		if port, err := strconv.ParseUint(u.Port(), 10, 16); u.Port() != "" && (err != nil || port == 0) {
			errs = append(errs, errors.New("endpoint must have a port from 1 to 65535"))
		}
	}
	if (t.Cert == "") != (t.Key == "") {
		errs = append(errs, errors.New("cert and key must both be given, or neither"))
	}
	return errors.Join(errs...)
}

// base is the endpoint that paths are put behind; the target is valid.
func (t Target) base() string {
	u, err := url.Parse(t.Endpoint)
	if err != nil {
		return t.Endpoint
	}
	return u.Scheme + "://" + u.Host
}
