// Command tailload compares what a span costs in collectors that sample by tail:
// OTLP/HTTP in, one of twenty runs out by OTLP/HTTP, one collector after the other
// on the same requests, each with GOMAXPROCS=1. A turn ends when everything is
// decided. It prints spans a second of the collector's processor time, and the most
// memory that it had; and what receiving alone costs, without a sampler and nothing out.
//
// With -budget it keeps one collector above its budget of memory instead, and prints
// what of the memory is the program's file and what is not.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/otelcol-agent/otelcol-agent/testbed/load"
)

// settings are the command line.
type settings struct {
	ours, before, stock    string
	only, pprof            string
	rounds, requests, size int
	budget, senders        int
	overload               time.Duration
}

func main() {
	var s settings
	flag.StringVar(&s.ours, "bin", "", "otelcol-agent")
	flag.StringVar(&s.before, "before", "", "an earlier otelcol-agent, to be compared too")
	flag.StringVar(&s.stock, "stock", "", "binary of ./cmd/stock")
	flag.StringVar(&s.only, "only", "", "only contenders with this in their name")
	flag.StringVar(&s.pprof, "pprof", "", "address on which the one contender, an otelcol-agent, answers for profiles")
	flag.IntVar(&s.rounds, "rounds", 3, "rounds; each contender has its turn in each")
	flag.IntVar(&s.requests, "requests", 300, "requests of 100 spans a turn")
	flag.IntVar(&s.size, "size", 3500, "bytes of a span, 400 or 3500")
	flag.IntVar(&s.budget, "budget", 0, "in place of the comparison: memory_mib of tailpolicy, with a decision_wait that only the budget ends")
	flag.IntVar(&s.senders, "senders", 8, "with -budget: how many send at a time")
	flag.DurationVar(&s.overload, "overload", time.Minute, "with -budget: for how long")
	flag.Parse()
	if err := run(&s); err != nil {
		log.Fatal(err)
	}
}

func run(s *settings) error {
	dir, err := os.MkdirTemp("", "tailload-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	contenders := comparison(s, dir)
	if s.budget > 0 {
		contenders = overloaded(s, dir)
	}
	contenders = slices.DeleteFunc(contenders, func(c *contender) bool { return c.binary == "" || !strings.Contains(c.name, s.only) })
	var out atomic.Int64
	next := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		out.Add(n)
	}))
	defer next.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer func() {
		cancel()
		for _, c := range contenders {
			c.Wait()
		}
	}()
	if s.budget > 0 {
		return overload(ctx, s, contenders, next.URL)
	}
	for _, c := range contenders {
		if err := c.start(ctx, next.URL, s.pprof); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return compare(ctx, s, contenders, &out)
}

func comparison(s *settings, dir string) []*contender {
	const wait, noLimbo = "decision_wait: 2s", ", limbo: {window: 0s}"
	storage := func(name string) string {
		return fmt.Sprintf(", storage: {directory: %q}", filepath.Join(dir, name))
	}
	return []*contender{
		{name: "stock, receive only", binary: s.stock},
		{name: "receive only", binary: s.ours},
		{name: "tail_sampling", binary: s.stock, processor: "tail_sampling", config: stockSampler},
		{name: "before: in memory", binary: s.before, processor: "tailpolicy", config: "{" + wait + "}"},
		{name: "tailpolicy, in memory", binary: s.ours, processor: "tailpolicy", config: "{" + wait + "}"},
		{name: "before: storage, no limbo", binary: s.before, processor: "tailpolicy", config: "{" + wait + noLimbo + storage("c") + "}"},
		{name: "tailpolicy, storage, no limbo", binary: s.ours, processor: "tailpolicy", config: "{" + wait + noLimbo + storage("a") + "}"},
		{name: "before: storage and limbo", binary: s.before, processor: "tailpolicy", config: "{" + wait + storage("d") + "}"},
		{name: "tailpolicy, storage and limbo", binary: s.ours, processor: "tailpolicy", config: "{" + wait + storage("b") + "}"},
	}
}

func bodies(size int) (out []load.Request) {
	for i := range uint64(20) {
		out = append(out, load.NewRequest(load.TailSpans(100, size, i*10)))
	}
	return out
}

func compare(ctx context.Context, s *settings, contenders []*contender, out *atomic.Int64) error {
	all := bodies(s.size)
	for round := range s.rounds + 1 {
		for _, c := range contenders {
			before := out.Load()
			rate, err := c.measure(ctx, all, s.requests)
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			if out.Load() == before && c.processor != "" {
				return fmt.Errorf("%s: nothing came out", c.name)
			}
			if round > 0 { // the first warms up
				c.rates = append(c.rates, rate)
			}
		}
	}
	fmt.Printf("| spans of %d bytes, OTLP/HTTP in and out | spans/s of one core: median | best | peak MiB |\n|---|---|---|---|\n", s.size)
	for _, c := range contenders {
		slices.Sort(c.rates)
		peak, err := load.Peak(c.PID)
		if err != nil {
			return err
		}
		fmt.Printf("| %s | %.0f | %.0f | %d |\n", c.name, c.rates[len(c.rates)/2], c.rates[len(c.rates)-1], peak>>20)
	}
	return nil
}
