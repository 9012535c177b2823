// Command demo plays an example into a collector of its own and prints the
// review of it: it starts the binary on free ports with a store in a temporary
// folder, posts the example's requests, asks for the review, and stops the
// collector. The store is kept, so that the commands it prints can be pasted.
//
//	go run ./cmd/demo -bin ../bin/otelcol-agent -example ../examples/deploy-incident
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/otelcol-agent/otelcol-agent/testbed/collector"
	"github.com/otelcol-agent/otelcol-agent/testbed/example"
)

func main() {
	folder := flag.String("example", "../examples/deploy-incident", "folder of the example")
	bin := flag.String("bin", "", "binary to run (default: $OTELCOL_AGENT_BIN, else one built from the repository)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	if err := run(ctx, os.Stdout, *folder, *bin); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer, folder, bin string) (err error) {
	ex, err := example.Read(folder)
	if err != nil {
		return err
	}
	home, err := os.MkdirTemp("", "otelcol-agent-demo-")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(home)
		}
	}()
	if bin == "" {
		built, madeErr := os.MkdirTemp("", "otelcol-agent-build-")
		if madeErr != nil {
			return madeErr
		}
		defer os.RemoveAll(built)
		bin, err = collector.Build(ctx, "..", built)
	} else {
		bin, err = filepath.Abs(bin)
	}
	if err != nil {
		return err
	}
	store := filepath.Join(home, "evidence.db")
	set := collector.Settings{Binary: bin, Home: home, Args: ex.Args(), Env: []string{"OTELCOL_AGENT_STORE=" + store}}
	p, err := collector.Start(ctx, set)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()
	if err := ex.Play(ctx, p.Endpoint); err != nil {
		return err
	}
	fmt.Fprintf(w, "%d requests of %s accepted at %s\n\n", len(ex.Requests), folder, p.Endpoint)
	for _, args := range [][]string{{"tasks", "--store", store}, {"task", ex.Task, "--store", store}} {
		fmt.Fprintf(w, "$ otelcol-agent %s\n", joined(args))
		out, err := collector.Run(ctx, set, args...)
		if err != nil {
			return err
		}
		if out.Code != 0 {
			return fmt.Errorf("%s: exit code %d: %s", joined(args), out.Code, out.Stderr)
		}
		fmt.Fprintln(w, out.Stdout)
	}
	fmt.Fprintf(w, "Look at it in a browser: otelcol-agent review --store %s\n", store)
	fmt.Fprintf(w, "The store is kept; remove it with: rm -r %s\n", home)
	return nil
}

func joined(args []string) string {
	text := args[0]
	for _, a := range args[1:] {
		text += " " + a
	}
	return text
}
