// Package agentevents is the connector that joins canonical domain events, which
// are log records, into one trace a turn.
//
// It is a shell: it locks, ticks, counts and delivers. What becomes of a record
// is decided in package synth, which also says what the words mean. It reads
// names of the pinned snapshot and app.* alone and knows no vendor.
package agentevents
