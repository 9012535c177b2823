package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/otelcol-agent/otelcol-agent/internal/listing"
	"github.com/otelcol-agent/otelcol-agent/internal/semconvdiff"
	"github.com/otelcol-agent/otelcol-agent/semconv"
)

// factWidth is how wide a line of a fact is at most.
const factWidth = 100

// newSemconvCommand prints what the pinned conventions say.
func newSemconvCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "semconv",
		Short: "Show what the pinned GenAI conventions say",
		Long:  "Prints the facts that the mapper works with. It reads no telemetry and no store.",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return wrongUsage(cmd, errors.New("semconv must be followed by diff or show"))
		},
	}
	cmd.AddCommand(semconvDiffCommand(), semconvShowCommand())
	for _, sub := range cmd.Commands() {
		sub.SilenceUsage = true
		positional := sub.Args
		sub.Args = func(cmd *cobra.Command, args []string) error {
			if err := positional(cmd, args); err != nil {
				return wrongUsage(cmd, err)
			}
			return nil
		}
	}
	return cmd
}

func semconvDiffCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Show what changes from one snapshot to another, either way",
		Long: "Prints what is carried from snapshot A to B under the same or another name, what\n" +
			"has nothing to go to and stays as it is, and what is wanted differently.",
		Example: "  otelcol-agent semconv diff core-1.36.0 " + semconv.DefaultSnapshot,
		Args:    cobra.ExactArgs(2),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 1 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return semconv.SnapshotNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			from, err := semconv.LoadSnapshot(args[0])
			if err != nil {
				return wrongUsage(cmd, err)
			}
			to, err := semconv.LoadSnapshot(args[1])
			if err != nil {
				return wrongUsage(cmd, err)
			}
			d := semconvdiff.Compare(from, to)
			return writeFacts(cmd, format, d, d.Text)
		},
	}
	addFormat(cmd, &format)
	return cmd
}

func semconvShowCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:     "show KEY",
		Short:   "Show what each snapshot and dialect has for a key, metric, event or span type",
		Long:    "Prints what is pinned about one name: its type, words, unit and where it is wanted,\nsnapshot by snapshot, with its other names. Of an attribute, also of a vendor's own, it\nsays which built-in dialects read it, as what, and whether it holds content or a person's id.",
		Example: "  otelcol-agent semconv show " + semconv.GenAIProviderName + "\n  otelcol-agent semconv show llm.model_name",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkFormat(cmd, format); err != nil {
				return err
			}
			entries, err := semconvdiff.Show(args[0])
			if err != nil {
				return err
			}
			return writeFacts(cmd, format, entries, func() string {
				text := ""
				for i, e := range entries {
					if i > 0 {
						text += "\n"
					}
					text += e.Text()
				}
				return wrapLines(text)
			})
		},
	}
	addFormat(cmd, &format)
	return cmd
}

// wrapLines folds lists that are too long for a line: what goes on is two deeper.
func wrapLines(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if len(line) <= factWidth {
			b.WriteString(line)
			continue
		}
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		b.WriteString(indent + strings.TrimLeft(listing.Wrap(line, indent+"  ", factWidth), " "))
	}
	return b.String()
}

func addFormat(cmd *cobra.Command, format *string) {
	cmd.Flags().StringVar(format, "format", "text", "text or json")
}

func writeFacts(cmd *cobra.Command, format string, facts any, text func() string) error {
	if err := checkFormat(cmd, format); err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	if format == "text" {
		_, err := io.WriteString(out, text())
		return err
	}
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(facts); err != nil {
		return fmt.Errorf("write json: %w", err)
	}
	return nil
}
