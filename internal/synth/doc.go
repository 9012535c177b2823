// Package synth turns canonical domain events into spans: one trace a turn.
//
// Words:
//
//   - record: one log record whose event name is a canonical domain event
//   - turn: one prompt and everything done for it; records of one (tenant,
//     dialect, session, turn) belong to it
//   - act: what becomes one span: the turn's root, an inference, a tool call, an
//     agent, or a note
//   - note: a fact that is no act of the agent and still needs a place in the
//     tree: a control, an effect stage, a handoff, a use of an extension
//   - facts: what records say of an act, encoded
//   - opener: a record that begins an act and gives no result: a decision, an
//     agent's start
//   - loose: without the id that would join it to other records
//   - context: trace and span id that a record came with
//   - real: a span that the agent sent itself, to which records of its act add
//   - settled: a turn of which nothing is waiting any more; it is remembered for
//     late records
//
// Every id is a digest of what the records say, so a record that is sent again,
// late or in another order lands on the same span. Facts of one span are united
// key by key: a stated value beats an inferred one, then the later record wins.
//
// The package reads the pinned snapshot and app.* alone. It copies no body and
// no key that may hold content, reads no clock, and invents no conversation id.
// It does not judge evaluations (package judge) and passes no span of an agent on.
package synth
