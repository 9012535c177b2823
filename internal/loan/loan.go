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
	fixed  int64
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

// Lend offers a budget in bytes, until the loan ends. fixed is what its component has on
// the heap for as long.
func (b *Book) Lend(budget, fixed int64) *Loan {
	l := &Loan{budget: budget, fixed: fixed}
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

// Sum is of all loans, in bytes.
type Sum struct {
	Loans int
	Used  int64 // outside the heap
	Lent  int64
	Fixed int64 // on the heap, and not made anew
}

// Sum adds up what components use and lend.
func (b *Book) Sum() (sum Sum) {
	b.mu.Lock()
	defer b.mu.Unlock()
	sum.Loans = len(b.loans)
	for l := range b.loans {
		used := l.used.Load()
		sum.Used += used
		sum.Lent += max(l.budget-used, 0)
		sum.Fixed += l.fixed
	}
	return sum
}

// beside is what a process has that is neither live nor garbage: stacks, and what the
// collector of garbage has for itself.
const beside = 16 << 20

// Limit is the limit of the heap in bytes: what is fixed, twice what lives beside it, as
// without a loan, and what is lent. The user's own limit, of everything, is not passed;
// without one it is math.MaxInt64.
func Limit(live int64, sum Sum, user int64) int64 {
	without := 2*live - min(sum.Fixed, live) + beside
	if user == math.MaxInt64 {
		return without + sum.Lent
	}
	return min(max(without, min(without+sum.Lent, user-sum.Used)), user)
}
