package main

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/cmd/otelcol-agent/presets"
	"github.com/otelcol-agent/otelcol-agent/internal/connect"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/sqlite"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// sending is the first agent that sends something that is kept.
func sending(t *testing.T) *semconv.Agent {
	for i, a := range semconv.Agents() {
		if a.Sends != "" && !a.Unseen {
			return &semconv.Agents()[i]
		}
	}
	t.Fatal("no agent")
	return nil
}

func connectSays(t *testing.T, args ...string) (out, hints string, err error) {
	t.Helper()
	cmd := newCommand()
	var o, h bytes.Buffer
	cmd.SetOut(&o)
	cmd.SetErr(&h)
	cmd.SetArgs(append([]string{"connect"}, args...))
	err = cmd.ExecuteContext(context.Background())
	return o.String(), h.String(), err
}

func TestConnect(t *testing.T) {
	out, _, err := connectSays(t)
	require.NoError(t, err)
	for _, a := range semconv.Agents() {
		require.Contains(t, out, a.Name+" ")
	}
	agent := sending(t)
	out, _, err = connectSays(t, agent.Name, "--endpoint", "https://h:1")
	require.NoError(t, err)
	require.Contains(t, out, "https://h:1")

	var usage usageError
	for _, args := range [][]string{{"nobody"}, {"a", "b"}, {agent.Name, "--endpoint", "h:1"}, {"--check", "--timeout", "0s"}, {"--shell", "csh"}, {"--format", "xml"}} {
		_, _, err = connectSays(t, args...)
		require.ErrorAs(t, err, &usage, "%q", args)
	}
	_, _, err = connectSays(t, "nobody")
	require.ErrorContains(t, err, `agent "nobody" is not known; known are `+agent.Name)
}

// The list and the settings are data too, and are written for the shell that is named.
func TestConnectAsData(t *testing.T) {
	out, _, err := connectSays(t, "--format", "json")
	require.NoError(t, err)
	var all []connect.Settings
	require.NoError(t, json.Unmarshal([]byte(out), &all))
	require.Len(t, all, len(semconv.Agents()))
	agent := sending(t)
	out, _, err = connectSays(t, agent.Name, "--format", "json", "--endpoint", "https://h:1", "--ca", "a.pem")
	require.NoError(t, err)
	var one connect.Settings
	require.NoError(t, json.Unmarshal([]byte(out), &one))
	require.Equal(t, agent.Name, one.Agent)
	dir, err := os.Getwd()
	require.NoError(t, err)
	require.Contains(t, out, filepath.Join(dir, "a.pem"), "an agent is started elsewhere")
	out, _, err = connectSays(t, agent.Name, "--shell", "fish")
	require.NoError(t, err)
	require.Contains(t, out, "set -gx ")
}

// A preset that is named to a person is there.
func TestConnectNamesPresetsThatExist(t *testing.T) {
	named := regexp.MustCompile(presets.Scheme + `:([a-z/-]+)`)
	found := 0
	for _, a := range semconv.Agents() {
		out, _, err := connectSays(t, a.Name)
		require.NoError(t, err)
		for _, m := range named.FindAllStringSubmatch(out, -1) {
			require.Contains(t, presets.Names(), m[1], a.Name)
			found++
		}
		for _, m := range regexp.MustCompile(`journal ([a-z-]+)"`).FindAllStringSubmatch(out, -1) {
			require.Contains(t, presets.Written(), m[1], a.Name)
		}
	}
	require.NotZero(t, found)
}

// listening is a server that stands for a collector.
func listening(t *testing.T) (target connect.Target, shut func()) {
	l := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"partialSuccess":{}}`)
	}))
	return connect.Target{Endpoint: l.URL}, l.Close
}

// keep writes a record of a dialect into a store, as a collector would.
func keep(t *testing.T, path, dialect string) {
	w, err := sqlite.Open(path, sqlite.Settings{})
	require.NoError(t, err)
	now := time.Now().UnixNano()
	_, err = w.Write(context.Background(), evidence.Batch{Spans: []evidence.Span{{
		ID: evidence.StepID{Trace: evidence.TraceID{1}, Span: evidence.SpanID{byte(now)}}, Name: "work", Start: now, End: now, Service: "svc",
		Attrs: evidence.Attrs{semconv.AppMappingDialect: dialect},
	}}})
	require.NoError(t, err)
	require.NoError(t, w.Close())
}

func TestCheckSaysWhatArrived(t *testing.T) {
	agent := sending(t)
	target, shut := listening(t)
	store := filepath.Join(t.TempDir(), "evidence.db")
	w := watch{agent: agent, target: target, dsn: store, timeout: time.Minute, every: time.Millisecond, now: time.Now}
	var out, hints bytes.Buffer
	done := make(chan error, 1)
	go func() { done <- waitFor(context.Background(), w, &out, &hints) }()
	time.Sleep(20 * time.Millisecond) // the wait begins before there is a store
	keep(t, store, agent.Dialect())
	require.NoError(t, <-done)
	require.Contains(t, out.String(), "arrived: svc ("+agent.Dialect()+"): work at ")
	require.Contains(t, out.String(), "look at it: otelcol-agent task 01000000")

	// Something of another agent is told, and is not it; what came before does not count.
	out.Reset()
	hints.Reset()
	w.timeout = 300 * time.Millisecond
	w.agent = &semconv.Agent{Name: "other", Title: "Other", Sends: "logs"}
	began := time.Now()
	w.now = func() time.Time { return began.Add(-time.Hour) }
	err := waitFor(context.Background(), w, &out, &hints)
	require.ErrorContains(t, err, "nothing of Other arrived within 300ms; was it started")
	require.Contains(t, hints.String(), "arrived of others: svc ("+agent.Dialect()+")")
	w.agent, w.now = agent, time.Now
	late := waitFor(context.Background(), w, &out, &hints)
	require.ErrorContains(t, late, "nothing of "+agent.Title+" arrived")
	require.ErrorContains(t, late, "what came before does not count: svc ("+agent.Dialect()+"): work at ")
	require.Empty(t, out.String())

	// Any agent will do if none is named.
	w.agent, w.now = nil, func() time.Time { return began.Add(-time.Hour) }
	require.NoError(t, waitFor(context.Background(), w, &out, &hints))
	shut()
	require.ErrorContains(t, waitFor(context.Background(), w, &out, &hints), "no collector listens at "+target.Endpoint[len("http://"):])
}

// A program gets a list, an empty one if nothing came; a person who stops it hears so,
// and is told where to look if nothing came.
func TestCheckThatFindsNothing(t *testing.T) {
	target, shut := listening(t)
	defer shut()
	store := filepath.Join(t.TempDir(), "evidence.db")
	keep(t, store, "other")
	agent := &semconv.Agent{Name: "x", Title: "X", Writes: "a file", Journals: []string{"x", "y"}}
	w := watch{agent: agent, target: target, dsn: store, timeout: 50 * time.Millisecond, every: time.Millisecond, now: time.Now, format: "json"}
	var out, hints bytes.Buffer
	err := waitFor(context.Background(), w, &out, &hints)
	require.ErrorContains(t, err, "must run with --config preset:journals/x or preset:journals/y. Is "+store+" the store of the collector at "+target.Endpoint)
	require.JSONEq(t, `[]`, out.String())

	ctx, cancel := context.WithCancelCause(context.Background())
	time.AfterFunc(20*time.Millisecond, func() { cancel(errors.New("a signal")) })
	w.timeout = time.Minute
	err = waitFor(ctx, w, &out, &hints)
	require.EqualError(t, err, "interrupted: nothing of X had arrived")

	out.Reset()
	w.agent, w.now = nil, func() time.Time { return time.Now().Add(-time.Hour) }
	require.NoError(t, waitFor(context.Background(), w, &out, &hints))
	var found []map[string]any
	require.NoError(t, json.Unmarshal(out.Bytes(), &found))
	require.Equal(t, "other", found[0]["dialect"])
}

// What listens and is no collector, or does not take what it is sent, is found out at once.
func TestCheckOfWhatListens(t *testing.T) {
	answer := func(code int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") == "Bearer sesame" {
				_, _ = io.WriteString(w, `{"partialSuccess":{}}`)
				return
			}
			w.WriteHeader(code)
			_, _ = io.WriteString(w, body)
		}
	}
	dir := t.TempDir()
	token, wrong, empty := filepath.Join(dir, "token"), filepath.Join(dir, "wrong"), filepath.Join(dir, "empty.pem")
	require.NoError(t, os.WriteFile(token, []byte("sesame\r\nold\n"), 0o600))
	require.NoError(t, os.WriteFile(wrong, []byte("wrong-token\n"), 0o600))
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	for name, c := range map[string]struct {
		serve http.HandlerFunc
		set   connect.Target
		want  string
	}{
		"a web server":       {answer(404, ""), connect.Target{}, "takes no OTLP/HTTP: it answered 404"},
		"a friendly one":     {answer(200, "hello"), connect.Target{}, "takes no OTLP/HTTP: it answered 200"},
		"no token":           {answer(401, ""), connect.Target{}, "asks for a token: name its file with --token-file"},
		"another token":      {answer(401, ""), connect.Target{TokenFile: wrong}, "does not take the token"},
		"the token":          {answer(401, ""), connect.Target{TokenFile: token}, ""},
		"no such token file": {answer(401, ""), connect.Target{TokenFile: token + "x"}, "--token-file: "},
		"no such CA":         {answer(401, ""), connect.Target{CA: token + "x"}, "--ca: "},
		"no certificate":     {answer(401, ""), connect.Target{CA: empty}, "holds no certificate"},
	} {
		t.Run(name, func(t *testing.T) {
			l := httptest.NewServer(c.serve)
			defer l.Close()
			c.set.Endpoint = l.URL + "/"
			err := probe(context.Background(), c.set)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), "wrong-token")
		})
	}

	l := httptest.NewTLSServer(answer(401, ""))
	defer l.Close()
	require.ErrorContains(t, probe(context.Background(), connect.Target{Endpoint: l.URL}), "name its CA with --ca")
	ca := filepath.Join(dir, "ca.pem")
	require.NoError(t, os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: l.Certificate().Raw}), 0o600))
	require.NoError(t, probe(context.Background(), connect.Target{Endpoint: l.URL, CA: ca, TokenFile: token}))
	require.ErrorContains(t, probe(context.Background(), connect.Target{Endpoint: strings.Replace(l.URL, "https", "http", 1)}), "takes no OTLP/HTTP: it answered 400")
}

// What cannot be seen to arrive is not waited for.
func TestCheckOfAnAgentThatSendsNothing(t *testing.T) {
	for i, a := range semconv.Agents() {
		w := watch{agent: &semconv.Agents()[i], target: connect.Target{Endpoint: "http://127.0.0.1:1"}, timeout: time.Minute, every: time.Second, now: time.Now}
		switch err := waitFor(context.Background(), w, &bytes.Buffer{}, &bytes.Buffer{}); {
		case a.Unseen:
			require.ErrorContains(t, err, "which are not kept")
		case a.Dialect() == "":
			require.ErrorContains(t, err, "nothing of "+a.Title+" can arrive")
		default:
			require.ErrorContains(t, err, "no collector listens at 127.0.0.1:1")
		}
	}
}
