package main

import (
	"bytes"
	"context"
	"net"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/cmd/otelcol-agent/presets"
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
	for _, args := range [][]string{{"nobody"}, {"a", "b"}, {agent.Name, "--endpoint", "h:1"}, {"--check", "--timeout", "0s"}} {
		_, _, err = connectSays(t, args...)
		require.ErrorAs(t, err, &usage, "%q", args)
	}
	_, _, err = connectSays(t, "nobody")
	require.ErrorContains(t, err, `agent "nobody" is not known; known are `+agent.Name)
}

// A preset that is named to a person is there.
func TestConnectNamesPresetsThatExist(t *testing.T) {
	named := regexp.MustCompile(presets.Scheme + `:([a-z/-]+)`)
	found := 0
	for _, a := range semconv.Agents() {
		for _, m := range named.FindAllStringSubmatch(a.Instead+strings.Join(a.Notes, " "), -1) {
			require.Contains(t, presets.Names(), m[1], a.Name)
			found++
		}
	}
	require.NotZero(t, found)
}

// listening is a listener that stands for a collector.
func listening(t *testing.T) (endpoint string, shut func()) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	return "http://" + l.Addr().String(), func() { require.NoError(t, l.Close()) }
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
	endpoint, shut := listening(t)
	store := filepath.Join(t.TempDir(), "evidence.db")
	w := watch{agent: agent, endpoint: endpoint, dsn: store, timeout: time.Minute, every: time.Millisecond, now: time.Now}
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
	require.ErrorContains(t, waitFor(context.Background(), w, &out, &hints), "nothing of "+agent.Title+" arrived")
	require.Empty(t, out.String())

	// Any agent will do if none is named.
	w.agent, w.now = nil, func() time.Time { return began.Add(-time.Hour) }
	require.NoError(t, waitFor(context.Background(), w, &out, &hints))
	shut()
	require.ErrorContains(t, waitFor(context.Background(), w, &out, &hints), "no collector listens at "+endpoint[len("http://"):])
}

// What cannot be seen to arrive is not waited for.
func TestCheckOfAnAgentThatSendsNothing(t *testing.T) {
	for i, a := range semconv.Agents() {
		w := watch{agent: &semconv.Agents()[i], endpoint: "http://127.0.0.1:1", timeout: time.Minute, every: time.Second, now: time.Now}
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
