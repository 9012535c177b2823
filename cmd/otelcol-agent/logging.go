package main

import (
	"slices"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/otelcol-agent/otelcol-agent/cmd/otelcol-agent/presets"
)

// What the collector logs of an error that it also returns: of a component, and of
// its own telemetry.
const (
	startFailure     = "Failed to start component"
	extensionFailure = "Failed to start extension"
	serviceFailure   = "error found during service initialization"
)

// What exporters and the batch processor say for every request while they cannot
// send. The first is below the level of a terminal, the others come in floods.
const (
	willRetry = "Exporting failed. Will retry the request after interval."
	rejecting = "Exporting failed. Rejecting data."
	dropping  = "Exporting failed. Dropping data."
	dropped   = "Sender failed"
)

// What servers and clients of Go and gRPC log of a peer that they could not talk to, as a
// scanner or one that does not trust the certificate: no error of the collector.
var peerFailures = []string{"http: TLS handshake error", "http2: server: error reading preface", "grpc: addrConn.createTransport failed to connect"}

// distrust is what a client says of a server whose certificate it cannot trust. It is a
// text: gRPC hands on no error.
const distrust = "x509: certificate signed by unknown authority"

// remindEvery is how often a component says that it cannot send.
const remindEvery = time.Minute

// console is the log of the collector as a person reads it: what main tells is
// left out, because an error is logged or returned, not both; and that something
// cannot be sent is said at the first time and then once in a while, with how often
// it happened since.
type console struct {
	zapcore.Core
	said *memory
}

func newConsole(c zapcore.Core) zapcore.Core { return console{c, &memory{}} }

// With is called once a component or so, and so each has a memory of its own.
func (c console) With(fields []zapcore.Field) zapcore.Core {
	return console{c.Core.With(fields), &memory{}}
}

// Enabled lets what is retried come to Check.
func (c console) Enabled(l zapcore.Level) bool {
	return c.Core.Enabled(l) || l == zapcore.InfoLevel && c.Core.Enabled(zapcore.WarnLevel)
}

func (c console) Check(e zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	switch e.Message {
	case startFailure, extensionFailure, serviceFailure:
		return checked
	case willRetry, rejecting, dropping, dropped:
		if c.Core.Enabled(max(e.Level, zapcore.WarnLevel)) && c.said.due(e) {
			return checked.AddCore(e, c)
		}
		return checked
	}
	if peerFailure(e.Message) != "" {
		if c.Core.Enabled(zapcore.WarnLevel) && c.said.due(e) {
			return checked.AddCore(e, c)
		}
		return checked
	}
	return c.Core.Check(e, checked)
}

// peerFailure returns the kind of failure of a peer that a message tells, "" for none.
func peerFailure(message string) string {
	for _, kind := range peerFailures {
		if strings.Contains(message, kind) {
			return kind
		}
	}
	return ""
}

// Write is for the entries that Check took itself.
func (c console) Write(e zapcore.Entry, fields []zapcore.Field) error {
	e.Level = max(e.Level, zapcore.WarnLevel)
	if peerFailure(e.Message) != "" {
		e.Level = zapcore.WarnLevel
	}
	e.Stack = ""
	more := []zapcore.Field{zap.Int("times", c.said.take(e))}
	if e.Message == dropping && slices.ContainsFunc(fields, endedByStop) {
		more = append(more, zap.String("note", "kept for the next start if the queue is on disk"))
	}
	if strings.Contains(e.Message, distrust) || slices.ContainsFunc(fields, distrusts) {
		more = append(more, zap.String("advice", "if this is the gateway, name the PEM file of its CA in "+presets.GatewayCAVariable))
	}
	return c.Core.Write(e, append(fields[:len(fields):len(fields)], more...))
}

// endedByStop reports whether an error is that the exporter was stopped: the helper
// says the same of a queue that forgets and of one that does not.
func endedByStop(f zapcore.Field) bool {
	err, ok := f.Interface.(error)
	return ok && strings.HasPrefix(err.Error(), "interrupted due to shutdown")
}

func distrusts(f zapcore.Field) bool {
	err, ok := f.Interface.(error)
	return ok && strings.Contains(err.Error(), distrust)
}

// memory is when a message was last written and how often it came since.
type memory struct {
	mu sync.Mutex
	of map[string]*reminder
}

type reminder struct {
	last  time.Time
	times int
}

func (m *memory) due(e zapcore.Entry) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	kind := kindOf(e)
	r := m.of[kind]
	if r == nil {
		if m.of == nil {
			m.of = map[string]*reminder{}
		}
		r = &reminder{}
		m.of[kind] = r
	}
	r.times++
	if !r.last.IsZero() && e.Time.Sub(r.last) < remindEvery {
		return false
	}
	r.last = e.Time
	return true
}

func (m *memory) take(e zapcore.Entry) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.of[kindOf(e)]
	n := r.times
	r.times = 0
	return n
}

// kindOf is what entries are counted by: the message, without the peer that it names.
func kindOf(e zapcore.Entry) string {
	if kind := peerFailure(e.Message); kind != "" {
		return kind
	}
	return e.Message
}
