// Package slab keeps encoded spans outside the heap that the garbage collector
// looks at and measures itself by.
//
// Words:
//
//   - block: the bytes of one piece; its holder frees it once and does not look at it after
//   - class: a size that blocks are rounded up to, by at most an eighth
//   - slab: a mapping of the operating system, cut into blocks of one class
//
// A large heap of bytes without pointers costs the collector no marking, but it
// would let the rest of the process grow by as much before the next collection;
// that is why the bytes are not there. See ADR-0023.
//
// The package bounds nothing: it tells how much is used, and its user decides.
package slab
