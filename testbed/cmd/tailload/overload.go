package main

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/otelcol-agent/otelcol-agent/testbed/load"
)

// overloaded have exporters without a queue: that would be memory beside the budget.
func overloaded(s *settings, dir string) []*contender {
	config := fmt.Sprintf("{decision_wait: 1h, max_wait: 1h, memory_mib: %d", s.budget)
	return []*contender{
		{name: "before: in memory", binary: s.before, processor: "tailpolicy", config: config + "}", unqueued: true},
		{name: "tailpolicy, in memory", binary: s.ours, processor: "tailpolicy", config: config + "}", unqueued: true},
		{name: "before: storage", binary: s.before, processor: "tailpolicy", config: fmt.Sprintf("%s, storage: {directory: %q}}", config, filepath.Join(dir, "d")), unqueued: true},
		{name: "tailpolicy, storage", binary: s.ours, processor: "tailpolicy", config: fmt.Sprintf("%s, storage: {directory: %q}}", config, filepath.Join(dir, "b")), unqueued: true},
	}
}

// overload has one contender after the other take as much as it can, for a while.
func overload(ctx context.Context, s *settings, contenders []*contender, next string) error {
	fmt.Printf("| memory_mib: %d, %d senders for %s | MiB sent | refused | peak MiB | of these not the program's file | times the budget |\n|---|---|---|---|---|---|\n", s.budget, s.senders, s.overload)
	for _, c := range contenders {
		if err := c.start(ctx, next, s.pprof); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		var sent, refused atomic.Int64
		until, cancel := context.WithTimeout(ctx, s.overload)
		var wg sync.WaitGroup
		for range s.senders {
			wg.Go(func() {
				all := bodies(s.size)
				for n := 0; until.Err() == nil; n++ {
					r := &all[n%len(all)]
					r.RenewApart()
					if load.Post(ctx, http.DefaultClient, c.Endpoint, r.Body) != nil {
						refused.Add(1)
						continue
					}
					sent.Add(int64(len(r.Body)))
				}
			})
		}
		own, err := load.WatchAnonymous(until, c.PID)
		wg.Wait()
		cancel()
		if err != nil {
			return err
		}
		peak, err := load.Peak(c.PID)
		if err != nil {
			return err
		}
		fmt.Printf("| %s | %d | %d | %d | %d | %.2f |\n", c.name, sent.Load()>>20, refused.Load(), peak>>20, own>>20, float64(peak>>20)/float64(s.budget))
	}
	return nil
}
