package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/otelcol-agent/otelcol-agent/cmd/otelcol-agent/presets"
	"github.com/otelcol-agent/otelcol-agent/internal/evidence/sqlite"
	"github.com/otelcol-agent/otelcol-agent/internal/journal"
)

// journalFolder is where journals are that this program writes, beside the store.
func journalFolder(getenv func(string) string) (string, error) {
	folder, err := sqlite.DefaultFolder(getenv)
	if err != nil {
		return "", fmt.Errorf("no place for journals: %w", err)
	}
	return filepath.Join(folder, "journals"), nil
}

// journalCommand writes what an agent says into a file that the collector reads.
func journalCommand() *cobra.Command {
	var keep time.Duration
	cmd := &cobra.Command{
		Use:   "journal NAME [-- COMMAND ARG...]",
		Short: "Writes what an agent says into a file that preset:journals/NAME reads",
		Long: "As the hook of an agent: reads one JSON object from standard input, appends it to\n" +
			"the journal and answers {}, which decides nothing.\n\n" +
			"With a command: starts it, passes on what is said both ways, and appends every line.\n" +
			"It ends with the command, and with its exit code.\n\n" +
			"Nothing in a journal is redacted; only its owner reads it. The collector redacts what\n" +
			"it reads of it. NAME is one of " + strings.Join(presets.Written(), ", ") + ".",
		Example: "  otelcol-agent journal NAME < input.json\n  otelcol-agent journal NAME -- COMMAND ARG",
		RunE: func(cmd *cobra.Command, args []string) error {
			if keep <= 0 {
				return wrongUsage(cmd, fmt.Errorf("keep must be longer than 0s, found %v", keep))
			}
			command := args[1:]
			if len(command) == 0 {
				fmt.Fprintln(cmd.OutOrStdout(), "{}") // whatever becomes of the journal, the agent goes on
			}
			all, err := journalFolder(os.Getenv)
			if err != nil {
				return err
			}
			w := journalWriter{folder: filepath.Join(all, args[0]), keep: keep, now: time.Now}
			if len(command) > 0 {
				w.name = fmt.Sprintf("%s-%d.jsonl", time.Now().UTC().Format("2006-01-02T150405"), os.Getpid())
				return w.tap(cmd.Context(), command, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
			}
			said, err := io.ReadAll(io.LimitReader(cmd.InOrStdin(), journal.MaxLine+1))
			if err != nil {
				return err
			}
			w.name = time.Now().UTC().Format(time.DateOnly) + ".jsonl"
			return w.append(said, w.now())
		},
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		switch dash := cmd.ArgsLenAtDash(); {
		case len(args) == 0 || dash == 0:
			return fmt.Errorf("NAME must be one of %s", strings.Join(presets.Written(), ", "))
		case !slices.Contains(presets.Written(), args[0]):
			return fmt.Errorf("journal %q is not known; known are %s", args[0], strings.Join(presets.Written(), ", "))
		case len(args) > 1 && dash != 1:
			return errors.New("a command must be behind --")
		}
		return nil
	}
	cmd.Flags().DurationVar(&keep, "keep", 7*24*time.Hour, "journals beside it that nothing was written to for so long are removed")
	return cmd
}

// journalWriter appends to one journal.
type journalWriter struct {
	folder, name string
	keep         time.Duration
	now          func() time.Time
}

func (w journalWriter) append(said []byte, at time.Time) error {
	line, err := journal.Line(said, at)
	if err != nil {
		return aboutLine(err)
	}
	return journal.Append(w.folder, w.name, line, w.now().Add(-w.keep))
}

func aboutLine(err error) error { return fmt.Errorf("a line of the journal %w", err) }
