package main

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/loan"
)

const (
	// borrowedPercent is how much garbage, of what lives, is collected at the latest
	// while there is a loan.
	borrowedPercent = 400
	plainPercent    = 100
	borrowEvery     = time.Second
	// borrowStep is a change that is worth stopping the world for a moment.
	borrowStep = 2 << 20
)

// borrow lets garbage have the memory that components were given and do not use, until
// ctx ends. Whoever sets GOGC decides alone; GOMEMLIMIT is then the limit of the heap and
// of what components have outside of it.
func borrow(ctx context.Context, book *loan.Book) {
	if os.Getenv("GOGC") != "" {
		return
	}
	user := debug.SetMemoryLimit(-1)
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	percent, limit := plainPercent, user
	ticker := time.NewTicker(borrowEvery)
	defer ticker.Stop()
	for {
		sum := book.Sum()
		wantPercent, want := plainPercent, user
		if sum.Loans > 0 {
			metrics.Read(live)
			wantPercent, want = borrowedPercent, loan.Limit(int64(live[0].Value.Uint64()), sum, user)
		}
		if wantPercent != percent {
			percent = wantPercent
			debug.SetGCPercent(percent)
		}
		if d := want - limit; d > borrowStep || d < -borrowStep {
			limit = want
			debug.SetMemoryLimit(limit)
		}
		select {
		case <-ctx.Done():
			return
		case <-book.Changed():
		case <-ticker.C:
		}
	}
}
