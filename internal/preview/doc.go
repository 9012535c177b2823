// Package preview tells what a redaction policy would replace in a file, and
// never what it is that would be replaced.
//
// Words:
//
//   - finding: a part of a text, by line and column, with the rule that wants it
//     replaced
//   - count: how many values a rule replaces at one position of telemetry
//   - recognised: a file whose first value is an OTLP/JSON request; it is read
//     value by value, as a file exporter writes it, and anything else is text
//
// A text has no attribute keys, so only the detectors have a say in it. It reads
// what it is given and opens nothing.
package preview
