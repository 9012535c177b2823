// Package listing renders the list of runs that the tasks command prints.
//
// Words:
//
//   - row: one run, as evidence.Summarize tells it
//   - filter: what of a row must hold for it to be listed
//   - inert: text of others in which nothing moves a cursor, changes a colour,
//     hides or turns round what stands beside it
//
// The package does not fetch runs and does not know a terminal: width, colour
// and the time of the call come in.
package listing
