// Command redactload compares what a redacted span costs: OTLP/HTTP in, a
// redactor, nothing out, one collector after the other on the same input, each
// with GOMAXPROCS=1. It prints spans a second of the collector's processor time.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/otelcol-agent/otelcol-agent/testbed/load"
)

// patterns are fifteen expressions as people write them for the stock processor.
var patterns = []string{
	`AKIA[0-9A-Z]{16}`, `ghp_[A-Za-z0-9]{36}`, `sk-[A-Za-z0-9_-]{20,}`, `xox[baprs]-[A-Za-z0-9-]{10,}`, `AIza[0-9A-Za-z_-]{35}`,
	`eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`, `-----BEGIN [A-Z ]*PRIVATE KEY-----`, `glpat-[A-Za-z0-9_-]{20}`,
	`(?i)bearer [a-z0-9._~+/-]{16,}`, `(?i)password\s*[=:]\s*\S+`, `[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}`,
	`\b4[0-9]{12}(?:[0-9]{3})?\b`, `\b[0-9]{3}-[0-9]{2}-[0-9]{4}\b`, `\b[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}\b`, `\+[1-9][0-9]{9,14}\b`,
}

const digestKey = "digest_key: a key that only this run uses"

type contender struct {
	name, binary, processor, config string

	*load.Collector
	rates []float64
}

func main() {
	ours := flag.String("bin", "", "otelcol-agent")
	stock := flag.String("stock", "", "binary of ./cmd/stock")
	rounds := flag.Int("rounds", 5, "rounds; each contender has its turn in each")
	seconds := flag.Float64("seconds", 2, "processor time a turn")
	flag.Parse()
	if err := run(*ours, *stock, *rounds, time.Duration(*seconds*float64(time.Second))); err != nil {
		log.Fatal(err)
	}
}

func run(ours, stock string, rounds int, turn time.Duration) error {
	var blocked strings.Builder
	for _, p := range patterns {
		fmt.Fprintf(&blocked, "    - '%s'\n", p)
	}
	contenders := []*contender{
		{name: "no redactor, stock binary", binary: stock},
		{name: "no redactor", binary: ours},
		{name: "stock redaction, 15 expressions", binary: stock, processor: "redaction", config: "    allow_all_keys: true\n    blocked_values:\n" + blocked.String()},
		{name: "content: keep, unknown: keep", binary: ours, processor: "redactor", config: "    " + digestKey + "\n    content: keep\n    attributes: {unknown: keep}\n    person_ids: keep\n"},
		{name: "content: keep", binary: ours, processor: "redactor", config: "    " + digestKey + "\n    content: keep\n"},
		{name: "content: digest (default)", binary: ours, processor: "redactor", config: "    " + digestKey + "\n"},
		{name: "default, trace_context: restart", binary: ours, processor: "redactor", config: "    " + digestKey + "\n    trace_context: restart\n"},
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer func() {
		cancel()
		for _, c := range contenders {
			c.Wait()
		}
	}()
	for _, c := range contenders {
		if err := c.start(ctx); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	var bodies [][]byte
	for seed := range uint64(20) {
		bodies = append(bodies, load.AgentSpans(100, seed))
	}
	for round := range rounds + 1 {
		for _, c := range contenders {
			rate, err := c.measure(ctx, bodies, turn)
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			if round > 0 { // the first warms up
				c.rates = append(c.rates, rate)
			}
		}
	}
	fmt.Printf("| %s | spans/s of one core: median | best |\n|---|---|---|\n", "agent spans of 3.5 KB, OTLP/HTTP in, nop out")
	for _, c := range contenders {
		slices.Sort(c.rates)
		fmt.Printf("| %s | %.0f | %.0f |\n", c.name, c.rates[len(c.rates)/2], c.rates[len(c.rates)-1])
	}
	return nil
}

// start runs the collector until ctx ends and waits until it takes requests.
func (c *contender) start(ctx context.Context) (err error) {
	c.Collector, err = load.Start(ctx, c.binary, c.collector)
	return err
}

// collector is the configuration.
func (c *contender) collector(address string) string {
	processors, declared := "[]", ""
	if c.processor != "" {
		processors, declared = "["+c.processor+"]", "processors:\n  "+c.processor+":\n"+c.config
	}
	return "receivers: {otlp: {protocols: {http: {endpoint: " + address + "}}}}\nexporters: {nop: }\n" + declared +
		"service:\n  telemetry: {metrics: {level: none, readers: []}, logs: {level: error}}\n  pipelines: {traces: {receivers: [otlp], processors: " + processors + ", exporters: [nop]}}\n"
}

// measure sends until the collector has used the processor for as long as turn.
func (c *contender) measure(ctx context.Context, bodies [][]byte, turn time.Duration) (float64, error) {
	before, err := load.CPU(c.PID)
	if err != nil {
		return 0, err
	}
	for n := 0; ; n++ {
		if err := load.Post(ctx, http.DefaultClient, c.Endpoint, bodies[n%len(bodies)]); err != nil {
			return 0, err
		}
		now, err := load.CPU(c.PID)
		if err != nil {
			return 0, err
		}
		if used := now - before; used >= turn {
			return float64((n+1)*100) / used.Seconds(), nil
		}
	}
}
