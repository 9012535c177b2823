// Command otelcol-agent is an OpenTelemetry Collector for AI agents with the
// commands to look at what it kept.
//
// Without arguments it runs preset:agent. With --config it runs what is named,
// merged in order: --config preset:agent --config mine.yaml. The commands tasks,
// task, store and verify work on the store beside a running collector; redact
// reads a file.
//
// Exit codes: 0 done, 1 it did not work or something wrong was found, 2 wrong
// usage, 3 redact --check found something. SIGINT and SIGTERM stop the collector
// after what is pending is written, with exit code 0.
//
// This package joins parts and decides nothing: configurations are in presets,
// listings in internal/listing, answers in internal/evidence. components.go is
// generated from builder-config.yaml.
package main
