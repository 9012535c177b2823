package tailpolicy

import (
	"context"
	"runtime"
	"sync"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/tail"
)

// workers is how many goroutines judge and send. Sending waits for the next
// component, so there are more of them than cores.
func workers() int { return max(4, 2*runtime.GOMAXPROCS(0)) }

// handful is how much small work waits for each worker, so that none is idle while
// senders have the lock.
const handful = 16

// work does what the core hands out until quit is closed. The channel has room for
// all that can be out at one time, so that handing out never blocks.
func (p *tailProcessor) work() {
	for {
		select {
		case <-p.quit:
			return
		case e := <-p.todo:
			for e != nil {
				e = p.handle(e)
			}
		}
	}
}

// handle does one thing, and returns what it took out of the channel beside it.
func (p *tailProcessor) handle(e tail.Effect) (next tail.Effect) {
	switch e := e.(type) {
	case tail.Judge:
		p.answer(p.hands.Judge(e.Job, time.Now()))
	case tail.Stow:
		p.stow(e.Job)
	case tail.Send:
		var group []*tail.Parcel
		group, next = p.gather(e.Parcel)
		p.sendGroup(group)
	}
	return next
}

// answer brings back what work came to. While one worker waits for the lock the others
// go on, and it brings theirs along; so does whoever has the lock before it.
func (p *tailProcessor) answer(in ...tail.Input) {
	if !p.back.add(in) {
		return
	}
	p.mu.Lock()
	p.back.arrived()
	effects := p.takeBack()
	p.mu.Unlock()
	if p.perform(context.Background(), effects).more {
		p.repeat(context.Background(), tail.Tick{})
	}
}

// takeBack does what follows from the answers that wait. The caller has the lock.
func (p *tailProcessor) takeBack() []tail.Effect {
	answers := p.back.take()
	if len(answers) == 0 || p.ended {
		return nil
	}
	close(p.changed)
	p.changed = make(chan struct{})
	return tail.Step(p.state, tail.Back{Answers: answers}, time.Now())
}

// answers wait to be brought to the state.
type answers struct {
	mu      sync.Mutex
	waiting []tail.Input
	carried bool // a worker is on its way
}

// add reports whether the caller has to bring what waits.
func (a *answers) add(in []tail.Input) (carry bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.waiting = append(a.waiting, in...)
	carry = !a.carried
	a.carried = true
	return carry
}

// arrived says that the one who brings is there; what is added later is for the next.
func (a *answers) arrived() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.carried = false
}

func (a *answers) take() []tail.Input {
	a.mu.Lock()
	defer a.mu.Unlock()
	out := a.waiting
	a.waiting = nil
	return out
}
