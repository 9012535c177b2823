package connect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"strings"
	"text/template"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// Settings is what points one agent at a target.
type Settings struct {
	Agent   string   `json:"agent"`
	Title   string   `json:"title"`
	Sends   string   `json:"sends,omitempty"`   // what arrives by OTLP
	Writes  string   `json:"writes,omitempty"`  // what its journals hold
	Presets []string `json:"presets,omitempty"` // that the collector reads the journals with, one of them
	Instead string   `json:"instead,omitempty"` // what to do where there is neither
	Ways    []Way    `json:"ways,omitempty"`
	Unset   []string `json:"unset,omitempty"` // variables that would send content
	Off     []string `json:"left_off,omitempty"`
	Notes   []string `json:"notes,omitempty"`
}

// Way is settings that belong together.
type Way struct {
	Title     string     `json:"title,omitempty"`
	Folder    string     `json:"folder,omitempty"` // must be there
	File      string     `json:"file,omitempty"`
	Text      string     `json:"text,omitempty"` // belongs into the file
	Variables []Variable `json:"variables,omitempty"`
}

// Variable is an environment variable; the first line of TokenFile is the end of its
// value.
type Variable struct {
	Name      string `json:"name"`
	Value     string `json:"value"`
	TokenFile string `json:"token_file,omitempty"`
}

// placeholder stands for a token where only a person can put it.
const placeholder = "TOKEN"

var variable = regexp.MustCompile(`^[A-Z][A-Z0-9_]*$`)

// Of returns the settings of an agent for a target that is valid.
func Of(a *semconv.Agent, t Target) (Settings, error) {
	s := Settings{Agent: a.Name, Title: a.Title, Sends: a.Sends, Writes: a.Writes, Instead: a.Instead}
	for _, journal := range a.Journals {
		s.Presets = append(s.Presets, "preset:journals/"+journal)
	}
	for _, off := range a.Off {
		if variable.MatchString(off) {
			s.Unset = append(s.Unset, off)
		} else {
			s.Off = append(s.Off, off)
		}
	}
	filled := false
	for _, w := range a.Ways {
		way, err := wayOf(a, w, t)
		if err != nil {
			return Settings{}, fmt.Errorf("%s: %w", a.Name, err)
		}
		filled = filled || strings.Contains(way.Text, placeholder)
		s.Ways = append(s.Ways, way)
	}
	s.Notes = append(s.Notes, a.Notes...)
	if filled {
		s.Notes = append(s.Notes, "Write the token in place of "+placeholder+" in the file.")
	}
	if t.Cert != "" && len(a.Ways) > 0 && a.Uncertified {
		s.Notes = append(s.Notes, "It shows no certificate of its own: a collector that asks for one refuses it. Send to a collector on this machine, which forwards.")
	}
	return s, nil
}

func wayOf(a *semconv.Agent, w semconv.Way, t Target) (Way, error) {
	data := map[string]string{"Endpoint": t.base(), "CA": t.CA, "Cert": t.Cert, "Key": t.Key, "Program": t.Program, "Journals": t.Journals}
	if t.Token {
		data["Token"] = placeholder
	}
	out := Way{Title: w.Title, File: w.File}
	var err error
	if out.Text, err = fill(w.Text, data); err != nil {
		return Way{}, err
	}
	if w.Folder != "" {
		out.Folder = path.Join(t.Journals, w.Folder)
	}
	for _, v := range w.Variables {
		text, err := fill(v, data)
		if err != nil {
			return Way{}, err
		}
		name, value, _ := strings.Cut(text, "=")
		out.Variables = append(out.Variables, Variable{Name: name, Value: value})
	}
	if w.OTLP != "" {
		out.Variables = append(out.Variables, Variable{Name: w.OTLP + "ENDPOINT", Value: t.base()}, Variable{Name: w.OTLP + "PROTOCOL", Value: "http/protobuf"})
	}
	if prefix := w.OTLP + w.Extras; prefix != "" {
		out.Variables = append(out.Variables, extras(a, prefix, t)...)
	}
	return out, nil
}

// extras are the variables of a token and of certificates.
func extras(a *semconv.Agent, prefix string, t Target) []Variable {
	var out []Variable
	bearer := "Authorization=Bearer%20"
	if a.RawHeaders {
		bearer = "Authorization=Bearer "
	}
	switch {
	case t.TokenFile != "":
		out = append(out, Variable{Name: prefix + "HEADERS", Value: bearer, TokenFile: t.TokenFile})
	case t.Token:
		out = append(out, Variable{Name: prefix + "HEADERS", Value: bearer + placeholder})
	}
	certificates := []Variable{
		{Name: prefix + "CERTIFICATE", Value: t.CA},
		{Name: prefix + "CLIENT_CERTIFICATE", Value: t.Cert},
		{Name: prefix + "CLIENT_KEY", Value: t.Key},
	}
	if a.Uncertified {
		certificates = nil
	}
	if a.Node {
		certificates = append(certificates, Variable{Name: "NODE_EXTRA_CA_CERTS", Value: t.CA})
	}
	for _, v := range certificates {
		if v.Value != "" {
			out = append(out, v)
		}
	}
	return out
}

// fill fills a template of an agent in. In it, quoted makes a text a string of JSON,
// TOML or JavaScript, and word one word of a POSIX shell.
func fill(text string, data map[string]string) (string, error) {
	t, err := template.New("").Option("missingkey=zero").Funcs(template.FuncMap{"quoted": quoted, "word": POSIX.quote}).Parse(text)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = t.Execute(&b, data)
	return b.String(), err
}

func quoted(s string) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(s)
	return strings.TrimSuffix(b.String(), "\n"), err
}
