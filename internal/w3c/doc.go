// Package w3c reads the headers by which trace context and baggage travel:
// traceparent, tracestate and baggage, as the W3C recommendations define them.
//
// Words:
//
//   - member: one entry of a baggage or tracestate list; it is kept or removed
//     whole, never cut
//   - vendor: the system that a tracestate member belongs to, which is what
//     stands behind the @ of its key, or the key itself
//   - properties: what follows the value of a baggage member behind a semicolon
//
// It decides nothing about trust: which members may pass is the caller's policy.
package w3c
