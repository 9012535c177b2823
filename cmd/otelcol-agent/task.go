package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/listing"
)

// uncut is a width that no line reaches: a file or a pipe gets all of it.
const uncut = 1 << 16

// taskCommand prints the review of one run.
func taskCommand() *cobra.Command {
	var dsn, tenant, format string
	cmd := &cobra.Command{
		Use:   "task ID",
		Short: "Review one task: what happened, what is proved, what went wrong first",
		Long: "Prints the review of the run that holds a task or a trace. ID is a task id, a\n" +
			"trace id, or the first six or more digits of a trace id. It works beside a\n" +
			"running collector. Times are UTC.",
		Example: "  otelcol-agent task t-deploy --format json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkFormat(cmd, format); err != nil {
				return err
			}
			reader, err := openReader(cmd.Context(), dsn)
			if err != nil {
				return err
			}
			defer reader.Close()
			run, err := reader.Find(cmd.Context(), tenant, args[0])
			if errors.Is(err, evidence.ErrNotFound) {
				return fmt.Errorf("%s; `%s tasks` lists what is there", listing.Inert(err.Error()), name)
			}
			if err != nil {
				return err
			}
			report := evidence.NewReport(run, evidence.TaskID(args[0]))
			if format == "json" {
				return listing.WriteJSON(cmd.OutOrStdout(), report)
			}
			out := cmd.OutOrStdout()
			return evidence.WriteText(out, run, report, evidence.TextOptions{Color: color(out, os.Getenv), Width: cmp.Or(terminalWidth(out), uncut)})
		},
	}
	addCommon(cmd, &dsn, &format)
	cmd.Flags().StringVar(&tenant, "tenant", "", "tenant that the task belongs to")
	return cmd
}
