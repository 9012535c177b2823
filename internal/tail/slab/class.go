package slab

import "math/bits"

// Sizes of blocks: steps of an eighth between powers of two, from 64 bytes to
// 256 KiB. A larger block has a slab of its own, in steps of a page.
const (
	smallest  = 64
	largest   = 256 << 10
	steps     = 8
	page      = 4 << 10
	slabBytes = 1 << 20
)

var classes = len(sizes())

// sizes lists the sizes of all classes.
func sizes() (out []int) {
	for size := smallest; size < largest; size *= 2 {
		for i := range steps {
			out = append(out, size+i*size/steps)
		}
	}
	return append(out, largest)
}

// classOf returns class and size of a block of n bytes; the class is -1 for a
// block that gets a slab of its own.
func classOf(n int) (class, size int) {
	if n > largest {
		return -1, (n + page - 1) / page * page
	}
	if n <= smallest {
		return 0, smallest
	}
	power := bits.Len(uint(n-1)) - 1 // 1<<power < n <= 2<<power
	base := 1 << power
	step := (n - base + base/steps - 1) / (base / steps)
	return (power-6)*steps + step, base + step*(base/steps)
}
