package main

import (
	"context"
	"math"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-agent/otelcol-agent/internal/loan"
)

// limited waits until the limit of the heap is as it should be.
func limited(t *testing.T, ok func(limit int64) bool) {
	t.Helper()
	require.Eventually(t, func() bool { return ok(debug.SetMemoryLimit(-1)) }, 10*time.Second, 5*time.Millisecond)
}

// TestTheHeapBorrows: the limit follows what a component uses, and is what it was when
// there is no loan.
func TestTheHeapBorrows(t *testing.T) {
	t.Setenv("GOGC", "")
	book := loan.NewBook()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		borrow(ctx, book)
	}()
	const budget = 1 << 40 // more than any heap
	l := book.Lend(budget, 0)
	limited(t, func(limit int64) bool { return limit > budget && limit < budget+1<<36 })
	book.Use(l, budget)
	limited(t, func(limit int64) bool { return limit < 1<<36 })
	book.End(l)
	limited(t, func(limit int64) bool { return limit == math.MaxInt64 })
	cancel()
	<-done
}

// TestGOGCIsHeeded: whoever sets it decides alone.
func TestGOGCIsHeeded(t *testing.T) {
	t.Setenv("GOGC", "150")
	book := loan.NewBook()
	book.Lend(1<<40, 0)
	borrow(t.Context(), book) // returns at once
	require.EqualValues(t, math.MaxInt64, debug.SetMemoryLimit(-1))
}
