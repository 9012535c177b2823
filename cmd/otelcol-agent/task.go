package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/listing"
	"github.com/otelcol-agent/otelcol-agent/internal/review"
)

// uncut is a width that no line reaches: a file or a pipe gets all of it.
const uncut = 1 << 16

// taskCommand prints the review of one run.
func taskCommand() *cobra.Command {
	var dsn, tenant, format, compare string
	cmd := &cobra.Command{
		Use:   "task ID",
		Short: "Review one task: what happened, what is proved, what went wrong first",
		Long: "Prints the review of the run that holds a task or a trace. ID is a task id, a\n" +
			"trace id, or the first six or more digits of a trace id. It works beside a\n" +
			"running collector. Times are UTC.\n\n" +
			"With --compare it puts two attempts side by side. An attempt is a number, of the\n" +
			"task; or an effect id, a colon and a number, of that effect.",
		Example: "  otelcol-agent task t-deploy --format markdown\n" +
			"  otelcol-agent task t-deploy --compare 1 2\n" +
			"  otelcol-agent task t-deploy --compare push-7:1 push-7:2",
		Args: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("compare") {
				if len(args) != 2 {
					return fmt.Errorf("compare needs a task and two attempts: task ID --compare ATTEMPT ATTEMPT")
				}
				return nil
			}
			return cobra.ExactArgs(1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkFormat(cmd, format, "text", "json", "markdown"); err != nil {
				return err
			}
			reader, err := openReader(cmd.Context(), dsn)
			if err != nil {
				return err
			}
			defer reader.Close()
			if len(args) == 2 && evidence.IsAttempt(args[0]) && !evidence.IsAttempt(args[1]) {
				args[0], args[1] = args[1], args[0] // task --compare ATTEMPT ATTEMPT ID
			}
			run, err := review.Find(cmd.Context(), reader, tenantOf(cmd, tenant), args[0], nil)
			if errors.Is(err, evidence.ErrNotFound) {
				return fmt.Errorf("%s; `%s tasks` lists what is there", listing.Inert(err.Error()), name)
			}
			if err != nil {
				return err
			}
			if len(args) == 2 {
				return writeComparison(cmd, run, args[0], compare, args[1], format)
			}
			report := evidence.NewReport(run, evidence.TaskID(args[0]))
			if format == "markdown" {
				return evidence.WriteMarkdown(cmd.OutOrStdout(), run, report)
			}
			if format == "json" {
				return listing.WriteJSON(cmd.OutOrStdout(), report)
			}
			out := cmd.OutOrStdout()
			return evidence.WriteText(out, run, report, evidence.TextOptions{Color: color(out, os.Getenv), Width: cmp.Or(terminalWidth(out), uncut)})
		},
	}
	addCommon(cmd, &dsn, &format, "text", "json", "markdown")
	cmd.Flags().StringVar(&compare, "compare", "", "attempt to compare with the one that follows")
	cmd.Flags().StringVar(&tenant, "tenant", "", "tenant that the task belongs to (default the only one that has it)")
	return cmd
}

func writeComparison(cmd *cobra.Command, run evidence.Run, id, left, right, format string) error {
	c, err := evidence.Compare(run, evidence.TaskID(id), left, right)
	if err != nil {
		return err
	}
	if format == "json" {
		return listing.WriteJSON(cmd.OutOrStdout(), c)
	}
	out := cmd.OutOrStdout()
	return evidence.WriteComparison(out, c, format == "markdown", cmp.Or(terminalWidth(out), uncut))
}
