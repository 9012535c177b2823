// Package agents maps and joins telemetry of coding agents in this process: what
// the binary does with it, without its start for every case.
//
// Words:
//
//   - sample: a file of testbed/corpus/coding, or the input part of testdata/agents
//   - band: the versions of an agent that say things in one way
//   - tree: spans of one id united, as a store does, and printed below their parents
package agents
