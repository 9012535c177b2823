// Package redactor is the processor that stands at a trust boundary: it asks
// internal/redact what of a batch may pass, and counts what it replaced.
//
// Words: a boundary is the place whose name is stamped on what passed; the
// digest key is the secret under which equal values have equal tokens; the key
// file is where a key lives that nobody configured.
//
// It decides nothing itself and holds no value in a log, error or metric.
package redactor
