// Package semconv holds every name the pipeline reads or writes: the pinned
// GenAI convention snapshots, the project's own app.* registry, and the few core
// names beside them.
//
// Words:
//
//   - snapshot: one GenAI convention pinned to a commit (snapshots/*.yaml)
//   - chain: the snapshots from the oldest to the newest; each file says what
//     changed since the one it follows, and tests compare that with both files
//   - alias: a spelling of conventions before the oldest snapshot; it is read and
//     never written
//   - translation: how every name of every snapshot is spelt in one of them, the
//     goal (Into); computed from the chain
//   - native: a name that the goal has as it is
//   - taken off: a key that a snapshot has but no longer puts on some span
//   - registry: a list of attributes in groups (app.yaml, core.yaml)
//   - dialect: how one vendor spells the same facts (dialects/*.yaml); the
//     files live here, package internal/mapping compiles them
//   - content: a key that may hold what people or models wrote, or a tool's
//     input or output
//   - known: a key that a snapshot or registry lists for text that is no content
//   - person: a key that holds the id of a person or an account
//
// The constants in names_generated.go are the only place that spells an
// attribute key in Go; they come from the YAML files by `make generate`. The
// package describes names and never looks at telemetry.
package semconv

//go:generate go run ./gen
