package connect

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"text/template"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// Target is where the collector takes OTLP/HTTP and what it asks of a sender.
type Target struct {
	Endpoint  string // http(s)://host:port, without a path
	Token     bool   // a bearer token is asked for
	TokenFile string // file that holds it, read by the shell when the settings are; "" for one to fill in
	CA        string // PEM file of a private CA
	Cert, Key string // PEM files of the sender's certificate and its key
}

// Validate reports every problem at once.
func (t Target) Validate() error {
	var errs []error
	u, err := url.Parse(t.Endpoint)
	if err != nil || u.Host == "" || strings.ContainsAny(u.Host, "\"'<>`") || u.Scheme != "http" && u.Scheme != "https" {
		errs = append(errs, errors.New("endpoint must be http://host:port or https://host:port"))
	} else if u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.User != nil {
		errs = append(errs, errors.New("endpoint must be a scheme, a host and a port alone"))
	} else if u.Scheme == "http" && (t.CA != "" || t.Cert != "" || t.Key != "") {
		errs = append(errs, errors.New("ca, cert and key are for TLS; endpoint must begin with https://"))
	}
	if (t.Cert == "") != (t.Key == "") {
		errs = append(errs, errors.New("cert and key must both be given, or neither"))
	}
	return errors.Join(errs...)
}

// Settings writes what points an agent at the target. Variables are lines of a POSIX
// shell and everything that a shell shall not read is a comment, but for the text of
// a settings file.
func Settings(a *semconv.Agent, t Target) (string, error) {
	t.Endpoint = strings.TrimSuffix(t.Endpoint, "/")
	var b strings.Builder
	if a.Sends == "" {
		fmt.Fprintf(&b, "# %s: %s\n", a.Title, a.Instead)
		return b.String(), nil
	}
	fmt.Fprintf(&b, "# %s sends %s.\n", a.Title, a.Sends)
	for _, w := range a.Ways {
		if err := way(&b, w, t); err != nil {
			return "", fmt.Errorf("%s: %w", a.Name, err)
		}
	}
	if len(a.Off) > 0 {
		fmt.Fprintf(&b, "# Left off, so that content stays where it is: %s\n", strings.Join(a.Off, ", "))
	}
	for _, n := range a.Notes {
		fmt.Fprintf(&b, "# %s\n", n)
	}
	return b.String(), nil
}

// placeholder stands for a token where only a person can put it.
const placeholder = "TOKEN"

func way(b *strings.Builder, w semconv.Way, t Target) error {
	if w.Title != "" {
		fmt.Fprintf(b, "# %s\n", w.Title)
	}
	data := map[string]string{"Endpoint": t.Endpoint}
	if t.Token {
		data["Token"] = placeholder
	}
	if w.File != "" {
		text, err := fill(w.Text, data)
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "# into %s:\n%s", w.File, text)
		if t.Token && strings.Contains(w.Text, ".Token") {
			fmt.Fprintf(b, "# with the token in place of %s\n", placeholder)
		}
	}
	for _, v := range w.Variables {
		text, err := fill(v, data)
		if err != nil {
			return err
		}
		export(b, text)
	}
	if w.OTLP != "" {
		export(b, w.OTLP+"ENDPOINT="+t.Endpoint)
		export(b, w.OTLP+"PROTOCOL=http/protobuf")
	}
	if prefix := w.OTLP + w.Extras; prefix != "" {
		extras(b, prefix, t)
	}
	return nil
}

// extras are the variables of a token and of certificates.
func extras(b *strings.Builder, prefix string, t Target) {
	switch {
	case t.TokenFile != "":
		fmt.Fprintf(b, "export %sHEADERS=\"Authorization=Bearer%%20$(head -n 1 %s)\"\n", prefix, Quote(t.TokenFile))
	case t.Token:
		fmt.Fprintf(b, "export %sHEADERS=Authorization=Bearer%%20%s\n", prefix, placeholder)
	}
	for _, v := range []struct{ name, path string }{{"CERTIFICATE", t.CA}, {"CLIENT_CERTIFICATE", t.Cert}, {"CLIENT_KEY", t.Key}} {
		if v.path != "" {
			export(b, prefix+v.name+"="+v.path)
		}
	}
}

func export(b *strings.Builder, assignment string) {
	name, value, _ := strings.Cut(assignment, "=")
	fmt.Fprintf(b, "export %s=%s\n", name, Quote(value))
}

func fill(text string, data map[string]string) (string, error) {
	t, err := template.New("").Option("missingkey=zero").Parse(text)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = t.Execute(&b, data)
	return b.String(), err
}

// Quote makes a text one word of a POSIX shell.
func Quote(s string) string {
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+,-", r)
	}) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
