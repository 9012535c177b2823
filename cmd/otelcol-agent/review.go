package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/otelcol-agent/otelcol-agent/extension/review/web"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
)

// reviewAddress is where the pages are without another wish.
const reviewAddress = "127.0.0.1:4380"

// reviewCommand serves the pages over a store without a collector.
func reviewCommand() *cobra.Command {
	var dsn, listen string
	var agents bool
	cmd := &cobra.Command{
		Use:   "review",
		Short: "Serve the review pages over a store, without a collector",
		Long: "Serves the pages of the review extension over a store, read-only, on loopback,\n" +
			"until it is stopped. A collector with preset:agent serves the same at\n" +
			"http://127.0.0.1:4380 by itself. With --mcp an agent can ask the same, at /mcp, by\n" +
			"the Model Context Protocol.",
		Example: "  otelcol-agent review --store incident.db --listen 127.0.0.1:4381",
		RunE: func(cmd *cobra.Command, _ []string) error {
			host, _, err := net.SplitHostPort(listen)
			if ip := net.ParseIP(host); err != nil || host != "localhost" && (ip == nil || !ip.IsLoopback()) {
				return wrongUsage(cmd, errors.New("listen must be a loopback address with a port, like "+reviewAddress+": these pages ask nobody who they are; to serve others, run the review extension with tls and auth"))
			}
			// A store that is not there is told at once, not by the first page.
			reader, err := openReader(cmd.Context(), dsn)
			if err != nil {
				return err
			}
			if err := reader.Close(); err != nil {
				return err
			}
			h, err := web.New(web.Settings{
				Open: func(ctx context.Context) (evidence.Reader, error) { return openReader(ctx, dsn) },
				Now:  time.Now, Version: version, LocalOnly: true, MCP: agents,
			})
			if err != nil {
				return err
			}
			return errors.Join(serveUntil(cmd, listen, h), h.Close())
		},
	}
	cmd.Flags().StringVar(&dsn, "store", "", storeUsage)
	cmd.Flags().BoolVar(&agents, "mcp", false, "serve read-only tools for agents at /mcp")
	cmd.Flags().StringVar(&listen, "listen", reviewAddress, "loopback address to serve on")
	return cmd
}

// serveUntil serves until the command's context ends.
func serveUntil(cmd *cobra.Command, listen string, h http.Handler) error {
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return fmt.Errorf("%w; give another address with --listen", err)
	}
	s := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second, WriteTimeout: time.Minute, IdleTimeout: 2 * time.Minute}
	fmt.Fprintf(cmd.ErrOrStderr(), "review is at http://%s\n", l.Addr())
	stop := context.AfterFunc(cmd.Context(), func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if s.Shutdown(ctx) != nil {
			_ = s.Close()
		}
	})
	defer stop()
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
