// Package ledger makes a store's rows tamper-evident: every row as it was
// recorded is a leaf of a Merkle log, signed heads of the log are checkpoints,
// and Verify compares rows, leaves and checkpoints.
//
// Words:
//
//   - leaf: what is remembered of one row as it was recorded: what it is, its
//     id, its age and digests; leaves are only ever appended
//   - digest: SHA-256 of all that a row says, whatever the engine that keeps it
//   - body: the row itself; it may go, its leaf stays
//   - instead: the earlier leaf of the same row, which a later statement changed
//   - entry: what the store did to itself, logged as evidence: retention,
//     erasure, a new key
//   - tree: the Merkle tree of RFC 6962 over the leaves, kept as its peaks, the
//     roots of the complete subtrees from left to right
//   - checkpoint: size and root of the tree, in the signed note format of
//     golang.org/x/mod/sumdb/note
//   - chunk, announced, settled: leaves of a batch in a store that several writers
//     share; they are announced before the rows are stored and settled by the
//     checkpoint that places them in the tree
//   - origin: name of one log; a checkpoint of another log proves nothing here
//
// What it proves: since a checkpoint, no recorded row was changed, and none was
// removed but by logged retention or erasure. It does not prove that what was
// recorded is true, nor anything against an owner who rewrites the whole store
// and has the key; against that, keep checkpoints elsewhere.
//
// The package knows no engine and no clock.
package ledger
