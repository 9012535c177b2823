// Package clickhouse keeps evidence in a ClickHouse server or cluster.
//
// Words:
//
//   - statement: one account of a span, a row of its own; a span that grows has
//     several, which are merged when they are read
//   - key: a trace id, or the task id of records that have no trace; what a row
//     hangs on
//   - edge: two keys that belong to one run; a run is found by walking them, so
//     it does not matter when a link arrived or who stored it
//   - root: the name of the run, written beside rows for people with SQL
//   - token: the name of a batch by which the server knows it again
//   - quarantine: rows that were refused, with the reason
//   - log: leaves over the rows that one start of a writer stored, and signed heads
//     of them (package ledger)
//   - chunk: leaves that are announced together, before their rows; a head places
//     them in the log afterwards, and only then is the batch acknowledged
//   - erasure: the deletion of all rows that speak of one subject; it is noted in
//     a table before and after
//
// Rows are inserted and never changed, and every row has an identity that
// follows from what it says. Rows of one batch are inserted with the spans last,
// and the batch is acknowledged after that; a try that broke off leaves rows
// that the next try repeats. Materialized views hold minima, maxima and rows
// with identities, no sums, so they forgive repetition too.
//
// What breaks off between a chunk and its head accuses nobody (ADR-0019). The
// package decides nothing about what rows mean, and computes no report; it keeps
// no clock of its own: see Settings.
package clickhouse
