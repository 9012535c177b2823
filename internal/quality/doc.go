// Package quality tells a team how much of its runs a reviewer could explain, and
// what to instrument next.
//
// Words:
//
//   - question: one of the ten that an incident reviewer asks of a run
//   - share: of the questions asked over all runs of a service, those answered
//   - gain: questions that an attribute would help to answer, since it is missing there
//   - line: what to paste to state an attribute
//
// It judges no run: see package evidence.
package quality
