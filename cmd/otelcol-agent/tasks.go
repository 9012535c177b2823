package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/listing"
	"github.com/otelcol-agent/otelcol-agent/internal/review"
)

// tasksCommand lists runs, newest first.
func tasksCommand() *cobra.Command {
	var dsn, tenant, since, format string
	terms := map[evidence.TermKind]*string{}
	var filter listing.Filter
	var limit int
	cmd := &cobra.Command{
		Use:   "tasks",
		Short: "List tasks, newest first",
		Long: "Lists tasks, and runs that name no task, newest first. The id of a line is what\n" +
			"the task command takes. It works beside a running collector. Times are UTC.",
		Example: "  otelcol-agent tasks --since 24h --class unknown_effect",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkFormat(cmd, format); err != nil {
				return err
			}
			if limit < 1 {
				return wrongUsage(cmd, fmt.Errorf("limit must be at least 1, found %d", limit))
			}
			if err := filter.Validate(); err != nil {
				return wrongUsage(cmd, err)
			}
			from, err := listing.ParseSince(since, time.Now())
			if err != nil {
				return wrongUsage(cmd, err)
			}
			query := tenantOf(cmd, tenant)
			query.Since = from
			var stated []evidence.Term
			for _, kind := range evidence.TermKinds() {
				if text := *terms[kind]; text != "" {
					stated = append(stated, evidence.Term{Kind: kind, Text: text})
				}
			}
			rows, err := list(cmd.Context(), dsn, query, stated, filter, limit)
			if err != nil {
				return err
			}
			return writeTasks(cmd.OutOrStdout(), cmd.ErrOrStderr(), rows, format)
		},
	}
	flags := cmd.Flags()
	addCommon(cmd, &dsn, &format)
	flags.StringVar(&tenant, "tenant", "", "only this tenant (default all)")
	flags.StringVar(&since, "since", "", "only what was active since: 24h, 7d, a date or an RFC 3339 time")
	flags.StringVar(&filter.Class, "class", "", "only runs of this keep class: "+strings.Join(evidence.Classes(), ", "))
	flags.StringVar(&filter.Outcome, "outcome", "", "only this outcome: "+strings.Join(listing.Outcomes(), ", "))
	for _, kind := range evidence.TermKinds() {
		terms[kind] = flags.String(strings.ReplaceAll(string(kind), "_", "-"), "", "only runs that state this "+kind.Described())
	}
	flags.IntVar(&limit, "limit", 50, "at most this many")
	return cmd
}

func list(ctx context.Context, dsn string, q evidence.Query, stated []evidence.Term, filter listing.Filter, limit int) ([]review.Row, error) {
	reader, err := openReader(ctx, dsn)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	var rows []review.Row
	page := evidence.PageQuery{Query: q}
	if len(stated) > 0 {
		page.Term = stated[0]
	}
	err = reader.Page(ctx, page, func(run evidence.Run, _ evidence.Place) bool {
		for _, t := range stated {
			if !run.States(t) {
				return true
			}
		}
		if row := review.RowOf(evidence.Read(run)); filter.Match(row.Row) {
			row.Find(&run, page.Term)
			rows = append(rows, row)
		}
		return len(rows) < limit
	})
	return rows, err
}

func writeTasks(out, hints io.Writer, rows []review.Row, format string) error {
	if format == "json" {
		return listing.WriteJSON(out, rows)
	}
	if len(rows) == 0 {
		fmt.Fprintln(hints, "no tasks; point an agent at the collector or widen the filters; a turn that is told in events alone takes 15 s, at a gateway 30 s")
		return nil
	}
	lines := make([]listing.Row, len(rows))
	for i := range rows {
		lines[i] = rows[i].Row
	}
	return listing.WriteText(out, lines, listing.TextOptions{Width: terminalWidth(out), Color: color(out, os.Getenv)})
}
