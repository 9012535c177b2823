package loan_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-agent/otelcol-agent/internal/loan"
)

const mib = 1 << 20

func told(b *loan.Book) bool {
	select {
	case <-b.Changed():
		return true
	default:
		return false
	}
}

func TestWhatIsNotUsedIsLent(t *testing.T) {
	b := loan.NewBook()
	assert.Zero(t, b.Sum())
	one, two := b.Lend(100*mib, 16*mib), b.Lend(50*mib, mib)
	b.Use(one, 30*mib)
	b.Use(two, 60*mib) // more than it was given is not lent to others
	assert.Equal(t, loan.Sum{Loans: 2, Used: 90 * mib, Lent: 70 * mib, Fixed: 17 * mib}, b.Sum())
	b.End(one)
	assert.Equal(t, loan.Sum{Loans: 1, Used: 60 * mib, Fixed: mib}, b.Sum())
}

func TestTheBorrowerIsToldOfWhatMatters(t *testing.T) {
	b := loan.NewBook()
	l := b.Lend(100*mib, 0)
	assert.True(t, told(b))
	b.Use(l, mib)
	assert.False(t, told(b))
	b.Use(l, 5*mib)
	assert.True(t, told(b))
	b.Use(l, 2*mib)
	assert.False(t, told(b))
	b.Use(l, mib)
	assert.True(t, told(b))
	b.End(l)
	assert.True(t, told(b))
}

func TestTheLimitOfTheHeap(t *testing.T) {
	for name, c := range map[string]struct{ live, fixed, used, lent, user, want int64 }{
		"nothing lent: as without":           {live: 20, used: 100, user: math.MaxInt64 / mib, want: 56},
		"what is fixed makes no garbage":     {live: 20, fixed: 15, used: 100, user: math.MaxInt64 / mib, want: 41},
		"nothing has been collected yet":     {live: 0, fixed: 15, user: math.MaxInt64 / mib, want: 16},
		"what is lent comes on top":          {live: 20, used: 30, lent: 70, user: math.MaxInt64 / mib, want: 126},
		"the user's limit is of all":         {live: 20, used: 100, lent: 156, user: 200, want: 100},
		"what lives is never hunted":         {live: 60, used: 190, lent: 66, user: 200, want: 136},
		"the user's limit is never passed":   {live: 150, used: 190, lent: 66, user: 200, want: 200},
		"a user's limit that is far is none": {live: 20, used: 30, lent: 70, user: 10_000, want: 126},
	} {
		t.Run(name, func(t *testing.T) {
			user := c.user * mib
			if c.user == math.MaxInt64/mib {
				user = math.MaxInt64
			}
			assert.Equal(t, c.want*mib, loan.Limit(c.live*mib, loan.Sum{Loans: 1, Fixed: c.fixed * mib, Used: c.used * mib, Lent: c.lent * mib}, user))
		})
	}
}
