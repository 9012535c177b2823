// Package semconvdiff tells what the pinned snapshots say: how two of them
// differ, and what is known of one name.
//
// Words:
//
//   - carried: a name that the other snapshot has too, under the same or another
//     name; translating it loses nothing and leads back
//   - not carried: a name that the other snapshot has nothing for; a record that
//     has it keeps it as it is
//   - reader: a built-in dialect whose rules look at a key
//   - use: where a snapshot wants a key, and how much
//
// It reads package semconv and the rules of the built-in dialects, and never looks
// at telemetry or at dialect files of a user.
package semconvdiff
