package slab

import (
	"sync"
	"sync/atomic"
)

// Block is the place of some bytes; the zero Block is none.
type Block struct {
	slab uint32 // 1 + number of the slab
	at   uint32
	n    uint32
}

// IsZero reports whether there is no block.
func (b Block) IsZero() bool { return b.slab == 0 }

// Len is the number of bytes.
func (b Block) Len() int { return int(b.n) }

// Held is the memory that the block takes.
func (b Block) Held() int64 {
	if b.IsZero() {
		return 0
	}
	_, size := classOf(int(b.n))
	return int64(size)
}

// Arena hands out blocks. It is safe for concurrent use.
type Arena struct {
	mu     sync.Mutex
	table  atomic.Pointer[[]*slab] // replaced, never written to, so that Bytes takes no lock
	vacant []uint32                // numbers of slabs that are not there
	open   [][]*slab               // by class: slabs with room
	spare  [][]byte                // mappings of slabBytes that no slab uses
	idle   int                     // the fewest of them since the last Trim
	used   int64
	mapped int64
}

type slab struct {
	mem    []byte
	class  int // -1: one block
	size   uint32
	number uint32
	fresh  uint32   // place of the first block that was never used
	free   []uint32 // places of blocks that were
	live   int
	listed bool // in open
}

// New returns an empty arena.
func New() *Arena {
	a := &Arena{open: make([][]*slab, classes)}
	a.table.Store(&[]*slab{})
	return a
}

// Used is the memory of all blocks, each rounded up to its class.
func (a *Arena) Used() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.used
}

// Mapped is the memory taken from the operating system.
func (a *Arena) Mapped() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.mapped
}

// Bytes returns the bytes of a block. They are valid until it is freed.
func (a *Arena) Bytes(b Block) []byte {
	if b.IsZero() {
		return nil
	}
	s := (*a.table.Load())[b.slab-1]
	return s.mem[b.at : b.at+b.n : b.at+b.n]
}

// Alloc returns a block of n bytes, which hold anything.
func (a *Arena) Alloc(n int) Block {
	class, size := classOf(n)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.used += int64(size)
	if class < 0 {
		s := a.add(class, size, a.mapping(size))
		s.live, s.fresh = 1, uint32(size)
		return Block{s.number + 1, 0, uint32(n)}
	}
	if len(a.open[class]) == 0 {
		s := a.add(class, size, a.mapping(slabBytes))
		s.listed = true
		a.open[class] = append(a.open[class], s)
	}
	list := a.open[class]
	s := list[len(list)-1]
	b := Block{s.number + 1, s.take(), uint32(n)}
	if s.full() {
		s.listed = false
		a.open[class] = list[:len(list)-1]
	}
	return b
}

func (s *slab) take() uint32 {
	s.live++
	if n := len(s.free); n > 0 {
		at := s.free[n-1]
		s.free = s.free[:n-1]
		return at
	}
	at := s.fresh
	s.fresh += s.size
	return at
}

func (s *slab) full() bool {
	return len(s.free) == 0 && int(s.fresh)+int(s.size) > len(s.mem)
}

// Free gives a block back.
func (a *Arena) Free(b Block) {
	if b.IsZero() {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	s := (*a.table.Load())[b.slab-1]
	a.used -= int64(s.size)
	s.live--
	if s.live == 0 {
		a.remove(s)
		return
	}
	s.free = append(s.free, b.at)
	if !s.listed {
		s.listed = true
		a.open[s.class] = append(a.open[s.class], s)
	}
}

// add gives a mapping a number.
func (a *Arena) add(class, size int, mem []byte) *slab {
	s := &slab{mem: mem, class: class, size: uint32(size)}
	old := *a.table.Load()
	table := make([]*slab, len(old), len(old)+1)
	copy(table, old)
	if n := len(a.vacant); n > 0 {
		s.number = a.vacant[n-1]
		a.vacant = a.vacant[:n-1]
		table[s.number] = s
	} else {
		s.number = uint32(len(table))
		table = append(table, s)
	}
	a.table.Store(&table)
	return s
}

func (a *Arena) remove(s *slab) {
	if s.listed {
		list := a.open[s.class]
		for i, o := range list {
			if o == s {
				list[i] = list[len(list)-1]
				a.open[s.class] = list[:len(list)-1]
				break
			}
		}
	}
	old := *a.table.Load()
	table := make([]*slab, len(old))
	copy(table, old)
	table[s.number] = nil
	a.table.Store(&table)
	a.vacant = append(a.vacant, s.number)
	if s.class >= 0 {
		a.spare = append(a.spare, s.mem)
		return
	}
	a.mapped -= int64(len(s.mem))
	unmap(s.mem)
}

// Trim gives half of what was not used since the last call back to the operating
// system. Called every second, it follows the load without paying for pages twice.
func (a *Arena) Trim() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for range (a.idle + 1) / 2 {
		n := len(a.spare) - 1
		a.mapped -= int64(len(a.spare[n]))
		unmap(a.spare[n])
		a.spare = a.spare[:n]
	}
	a.idle = len(a.spare)
}

func (a *Arena) mapping(size int) []byte {
	if n := len(a.spare); size == slabBytes && n > 0 {
		mem := a.spare[n-1]
		a.spare = a.spare[:n-1]
		a.idle = min(a.idle, n-1)
		return mem
	}
	a.mapped += int64(size)
	return mapped(size)
}

// Close gives everything back to the operating system; no block is valid after it.
func (a *Arena) Close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, s := range *a.table.Load() {
		if s != nil {
			unmap(s.mem)
		}
	}
	for _, mem := range a.spare {
		unmap(mem)
	}
	a.table.Store(&[]*slab{})
	a.open, a.spare, a.vacant = make([][]*slab, classes), nil, nil
	a.used, a.mapped = 0, 0
}
