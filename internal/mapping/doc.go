// Package mapping rewrites telemetry of any known dialect into one pinned GenAI
// snapshot and the app.* words.
//
// Words:
//
//   - dialect: how one vendor spells the facts; a YAML file (semconv/dialects/README.md)
//   - target: the key of the snapshot or of app.* that a field writes
//   - source: where a field reads: an attribute, a member inside one (key#path),
//     a part of the record ($name, $scope.name, …) or of its events
//   - field: one target with its sources in order; the first that holds a value
//     of the target's type wins
//   - case: fields under a condition; the first that decides a target wins
//   - band: the versions of a vendor that some cases are for
//   - kin: a span's parent and its first child, if they are in the same batch
//   - shape: how content is read (messages, a tool's arguments, …) whatever
//     provider's form it has
//   - pivot: the default snapshot, which dialect files speak; a record is
//     translated from it into the target, if that is another one, last
//   - basis: whether a source counts cached tokens as input
//   - stated, inferred: a value that the source says, or that we conclude
//   - set aside: a value stood in a key of the snapshot and did not mean what the
//     key means; it is kept under app.original.KEY
//   - digest: keyed hash of a value's canonical form, made while content is there
//   - left: a value that could not be placed; it stays under its own key and is
//     counted under a reason of a closed list
//
// A source key is removed only when all it said is represented. A record that
// carries app.mapping.snapshot was mapped before and is not touched again, so
// mapping twice equals mapping once. Records of no dialect keep every byte.
//
// The package never keeps or removes content: content keys are left for the
// redactor unless Options.Content asks for them to be mapped. It joins no records
// of two pipelines and reads no prose.
package mapping
