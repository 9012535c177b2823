// Package welcome is an extension that says on the terminal, once the pipelines
// are ready, where to point an agent and how to look at what is kept.
//
// Words:
//
//   - receiver: the OTLP receiver whose addresses are told
//   - store: the place of the evidence; named in the commands where they would
//     not find it by themselves
//
// It reads the effective configuration. It listens on nothing and sees no telemetry.
package welcome
