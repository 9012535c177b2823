// Package genaimapper is the shell around internal/mapping: it compiles the
// dialects once, hands each batch to the core and counts what the core reports.
//
// Words:
//
//   - snapshot: the pinned GenAI convention that telemetry is rewritten to
//   - dialect: how one vendor spells the same facts; a YAML file
//   - left: what could not be placed and stays as it came
//
// It makes no decision about a record and drops none.
package genaimapper
