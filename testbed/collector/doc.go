// Package collector builds the otelcol-agent binary and runs it as a user would:
// as a process of its own, on loopback, with folders of its own.
//
// Words:
//
//   - binary: the program under test, built once for a test run
//   - home: the folder that stands for a user's home; nothing outside is touched
//   - ready: the collector has said on standard error that it is
//
// A process is stopped by the id it was started with and by no other way.
package collector
