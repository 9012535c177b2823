// Package redactcorpus makes texts of which it is known what in them must not
// cross a trust boundary, and measures what a redactor leaves and takes.
//
// Words:
//
//   - value: one secret or one person's number, made from its vendor's or state's
//     published format with right check digits, never a real one
//   - frame: the text that a value stands in (an env file, a diff, a prompt, …)
//   - label: where in a case a value stands and of which kind it is
//   - hard negative: a text without a label that looks as if it had one
//
// Nothing is taken from the rules that it measures: formats, names, frames and
// check digits are written down a second time here. The same seed makes the same
// texts.
package redactcorpus
