package loan

import (
	"math"
	"sync"
	"sync/atomic"
)

// step is by how much use changes before the borrower is told.
const step = 4 << 20

// Loan is the budget of one component. It is safe for concurrent use.
type Loan struct {
	budget int64
	used   atomic.Int64
	told   atomic.Int64
}

// Book is all loans of a process. It is safe for concurrent use.
type Book struct {
	mu      sync.Mutex
	loans   map[*Loan]bool
	changed chan struct{}
}

// Process is the book of this process.
var Process = NewBook()

// NewBook has no loans.
func NewBook() *Book {
	return &Book{loans: map[*Loan]bool{}, changed: make(chan struct{}, 1)}
}

// Lend offers a budget in bytes, until the loan ends.
func (b *Book) Lend(budget int64) *Loan {
	l := &Loan{budget: budget}
	b.mu.Lock()
	b.loans[l] = true
	b.mu.Unlock()
	b.tell()
	return l
}

// Use says how much of the budget its component has now.
func (b *Book) Use(l *Loan, bytes int64) {
	l.used.Store(bytes)
	if told := l.told.Load(); bytes >= told+step || bytes <= told-step {
		l.told.Store(bytes)
		b.tell()
	}
}

// End takes a loan back.
func (b *Book) End(l *Loan) {
	b.mu.Lock()
	delete(b.loans, l)
	b.mu.Unlock()
	b.tell()
}

func (b *Book) tell() {
	select {
	case b.changed <- struct{}{}:
	default:
	}
}

// Changed has an item when loans are not what they were.
func (b *Book) Changed() <-chan struct{} { return b.changed }

// Sum is what all components use, and what they lend. Nothing is lent without a loan.
func (b *Book) Sum() (used, lent int64, any bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for l := range b.loans {
		u := l.used.Load()
		used += u
		lent += max(l.budget-u, 0)
	}
	return used, lent, len(b.loans) > 0
}

// beside is what a process has that is neither live nor garbage: stacks, and what the
// collector of garbage has for itself.
const beside = 16 << 20

// Limit is the limit of the heap in bytes: twice what lives, as without a loan, and what
// is lent. The user's own limit, of everything, is not passed; without one it is
// math.MaxInt64.
func Limit(live, used, lent, user int64) int64 {
	without := 2*live + beside
	if user == math.MaxInt64 {
		return without + lent
	}
	return min(max(without, min(without+lent, user-used)), user)
}
