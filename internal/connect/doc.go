// Package connect says how an agent is pointed at a collector, and tells from what is
// kept whether it was.
//
// Words:
//
//   - target: where the collector is and what it asks of a sender
//   - settings: the text that a person puts into a shell or a file
//   - arrival: what of one dialect is kept since a time
//
// What the agents want is data, in package semconv. It sets nothing, reads no token,
// and asks no collector.
package connect
