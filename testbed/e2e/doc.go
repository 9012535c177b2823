// Package e2e holds the tests that run the real binary as a process on loopback,
// with a home of its own, and look at it from outside: OTLP/HTTP in, commands and
// files out.
//
// The binary is built once for a run of the package, or named by
// OTELCOL_AGENT_BIN.
package e2e
