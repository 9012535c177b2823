//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package slab

// mapped returns size bytes of the heap: on this system the garbage collector's
// pace includes them.
func mapped(size int) []byte { return make([]byte, size) }

func unmap([]byte) {}
