// Package loan lends memory that a component was given, and does not use now, to the
// garbage collector.
//
// Words:
//
//   - budget: how much a component may take outside the heap
//   - used: how much it has now
//   - loan: the rest of its budget, by which garbage may grow meanwhile
//   - live: what the last collection left of the heap
//
// A collector that receives makes garbage all the time, and most of its cost is how
// often it is collected. While a budget is not used, garbage may have it; when it is,
// the heap is what it would be without a loan. So budget and heap together are never
// more than they could be anyway. See ADR-0029.
//
// The package asks no clock and sets nothing: who borrows, sets the limit of the heap.
package loan
