package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/otelcol-agent/otelcol-agent/internal/connect"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/listing"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// watch is what to wait for.
type watch struct {
	agent   *semconv.Agent // nil for any
	target  connect.Target
	dsn     string
	timeout time.Duration
	every   time.Duration // between two looks at the store
	now     func() time.Time
	format  string // text or json
}

func (w watch) whom() string {
	if w.agent == nil {
		return "an agent"
	}
	return w.agent.Title
}

// dialect is that of the agent, "" for any. An agent of which nothing can be seen is an
// error.
func (w watch) dialect() (string, error) {
	switch {
	case w.agent == nil:
		return "", nil
	case w.agent.Dialect() == "":
		return "", fmt.Errorf("nothing of %s can arrive: %s", w.agent.Title, w.agent.Instead)
	case w.agent.Unseen:
		return "", fmt.Errorf("%s sends %s, which are not kept: nothing shows that they arrived", w.agent.Title, w.agent.Sends)
	}
	return w.agent.Dialect(), nil
}

// waitFor waits until something of the agent is kept that came after it began. The
// store tells, so that what is said to have arrived is there for a review.
func waitFor(ctx context.Context, w watch, out, hints io.Writer) error {
	dialect, err := w.dialect()
	if err != nil {
		return err
	}
	if err := probe(ctx, w.target); err != nil {
		return err
	}
	began := w.now()
	fmt.Fprintf(hints, "waiting for %s, at most %v; use it now, what it sends shows within half a minute\n", w.whom(), w.timeout)
	waiting, cancel := context.WithTimeout(ctx, w.timeout)
	defer cancel()
	tick := time.NewTicker(w.every)
	defer tick.Stop()
	var all []connect.Arrival
	var problem error
	for {
		seen, err := arrivals(waiting, w.dsn, began)
		if err == nil {
			all, problem = seen, nil
		} else if waiting.Err() == nil {
			problem = err
		}
		if found := connect.From(all, dialect); len(found) > 0 {
			return w.tell(out, hints, found, all)
		}
		select {
		case <-tick.C:
		case <-waiting.Done():
			if err := w.tell(out, hints, nil, all); err != nil {
				return err
			}
			if ctx.Err() != nil {
				return fmt.Errorf("interrupted: nothing of %s had arrived", w.whom())
			}
			return w.nothing(problem, w.before(ctx, dialect, began))
		}
	}
}

// before finds what of the agent is kept from the hour before the check began.
func (w watch) before(ctx context.Context, dialect string, began time.Time) []connect.Arrival {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	all, _ := arrivals(ctx, w.dsn, began.Add(-time.Hour)) // a hint: without it the answer stands
	return connect.From(all, dialect)
}

// tell says what was found. A program reads an empty list where nothing was; what came
// of others is a hint to a person.
func (w watch) tell(out, hints io.Writer, found, all []connect.Arrival) error {
	if w.format == "json" {
		return listing.WriteJSON(out, append([]connect.Arrival{}, found...))
	}
	if len(found) == 0 {
		for _, a := range all {
			fmt.Fprintf(hints, "arrived of others: %s\n", a)
		}
		return nil
	}
	for _, a := range found {
		fmt.Fprintf(out, "arrived: %s\n", a)
	}
	if trace := found[0].Trace; trace != (evidence.TraceID{}) {
		fmt.Fprintf(out, "look at it: %s task %s\n", name, trace)
	}
	return nil
}

// nothing says that nothing arrived and where to look for why.
func (w watch) nothing(problem error, earlier []connect.Arrival) error {
	if problem != nil {
		return fmt.Errorf("nothing of %s arrived within %v: %w", w.whom(), w.timeout, problem)
	}
	if len(earlier) > 0 {
		return fmt.Errorf("nothing of %s arrived within %v; what came before does not count: %s. Ask it something while this waits", w.whom(), w.timeout, earlier[0])
	}
	advice := "was it started with these settings, and asked something?"
	if w.agent != nil && len(w.agent.Journals) > 0 {
		advice += " For its journal the collector must run with --config preset:journals/" + strings.Join(w.agent.Journals, " or preset:journals/") + "."
	}
	if path, err := storePath(w.dsn, os.Getenv); err == nil {
		advice += fmt.Sprintf(" Is %s the store of the collector at %s (else --store, --endpoint)?", path, w.target.Endpoint)
	}
	return fmt.Errorf("nothing of %s arrived within %v; %s", w.whom(), w.timeout, advice)
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
