//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package slab

import "syscall"

// mapped returns size bytes from the operating system, or from the heap if it
// gives none.
func mapped(size int) []byte {
	mem, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return make([]byte, size)
	}
	return mem
}

// unmap leaves a mapping that came from the heap to the collector: the operating
// system knows no such mapping.
func unmap(mem []byte) { _ = syscall.Munmap(mem) }
