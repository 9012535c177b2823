// Command reviewbench times every page over a store: the real binary serves it,
// and each page is asked for cold, first thing of a fresh process, and warm, right
// after. It prints a table of milliseconds: by the clock over loopback, and of
// processor time. With -make it first writes a fleet of so many spans.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/clickhouse"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/sqlite"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/stopwatch"
	"github.com/otelcol-agent/otelcol-agent/testbed/load"
)

type settings struct {
	binary, store, only string
	spans               int
	server              int // process id of ClickHouse, 0 for none
	cold, warm          int
}

func main() {
	var s settings
	flag.StringVar(&s.binary, "bin", "", "otelcol-agent")
	flag.StringVar(&s.store, "store", "", "file or DSN of the store")
	flag.IntVar(&s.spans, "spans", 1_000_000, "spans that the store has")
	fill := flag.Bool("make", false, "write them first; the store must not be there")
	flag.IntVar(&s.server, "server-pid", 0, "process of ClickHouse, whose processor time is counted")
	flag.IntVar(&s.cold, "cold", 3, "fresh processes for each page; the least counts")
	flag.IntVar(&s.warm, "warm", 5, "requests after the first one; the least counts")
	flag.StringVar(&s.only, "only", "", "pages whose name holds this text")
	flag.Parse()
	if *fill {
		if err := makeStore(context.Background(), s); err != nil {
			log.Fatal(err)
		}
	}
	if err := table(s); err != nil {
		log.Fatal(err)
	}
}

func makeStore(ctx context.Context, s settings) (err error) {
	var w evidence.Writer
	if clickhouse.Owns(s.store) {
		folder, err := os.MkdirTemp("", "reviewbench-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(folder)
		w, err = clickhouse.Open(ctx, clickhouse.Settings{DSN: s.store, CreateSchema: true, Now: time.Now, KeyFile: folder + "/key"})
		if err != nil {
			return err
		}
	} else if w, err = sqlite.Open(s.store, sqlite.Settings{Now: time.Now}); err != nil {
		return err
	}
	begin := time.Now()
	n := 0
	for b := range stopwatch.Fleet(s.spans) {
		if _, err := w.Write(ctx, b); err != nil {
			return err
		}
		n += len(b.Spans)
	}
	fmt.Fprintf(os.Stderr, "%d spans written in %v\n", n, time.Since(begin).Round(time.Second))
	return w.Close()
}

// cost is what an answer took.
type cost struct{ clock, used, server time.Duration }

func (c *cost) least(d cost) {
	c.clock, c.used, c.server = min(c.clock, d.clock), min(c.used, d.used), min(c.server, d.server)
}

func table(s settings) error {
	jobs := stopwatch.Jobs(s.spans)
	deep := fmt.Sprintf("%x-0", stopwatch.Start(jobs/4).UnixNano()) // both engines read a place like that
	head := []string{"page", "goal", "cold", "processor", "warm", "processor", "KB"}
	if s.server != 0 {
		head = []string{"page", "goal", "cold", "processor", "of the server", "warm", "processor", "of the server", "KB"}
	}
	fmt.Println("| " + strings.Join(head, " | ") + " |")
	fmt.Println(strings.Repeat("|---", len(head)) + "|")
	for _, q := range stopwatch.Questions(jobs, deep) {
		if !strings.Contains(q.Name, s.only) {
			continue
		}
		const never = time.Hour
		cold, warm := cost{never, never, never}, cost{never, never, never}
		size := 0
		for range s.cold {
			p, err := serve(s)
			if err != nil {
				return err
			}
			err = p.ask(q.Path, s, &cold, &size)
			for i := 0; i < s.warm && err == nil; i++ {
				err = p.ask(q.Path, s, &warm, &size)
			}
			p.stop()
			if err != nil {
				return fmt.Errorf("%s: %w", q.Name, err)
			}
		}
		goal := "–"
		if q.Goal != 0 {
			goal = fmt.Sprint(q.Goal.Milliseconds())
		}
		row := []string{q.Name, goal, mark(cold.clock, q.Goal), ms(cold.used)}
		if s.server != 0 {
			row = append(row, ms(cold.server))
		}
		row = append(row, mark(warm.clock, q.Goal), ms(warm.used))
		if s.server != 0 {
			row = append(row, ms(warm.server))
		}
		fmt.Println("| " + strings.Join(append(row, fmt.Sprint(size/1000)), " | ") + " |")
	}
	return nil
}

func mark(d, goal time.Duration) string {
	if goal != 0 && d > goal {
		return "**" + ms(d) + "**"
	}
	return ms(d)
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f", d.Seconds()*1e3) }

func usedBy(pid int) time.Duration {
	if pid == 0 {
		return 0
	}
	used, err := load.Running(pid)
	if err != nil {
		log.Fatal(err)
	}
	return used
}
