// Package evidence turns spans and log records of one run into facts, and facts
// into answers that a reviewer can check.
//
// Words:
//
//   - tenant: owner of the telemetry, part of every identity; empty if unstated
//   - task: delegated work that outlives a trace, named by app.task.id
//   - run: traces joined by task ids or span links; what is kept, shown and
//     attributed as one
//   - step: one span, named by trace id and span id
//   - record: one log record; it speaks of the step in whose context it is
//   - decision: a permission or policy answer to one intent
//   - effect: an intended change outside the agent, with stages
//   - control: a cancel, pause, timeout or kill, seen layer by layer
//   - verdict: an evaluation of a subject by a named, versioned verifier
//   - claim: a state that someone asserts for a task
//   - receipt: a statement by the effect's side; an agent's own word is a claim
//   - try: one attempt at an effect, usually one call of a tool
//   - breach: a step that went beyond a denial, a guard or its authority
//   - candidate: a step that may be the first wrong one
//   - recovered: failed, but made good by a later step
//   - gap: what would have to be known before a run may be called clean
//
// The package reads only names of the pinned snapshot and app.*; it calls no
// clock, no network and no model, so that the same rows give the same answer.
// It does not store anything: see the packages sqlite and storetest below it.
package evidence
