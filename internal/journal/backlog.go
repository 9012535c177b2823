package journal

import (
	"sync"
	"time"
)

// Backlog is lines on their way to a file that may be slow: who says them does not wait
// for it. Its zero value has room for none.
type Backlog struct {
	MaxBytes int
	Write    func(said []byte, at time.Time) // one after the other, in their order

	mu      sync.Mutex
	lines   []said
	bytes   int
	writing bool
	idle    chan struct{} // closed when there is nothing left to write
}

type said struct {
	line []byte
	at   time.Time
}

// Add takes a copy of a line that was said at a time, and reports whether there is room
// for it.
func (b *Backlog) Add(line []byte, at time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bytes+len(line) > b.MaxBytes {
		return false
	}
	b.lines = append(b.lines, said{append([]byte(nil), line...), at})
	b.bytes += len(line)
	if !b.writing {
		b.writing, b.idle = true, make(chan struct{})
		go b.write()
	}
	return true
}

func (b *Backlog) write() {
	for {
		b.mu.Lock()
		if len(b.lines) == 0 {
			b.writing = false
			close(b.idle)
			b.mu.Unlock()
			return
		}
		next := b.lines[0]
		b.lines = b.lines[1:]
		b.mu.Unlock()
		b.Write(next.line, next.at)
		b.mu.Lock()
		b.bytes -= len(next.line)
		b.mu.Unlock()
	}
}

// Wait returns when all lines are written, or, with false, when it has waited for too long.
func (b *Backlog) Wait(most <-chan time.Time) bool {
	b.mu.Lock()
	writing, idle := b.writing, b.idle
	b.mu.Unlock()
	if !writing {
		return true
	}
	select {
	case <-idle:
		return true
	case <-most:
		return false
	}
}
