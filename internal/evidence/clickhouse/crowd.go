package clickhouse

import (
	"sync"
	"time"
)

// patience is how long a group waits for callers that came together before: an
// insert into every table costs much the same for one batch as for many.
const patience = 100 * time.Millisecond

// crowd knows how many callers wait at the same time, so that those who come
// together go together. A caller who comes alone never waits.
type crowd struct {
	mu      sync.Mutex
	here    int // callers that wait for their answer
	serving int // of them, those in groups that are under way
	usual   int // as many as were here at once, lately
}

func (c *crowd) come() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.here++
	c.usual = max(c.usual, c.here)
}

func (c *crowd) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.here--
}

// missing reports whether somebody is expected who is in no group yet, this one
// of n callers counted.
func (c *crowd) missing(n int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.serving+n < c.usual
}

// inVain notes that those who were expected did not come.
func (c *crowd) inVain() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.usual = c.here
}

func (c *crowd) serve(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.serving += n
}

// gather waits for a request and makes a group of it, of those that wait too, and
// of those that come soon. It returns nil when the writer is closed and nothing
// waits. One group gathers at a time.
func (w *Writer) gather() []*request {
	w.gathering.Lock()
	defer w.gathering.Unlock()
	first, ok := <-w.work
	if !ok {
		return nil
	}
	group := []*request{first}
	defer func() { w.crowd.serve(len(group)) }()
	var timeout <-chan time.Time
	for rows := first.batch.len(); rows < maxGroup && (len(w.work) > 0 || w.crowd.missing(len(group))); {
		if timeout == nil {
			timer := time.NewTimer(w.patience)
			defer timer.Stop()
			timeout = timer.C
		}
		select {
		case next, ok := <-w.work:
			if !ok {
				return group
			}
			group = append(group, next)
			rows += next.batch.len()
		case <-timeout:
			w.crowd.inVain()
			return group
		}
	}
	return group
}
