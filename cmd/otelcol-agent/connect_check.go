package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/url"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/connect"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// watch is what to wait for.
type watch struct {
	agent    *semconv.Agent // nil for any
	endpoint string
	dsn      string
	timeout  time.Duration
	every    time.Duration // between two looks at the store
	now      func() time.Time
}

func (w watch) whom() string {
	if w.agent == nil {
		return "an agent"
	}
	return w.agent.Title
}

// waitFor waits until something of the agent is kept that came after it began. The
// store tells, so that what is said to have arrived is there for a review.
func waitFor(ctx context.Context, w watch, out, hints io.Writer) error {
	dialect := ""
	if w.agent != nil {
		switch dialect = w.agent.Dialect(); {
		case dialect == "":
			return fmt.Errorf("nothing of %s can arrive: %s", w.agent.Title, w.agent.Instead)
		case w.agent.Unseen:
			return fmt.Errorf("%s sends %s, which are not kept: nothing shows that they arrived", w.agent.Title, w.agent.Sends)
		}
	}
	if err := listens(ctx, w.endpoint); err != nil {
		return err
	}
	began := w.now()
	fmt.Fprintf(hints, "waiting for %s, at most %v; use it now\n", w.whom(), w.timeout)
	ctx, cancel := context.WithTimeout(ctx, w.timeout)
	defer cancel()
	tick := time.NewTicker(w.every)
	defer tick.Stop()
	var all []connect.Arrival
	var problem error
	for {
		seen, err := arrivals(ctx, w.dsn, began)
		if err == nil {
			all, problem = seen, nil
		} else if ctx.Err() == nil {
			problem = err
		}
		if found := connect.Of(all, dialect); len(found) > 0 {
			for _, a := range found {
				fmt.Fprintf(out, "arrived: %s\n", a)
			}
			if trace := found[0].Trace; trace != (evidence.TraceID{}) {
				fmt.Fprintf(out, "look at it: %s task %s\n", name, trace)
			}
			return nil
		}
		select {
		case <-tick.C:
			continue
		case <-ctx.Done():
		}
		if context.Cause(ctx) == context.Canceled {
			return ctx.Err()
		}
		for _, a := range all {
			fmt.Fprintf(hints, "arrived of others: %s\n", a)
		}
		if problem != nil {
			return fmt.Errorf("nothing of %s arrived within %v: %w", w.whom(), w.timeout, problem)
		}
		return fmt.Errorf("nothing of %s arrived within %v; was it started with these settings, and asked something?", w.whom(), w.timeout)
	}
}

// listens reports whether a server is at the endpoint.
func listens(ctx context.Context, endpoint string) error {
	u, err := url.Parse(endpoint)
	if err != nil {
		return err
	}
	address := u.Host
	if u.Port() == "" {
		address = net.JoinHostPort(u.Hostname(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
	}
	dialer := net.Dialer{Timeout: 5 * time.Second}
	c, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("no collector listens at %s: start %s, or name another --endpoint", address, name)
	}
	return c.Close()
}

// arrivals looks into the store, which a collector makes when it starts.
func arrivals(ctx context.Context, dsn string, since time.Time) ([]connect.Arrival, error) {
	reader, err := openReader(ctx, dsn)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	var runs []evidence.Run
	err = reader.Recent(ctx, evidence.Query{AllTenants: true, Since: since}, func(run evidence.Run) bool {
		runs = append(runs, run)
		return len(runs) < 100
	})
	return connect.Arrivals(runs, since.UnixNano()), err
}
