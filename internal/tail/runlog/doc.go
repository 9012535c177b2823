// Package runlog keeps what a sampler holds on disk, so that a killed process
// loses nothing that it had acknowledged as protected.
//
// Words:
//
//   - segment: a file that is only appended to; a new one is begun when it is large
//     and at every start
//   - frame: magic, length and CRC-32C of a kind and a payload
//   - journal: the segments of one name, in their order
//   - piece: see package tail; it is live until its id is forgotten
//   - limbo: runs that were dropped, compressed, until they are too old or too many
//   - torn: a last frame that was being written when the process or machine ended
//   - damaged: bytes that are no frame although frames follow; they are copied to
//     NAME.log.damaged, for people
//   - said: that what was decided of a forgotten piece is on the disk
//   - full: no room on the disk, whatever Settings.MaxBytes says; limbo gives its own away
//
// A directory has three journals. pieces-N.log holds pieces, and the ids that are
// forgotten. decided-N.log holds what was decided of which keys. limbo-N.log holds
// dropped runs. rejected.jsonl is what the next component will never take, for
// people. LOCK belongs to the one process that has the directory open.
//
// Segments of pieces go in their order, oldest first; what is live in the oldest
// is copied to the newest before. So an id cannot come back: where it is forgotten
// is never older than where its piece is.
//
// The bytes, all numbers little endian:
//
//	segment  = "OCARUNS1" frame*                               a version with other frames has another magic too
//	frame    = c5 1e | kind u8 | length u32 | crc u32 of kind and payload | payload
//	'p'      = id u64 | arrived i64 (Unix nanoseconds) | spans u32 | OTLP, of records if spans is 0
//	'f'      = id u64 ...
//	'd'      = key (16 bytes) ...                              dropped
//	'k'      = length u32 of a decision as JSON | it | key ... kept
//	'l'      = time i64 | whole u8 | number of keys u32 | key ... | S2 block of (length u32 | OTLP)...
//
// The package knows nothing of policies, and starts no goroutine.
package runlog
