// Command replay posts OTLP/JSON files, or every one of a folder in the order of
// names, to a collector.
//
//	go run ./cmd/replay --endpoint http://127.0.0.1:4318 ../examples/deploy-incident/input
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/otelcol-agent/otelcol-agent/testbed/replay"
)

func main() {
	endpoint := flag.String("endpoint", "http://127.0.0.1:4318", "OTLP/HTTP address of the collector")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "replay: name a file or a folder")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *endpoint, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "replay:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, endpoint string, paths []string) error {
	for _, path := range paths {
		requests, err := replay.Read(path)
		if err != nil {
			return err
		}
		if err := replay.SendAll(ctx, endpoint, requests); err != nil {
			return err
		}
		fmt.Printf("%s: %d requests accepted\n", path, len(requests))
	}
	return nil
}
