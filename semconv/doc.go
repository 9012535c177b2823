// Package semconv holds every name the pipeline reads or writes: the pinned
// GenAI convention snapshot, the project's own app.* registry, and the few core
// names beside them.
//
// Words:
//
//   - snapshot: one GenAI convention pinned to a commit (snapshots/*.yaml)
//   - registry: a list of attributes in groups (app.yaml, core.yaml)
//   - dialect: how one vendor spells the same facts (dialects/*.yaml); the
//     files live here, package internal/mapping compiles them
//   - content: a key that may hold what people or models wrote, or a tool's
//     input or output
//   - person: a key that holds the id of a person or an account
//
// The constants in names_generated.go are the only place that spells an
// attribute key in Go; they come from the YAML files by `make generate`. The
// package describes names and never looks at telemetry.
package semconv

//go:generate go run ./gen
