// Package review turns runs into what the pages of a reviewer show.
//
// Words:
//
//   - page: what one address shows, as data; how it looks is the templates' matter
//   - lane: one attempt at a task on the time line, over all of its traces
//   - bar: one step on a lane; steps without anything to tell are drawn together, as
//     a crowd
//   - mark: a decision, effect, control or verdict at a step
//   - story: the steps that a reader needs, in their order
//   - place: an address inside the pages
//
// The package fetches nothing but the run of an id and what a search counts, knows no
// clock and writes no HTML. Text of others is passed on as it is: whoever writes it out
// makes it inert.
package review
