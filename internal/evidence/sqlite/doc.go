// Package sqlite keeps evidence in one SQLite file, and reads it from another
// connection or process while it is written.
//
// Words:
//
//   - writer: the one connection that writes; a goroutine owns it and commits
//     the batches that wait together, with one sync to disk
//   - key: a trace id, or the task id of records that have no trace; what a
//     row hangs on
//   - run: keys joined by task ids and links, by a number that may change when
//     two runs turn out to be one
//   - source: tenant, resource and scope that many rows share, stored once
//   - name: an attribute key or often repeated value, stored once
//   - age: a row's time, or when it was stored if that time cannot be true
//   - quarantine: rows that were refused, with the reason
//
// The file belongs to this program: it carries an application id, numbered
// migrations and their checksums, and anything else is refused and left as it
// is. Files are made with mode 0600, folders with 0700.
//
// The package decides nothing about what rows mean, and computes no report; it
// keeps no clock of its own: see Settings.
package sqlite
