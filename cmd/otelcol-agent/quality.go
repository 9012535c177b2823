package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/listing"
	"github.com/otelcol-agent/otelcol-agent/internal/quality"
)

// qualityCommand says how much of its runs each service lets a reviewer explain.
func qualityCommand() *cobra.Command {
	var dsn, format, tenant, since string
	var limit int
	cmd := &cobra.Command{
		Use:   "quality",
		Short: "Share of the ten review questions that each service answers, and what to instrument next",
		Long: "Asks the ten questions of an incident reviewer of the newest runs and shows, by\n" +
			"service, how many the evidence answers, which attributes would help most, and a\n" +
			"line for each to paste. It works beside a running collector.",
		Example: "  otelcol-agent quality --since 7d",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkFormat(cmd, format, "text", "json", "markdown"); err != nil {
				return err
			}
			if limit < 1 {
				return wrongUsage(cmd, fmt.Errorf("limit must be at least 1, found %d", limit))
			}
			from, err := listing.ParseSince(since, time.Now())
			if err != nil {
				return wrongUsage(cmd, err)
			}
			reader, err := openReader(cmd.Context(), dsn)
			if err != nil {
				return err
			}
			defer reader.Close()
			var meter quality.Meter
			runs := 0
			q := tenantOf(cmd, tenant)
			q.Since = from
			err = reader.Recent(cmd.Context(), q, func(run evidence.Run) bool {
				meter.Add(run)
				runs++
				return runs < limit
			})
			if err != nil {
				return err
			}
			all := meter.Services()
			switch {
			case format == "json":
				return listing.WriteJSON(cmd.OutOrStdout(), all)
			case len(all) == 0:
				fmt.Fprintln(cmd.ErrOrStderr(), "no runs; point an agent at the collector or widen the filters")
				return nil
			case format == "markdown":
				return quality.WriteMarkdown(cmd.OutOrStdout(), all)
			}
			return quality.WriteText(cmd.OutOrStdout(), all)
		},
	}
	addCommon(cmd, &dsn, &format, "text", "json", "markdown")
	cmd.Flags().StringVar(&tenant, "tenant", "", "only this tenant (default all)")
	cmd.Flags().StringVar(&since, "since", "", "only runs active since: 24h, 7d, a date or an RFC 3339 time")
	cmd.Flags().IntVar(&limit, "limit", 1000, "at most this many runs, the newest")
	return cmd
}
