// Package load sends made-up agent telemetry to a collector and tells what of a
// core that cost the collector.
//
// Words:
//
//   - agent span: a span as agent instrumentations send it, about 3.5 KB with 30
//     attributes, two of them content
//   - cost: user and system time of the collector's process, from the operating
//     system; the sender's own is not in it
//
// It measures and judges nothing.
package load
