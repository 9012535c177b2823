// Package journal writes files that the collector reads, for agents that send nothing.
//
// Words:
//
//   - line: one JSON object, what an agent said, with the time it was said
//   - journal: files of lines in a folder of their own; only their owner reads them,
//     because nothing in them is redacted
//   - backlog: lines that wait for a slow disk
//   - tap: what stands between two programs, passes everything on and keeps the lines
//
// It does not know what the lines say, and never stops what it listens to.
package journal
