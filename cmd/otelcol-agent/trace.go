package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/listing"
	"github.com/otelcol-agent/otelcol-agent/internal/review"
)

// traceCommand prints one trace as a waterfall.
func traceCommand() *cobra.Command {
	var dsn, tenant, format string
	cmd := &cobra.Command{
		Use:   "trace ID",
		Short: "Show one trace step by step, with marks and links",
		Long: "Prints the steps of one trace as a tree along time, with decisions, effects,\n" +
			"controls, verdicts and links in both directions. ID is a trace id or its first six\n" +
			"or more digits. It works beside a running collector. Times are UTC.",
		Example: "  otelcol-agent trace b27e5d1c --format json",
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
			run, err := review.Find(cmd.Context(), reader, tenantOf(cmd, tenant), args[0], nil)
			if errors.Is(err, evidence.ErrNotFound) {
				return fmt.Errorf("%s; `%s tasks` lists what is there", listing.Inert(err.Error()), name)
			}
			if err != nil {
				return err
			}
			trace, err := traceOf(&run, args[0])
			if err != nil {
				return err
			}
			page, ok := review.NewTrace(evidence.Read(run), trace, 0, len(run.Spans))
			if !ok {
				return errors.New("the store has records of this trace, and no span")
			}
			out := cmd.OutOrStdout()
			if format == "json" {
				return listing.WriteJSON(out, page.Data())
			}
			return page.WriteText(out, listing.TextOptions{Width: terminalWidth(out), Color: color(out, os.Getenv)})
		},
	}
	addCommon(cmd, &dsn, &format)
	cmd.Flags().StringVar(&tenant, "tenant", "", "tenant that the trace belongs to (default the only one that has it)")
	return cmd
}

// traceOf returns the trace of a run that an id begins, or the only one if the id is
// that of a task.
func traceOf(run *evidence.Run, id string) (evidence.TraceID, error) {
	digits := strings.ToLower(strings.TrimPrefix(id, "trace:"))
	begun, all := map[evidence.TraceID]bool{}, map[evidence.TraceID]bool{}
	var last, only evidence.TraceID
	for i := range run.Spans {
		t := run.Spans[i].ID.Trace
		all[t], only = true, t
		if strings.HasPrefix(hex.EncodeToString(t[:]), digits) {
			begun[t], last = true, t
		}
	}
	switch {
	case len(begun) == 1:
		return last, nil
	case len(begun) == 0 && len(all) == 1:
		return only, nil
	case len(begun) > 1:
		return last, fmt.Errorf("the id begins %d traces of the run; give more digits", len(begun))
	}
	return last, fmt.Errorf("the id is that of a run of %d traces; `%s task ID` lists them", len(all), name)
}
