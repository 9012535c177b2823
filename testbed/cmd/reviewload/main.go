// Command reviewload tells what reviewers cost a collector that stores spans: the
// real binary takes agent spans from senders that never pause, in turns alone and with
// reviewers who go from the list to a run and to the search, and think in between. It
// prints spans a second by the clock and of processor time, and how long reviewers wait.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/otelcol-agent/otelcol-agent/testbed/collector"
	"github.com/otelcol-agent/otelcol-agent/testbed/load"
)

type settings struct {
	binary, store              string
	reviewers, senders, rounds int
	turn, think                time.Duration
	server                     int            // process id of ClickHouse, 0 for none
	requests                   []load.Request // one a sender
}

func main() {
	var s settings
	flag.StringVar(&s.binary, "bin", "", "otelcol-agent")
	flag.StringVar(&s.store, "store", "", "file or DSN of the store; empty for a fresh SQLite file")
	flag.IntVar(&s.reviewers, "reviewers", 50, "reviewers at the same time")
	flag.IntVar(&s.senders, "senders", 2, "senders at the same time")
	flag.IntVar(&s.rounds, "rounds", 5, "rounds; each has a turn without reviewers and one with them")
	flag.DurationVar(&s.turn, "turn", 6*time.Second, "length of a turn")
	flag.DurationVar(&s.think, "think", time.Second, "how long a reviewer thinks between two pages, on average")
	flag.IntVar(&s.server, "server-pid", 0, "process of ClickHouse, whose processor time is counted")
	flag.Parse()
	if err := run(context.Background(), s); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, s settings) (err error) {
	home, err := os.MkdirTemp("", "reviewload-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(home)) }()
	for i := range s.senders { // none has the traces of another
		s.requests = append(s.requests, load.NewRequest(load.TailSpans(spansAtOnce, 3500, uint64(i*spansAtOnce))))
	}
	set := collector.Settings{Binary: s.binary, Home: home}
	if s.store != "" {
		set.Env = []string{"OTELCOL_AGENT_STORE=" + s.store}
	}
	p, err := collector.Start(ctx, set)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()
	if _, err := take(ctx, p, s, nil); err != nil { // warms up, and leaves something to look at
		return err
	}
	var alone, beside []turn
	crowd := newCrowd(p.Review, s)
	for range s.rounds {
		a, err := take(ctx, p, s, nil)
		if err != nil {
			return err
		}
		b, err := take(ctx, p, s, crowd)
		if err != nil {
			return err
		}
		alone, beside = append(alone, a), append(beside, b)
	}
	fmt.Println("| | spans/s | spans/s of a core | of the server's too |")
	fmt.Println("|---|---|---|---|")
	print := func(name string, turns []turn) turn {
		m := median(turns)
		fmt.Printf("| %s | %.0f | %.0f | %.0f |\n", name, m.clock, m.used, m.all)
		return m
	}
	a, b := print("no reviewers", alone), print(fmt.Sprintf("%d reviewers", s.reviewers), beside)
	fmt.Printf("| ratio | %.2f | %.2f | %.2f |\n\n", b.clock/a.clock, b.used/a.used, b.all/a.all)
	crowd.tell(time.Duration(s.rounds) * s.turn)
	// What they take is what a core does beside the spans of the same time.
	cores := func(all, alone float64) float64 { return b.clock/all - b.clock/alone }
	fmt.Printf("\nreviewers take %.3f of a core", cores(b.used, a.used))
	if s.server != 0 {
		fmt.Printf(", with the server %.3f", cores(b.all, a.all))
	}
	fmt.Println()
	return nil
}

// turn is what one turn gave, in spans a second.
type turn struct{ clock, used, all float64 }

func median(turns []turn) (m turn) {
	of := func(f func(turn) float64) float64 {
		var list []float64
		for _, t := range turns {
			list = append(list, f(t))
		}
		slices.Sort(list)
		return list[len(list)/2]
	}
	return turn{of(func(t turn) float64 { return t.clock }), of(func(t turn) float64 { return t.used }), of(func(t turn) float64 { return t.all })}
}

const spansAtOnce = 200

// take sends for the length of a turn.
func take(ctx context.Context, p *collector.Process, s settings, reviewers *crowd) (turn, error) {
	ctx, cancel := context.WithTimeout(ctx, s.turn)
	defer cancel()
	requests := s.requests
	used, server := cpu(p.PID()), cpu(s.server)
	begin := time.Now()
	var sent atomic.Int64
	var running sync.WaitGroup
	errs := make(chan error, s.senders)
	for i := range requests {
		running.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			for ctx.Err() == nil {
				requests[i].Renew()
				if err := load.Post(ctx, client, p.Endpoint, requests[i].Body); err == nil {
					sent.Add(spansAtOnce)
				} else if ctx.Err() == nil {
					errs <- err
					return
				}
			}
		})
	}
	if reviewers != nil {
		reviewers.review(ctx, &running)
	}
	running.Wait()
	took := time.Since(begin)
	n := float64(sent.Load())
	used, server = cpu(p.PID())-used, cpu(s.server)-server
	select {
	case err := <-errs:
		return turn{}, err
	default:
	}
	return turn{n / took.Seconds(), n / used.Seconds(), n / (used + server).Seconds()}, nil
}

func cpu(pid int) time.Duration {
	if pid == 0 {
		return 0
	}
	d, err := load.CPU(pid)
	if err != nil {
		log.Fatal(err)
	}
	return d
}
