package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-agent/otelcol-agent/semconv"
)

var errNoOTLP = errors.New("must be OTLP/JSON with resourceSpans or resourceLogs, or an OTLP protobuf of spans")

// parseRecording tells JSON by its first brace.
func parseRecording(data []byte) (recording, error) {
	if text := bytes.TrimLeft(data, " \t\r\n\ufeff"); len(text) > 0 && text[0] == '{' {
		return parseJSON(text)
	}
	td, err := parseProto(data)
	return recording{td, plog.NewLogs()}, err
}

// parseJSON reads one request after the other.
func parseJSON(text []byte) (recording, error) {
	out := recording{ptrace.NewTraces(), plog.NewLogs()}
	var traces ptrace.JSONUnmarshaler
	var logs plog.JSONUnmarshaler
	dec := json.NewDecoder(bytes.NewReader(text))
	for n := 1; ; n++ {
		var raw json.RawMessage
		if err := dec.Decode(&raw); errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return out, fmt.Errorf("request %d: must be JSON, byte %d is not", n, dec.InputOffset())
		}
		var has struct {
			Spans json.RawMessage `json:"resourceSpans"`
			Logs  json.RawMessage `json:"resourceLogs"`
		}
		if err := json.Unmarshal(raw, &has); err != nil || has.Spans == nil && has.Logs == nil {
			return out, fmt.Errorf("request %d: %w", n, errNoOTLP)
		}
		if has.Spans != nil {
			td, err := traces.UnmarshalTraces(raw)
			if err != nil {
				return out, fmt.Errorf("request %d: resourceSpans must be OTLP/JSON", n)
			}
			td.ResourceSpans().MoveAndAppendTo(out.traces.ResourceSpans())
		}
		if has.Logs != nil {
			ld, err := logs.UnmarshalLogs(raw)
			if err != nil {
				return out, fmt.Errorf("request %d: resourceLogs must be OTLP/JSON", n)
			}
			ld.ResourceLogs().MoveAndAppendTo(out.logs.ResourceLogs())
		}
	}
}

// parseProto reads one request, or several, each behind its length in four bytes
// as the file exporter writes them.
func parseProto(data []byte) (ptrace.Traces, error) {
	var u ptrace.ProtoUnmarshaler
	if td, err := u.UnmarshalTraces(data); err == nil && td.SpanCount() > 0 {
		return td, nil
	}
	out := ptrace.NewTraces()
	for len(data) > 0 {
		if len(data) < 4 {
			return out, errNoOTLP
		}
		n := binary.BigEndian.Uint32(data)
		if data = data[4:]; uint64(n) > uint64(len(data)) {
			return out, errNoOTLP
		}
		td, err := u.UnmarshalTraces(data[:n])
		if err != nil {
			return out, errNoOTLP
		}
		td.ResourceSpans().MoveAndAppendTo(out.ResourceSpans())
		data = data[n:]
	}
	return out, nil
}

// mapped reports whether anything says that it was mapped, or needs no mapping.
func (r *recording) mapped() bool {
	for _, rs := range r.traces.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				for k := range span.Attributes().All() {
					if k == semconv.GenAIOperationName || strings.HasPrefix(k, "app.") {
						return true
					}
				}
			}
		}
	}
	return r.traces.SpanCount() == 0
}
