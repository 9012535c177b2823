// Package review serves the pages of a reviewer, and the same as a JSON API and
// as tools for agents, over the store that the exporter evidencestore writes.
//
// Words:
//
//   - store: where evidence is kept; it is opened for reading only, when it is first
//     asked for
//   - page, API: see package web below it, which serves them
//
// It sees no telemetry and writes nothing. What a page says is computed by package
// evidence; how it is laid out, by package internal/review.
package review
