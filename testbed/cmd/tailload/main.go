// Command tailload compares what a span costs in collectors that sample by tail:
// OTLP/HTTP in, one of twenty runs out by OTLP/HTTP, one collector after the other
// on the same requests, each with GOMAXPROCS=1. A turn ends when everything is
// decided. It prints spans a second of the collector's processor time, and the most
// memory that it had.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/otelcol-agent/otelcol-agent/testbed/load"
)

const stockSampler = `{decision_wait: 2s, num_traces: 1000000, policies: [
  {name: error, type: status_code, status_code: {status_codes: [ERROR]}},
  {name: denial, type: string_attribute, string_attribute: {key: app.permission.decision, values: [deny, abort]}},
  {name: share, type: probabilistic, probabilistic: {sampling_percentage: 5}}]}`

type contender struct {
	name, binary, processor, config string

	endpoint string
	pid      int
	wait     func() error
	rates    []float64
}

func main() {
	ours := flag.String("bin", "", "otelcol-agent")
	stock := flag.String("stock", "", "binary of ./cmd/stock")
	rounds := flag.Int("rounds", 3, "rounds; each contender has its turn in each")
	requests := flag.Int("requests", 300, "requests of 100 spans a turn")
	size := flag.Int("size", 3500, "bytes of a span, 400 or 3500")
	budget := flag.Int("budget", 0, "in place of the comparison: memory_mib of tailpolicy, with a decision_wait that only the budget ends")
	flag.Parse()
	if err := run(*ours, *stock, *rounds, *requests, *size, *budget); err != nil {
		log.Fatal(err)
	}
}

func run(ours, stock string, rounds, requests, size, budget int) error {
	dir, err := os.MkdirTemp("", "tailload-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	storage := func(name string) string {
		return fmt.Sprintf("storage: {directory: %q}", filepath.Join(dir, name))
	}
	contenders := []*contender{
		{name: "tail_sampling", binary: stock, processor: "tail_sampling", config: stockSampler},
		{name: "tailpolicy, in memory", binary: ours, processor: "tailpolicy", config: "{decision_wait: 2s}"},
		{name: "tailpolicy, storage, no limbo", binary: ours, processor: "tailpolicy", config: "{decision_wait: 2s, limbo: {window: 0s}, " + storage("a") + "}"},
		{name: "tailpolicy, storage and limbo", binary: ours, processor: "tailpolicy", config: "{decision_wait: 2s, " + storage("b") + "}"},
	}
	if budget > 0 {
		contenders = []*contender{
			{name: "in memory", binary: ours, processor: "tailpolicy", config: fmt.Sprintf("{decision_wait: 1h, max_wait: 1h, memory_mib: %d}", budget)},
			{name: "storage", binary: ours, processor: "tailpolicy", config: fmt.Sprintf("{decision_wait: 1h, max_wait: 1h, memory_mib: %d, %s}", budget, storage("c"))},
		}
	}
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
			if c.wait != nil {
				_ = c.wait() // it was killed
			}
		}
	}()
	for _, c := range contenders {
		if err := c.start(ctx, next.URL); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	var bodies []load.Request
	for i := range uint64(20) {
		bodies = append(bodies, load.NewRequest(load.TailSpans(100, size, i*10)))
	}
	for round := range rounds + 1 {
		for _, c := range contenders {
			before := out.Load()
			rate, err := c.measure(ctx, bodies, requests)
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			if out.Load() == before && budget == 0 {
				return fmt.Errorf("%s: nothing came out", c.name)
			}
			if round > 0 { // the first warms up
				c.rates = append(c.rates, rate)
			}
		}
	}
	fmt.Printf("| spans of %d bytes, OTLP/HTTP in and out | spans/s of one core: median | best | peak MiB |\n|---|---|---|---|\n", size)
	for _, c := range contenders {
		slices.Sort(c.rates)
		peak, err := load.Peak(c.pid)
		if err != nil {
			return err
		}
		fmt.Printf("| %s | %.0f | %.0f | %d |\n", c.name, c.rates[len(c.rates)/2], c.rates[len(c.rates)-1], peak>>20)
	}
	return nil
}

// start runs the collector until ctx ends and waits until it takes requests.
func (c *contender) start(ctx context.Context, next string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		return err
	}
	config := "receivers: {otlp: {protocols: {http: {endpoint: " + address + "}}}}\n" +
		"exporters: {otlp_http: {endpoint: '" + next + "', compression: none}}\n" +
		"processors:\n  " + c.processor + ": " + c.config + "\n" +
		"service:\n  telemetry: {metrics: {level: none, readers: []}, logs: {level: error}}\n" +
		"  pipelines: {traces: {receivers: [otlp], processors: [" + c.processor + "], exporters: [otlp_http]}}\n"
	cmd := exec.CommandContext(ctx, c.binary, "--config=yaml:"+config) // #nosec G204 -- binaries that the caller names
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	c.endpoint, c.pid, c.wait = "http://"+address, cmd.Process.Pid, cmd.Wait
	for range 200 {
		if err = load.Post(ctx, http.DefaultClient, c.endpoint, nil); err == nil {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return err
}

// measure sends requests with new traces and waits until all of them are decided.
func (c *contender) measure(ctx context.Context, bodies []load.Request, requests int) (float64, error) {
	before, err := load.CPU(c.pid)
	if err != nil {
		return 0, err
	}
	for n := range requests {
		r := &bodies[n%len(bodies)]
		r.Renew()
		if err := load.Post(ctx, http.DefaultClient, c.endpoint, r.Body); err != nil {
			return 0, err
		}
	}
	time.Sleep(4 * time.Second)
	after, err := load.CPU(c.pid)
	return float64(requests*100) / (after - before).Seconds(), err
}
