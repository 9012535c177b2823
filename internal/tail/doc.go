// Package tail decides which runs are kept. It holds the spans of a run until the
// run is at rest, and decides once, for all of them and for what comes later.
//
// Words:
//
//   - run: traces joined by tenant and task ids, or by span links of any relation
//     but follows; in either arrival order
//   - key: digest of a tenant with a trace id or task id; runs that share one are one
//   - record: a log record that a class can be read from and that names a trace or
//     a task; it takes part in decisions and is never sent or dropped from here
//   - piece: the spans of one trace in one batch, or its records, encoded
//   - digest: what was noted of a piece while its spans were at hand
//   - clue: a key or value that a class could be read from; a run without any has none
//   - job: pieces of a run that are being decided on, outside the lock
//   - log: where pieces are on the disk, see package runlog; spilled pieces are only there
//   - limbo: runs that were dropped and can still be brought back
//   - pending: arrived and not yet decided
//   - class: why a run must be kept, see package evidence; a run of an enabled
//     class is protected, and no rule, ratio or budget drops it
//   - rest: no span or record of the run arrived for the decision wait
//   - prior: the decision that was made before a late span arrived
//   - parcel: the spans of a decided run on their way to the next component
//   - place: the number of a run by which shares are drawn, counted from the top;
//     a run is in a share if its place is
//   - odds: the place of a run and how many places of its share are kept; they are
//     its weight, written as thresholds of consistent sampling
//   - part: a span that a run is timed by
//   - payer: the tenant whose quota counts
//   - effect: what the shell has to do or to count after a step
//
// A share of runs is a threshold on a hash of the run's identity, so every
// collector with the same policy keeps the same ones.
//
// The package reads no clock, sends nothing and takes no locks: Step gets the
// time and says what to do, and Hands do it. What is on the disk is behind the
// interface Log. ADR-0023, ADR-0024
package tail
