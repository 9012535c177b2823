// Package lenientotlp is a receiver of OTLP/HTTP that mends known mistakes of agents
// in OTLP/JSON and is otherwise the stock one: same paths, answers and limits.
//
// Words:
//
//   - mend, fault, nesting: as in internal/lenient, which does the work
//   - door: the handler of one signal's path
//   - format: how a request and its answer are written, protobuf or JSON
//
// It speaks no gRPC, and does not read what a mended request means.
package lenientotlp
