// Package replay posts a folder of OTLP/JSON requests to a collector in the
// order of the file names.
//
// Words:
//
//   - request: one file, an export request of traces, logs or metrics
//   - signal: what the request holds, read from its top-level key
//
// A request that is not accepted whole is an error: the package does not retry.
package replay
