package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence/ledger"
)

// verifyCommand proves what the store's log can prove.
func verifyCommand() *cobra.Command {
	var store storeFlags
	var format, since, save string
	var keyFiles []string
	var entries bool
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Prove that nothing recorded was changed or removed since a checkpoint",
		Long: "Compares every row with the log over the rows, and the log with signed checkpoints:\n" +
			"those in the store, and the one that --since names. Names what was changed or removed,\n" +
			"the first bad row first; exit code 1 if anything was. What retention and erasure took is\n" +
			"logged and counted.\n\n" +
			"It does not prove that what was recorded is true. A store that was rewritten by somebody\n" +
			"who has its key, or cut back to an earlier state, is found only by a checkpoint that was\n" +
			"kept elsewhere: take one away with --save.\n\n" +
			"In ClickHouse every start of every collector keeps a log of its own. Name the public\n" +
			"half of each collector's key; a saved checkpoint is one of each.",
		Example: "  otelcol-agent verify --save /mnt/elsewhere/checkpoint\n  otelcol-agent verify --since /mnt/elsewhere/checkpoint",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkFormat(cmd, format); err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			e, err := store.engine()
			if err != nil {
				return err
			}
			reader, err := e.Reader(cmd.Context())
			if err != nil {
				return err
			}
			defer reader.Close()
			keys, err := verifierKeys(keyFiles, e.KeyFiles())
			if err != nil {
				return err
			}
			log, err := offered[ledger.Keeper](reader, "keep a log over its rows")
			if err != nil {
				return err
			}
			q := ledger.Question{Now: time.Now()}
			if q.Keys, err = ledger.Verifiers(keys); err != nil {
				return err
			}
			if since != "" {
				if q.Since, err = readCheckpoint(cmd, log, since); err != nil {
					return err
				}
			}
			report, err := log.Verify(cmd.Context(), q)
			if errors.Is(err, ledger.ErrUnsigned) {
				return fmt.Errorf("%w; %s", err, knownKeys(keys))
			}
			if err != nil {
				return err
			}
			if save == "-" { // the report makes room for the checkpoint
				cmd.SetOut(cmd.ErrOrStderr())
			}
			if err := show(cmd, format, report, func(w io.Writer) error {
				return writeVerified(w, report, verified{keys: keys, trusting: len(keyFiles) == 0 && since == "", entries: entries})
			}); err != nil {
				return err
			}
			if !report.OK() {
				return fmt.Errorf("not as it was recorded, in %d places", report.Problems)
			}
			return saveCheckpoint(out, save, report.Heads)
		},
	}
	addCommon(cmd, &store.dsn, &format)
	cmd.Flags().StringVar(&since, "since", "", "checkpoint to start from: a file, - for standard input, or the size of one in the store")
	cmd.Flags().StringArrayVar(&keyFiles, "key", nil, "file with a verifier key whose signatures count, may be repeated (default the one beside the store, or this machine's for one in ClickHouse)")
	cmd.Flags().BoolVar(&entries, "entries", false, "also list every retention and erasure that the log holds")
	cmd.Flags().StringVar(&save, "save", "", "write the newest checkpoint to this file, - for standard output, if nothing is wrong")
	return cmd
}

// verifierKeys reads the keys that the user names, else the one beside the store.
func verifierKeys(named, beside []string) (keys []string, err error) {
	for _, file := range named {
		key, err := ledger.LoadVerifier(file)
		if err != nil {
			return nil, fmt.Errorf("key: %w", err)
		}
		keys = append(keys, key)
	}
	if len(named) > 0 {
		return keys, nil
	}
	for _, file := range beside {
		key, err := ledger.LoadVerifier(file)
		if err == nil {
			return []string{key}, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("key: %w", err)
		}
	}
	return nil, fmt.Errorf("no verifier key at %s; name the file that came from the machine that recorded (--key)", beside[0])
}

func readCheckpoint(cmd *cobra.Command, log ledger.Keeper, name string) ([]byte, error) {
	if size, err := strconv.ParseInt(name, 10, 64); err == nil {
		return log.Checkpoint(cmd.Context(), size)
	}
	var b []byte
	var err error
	if name == "-" {
		b, err = io.ReadAll(io.LimitReader(cmd.InOrStdin(), 1<<20))
	} else {
		b, err = os.ReadFile(name) // #nosec G304 -- the user names the file
	}
	if err != nil {
		return nil, fmt.Errorf("since: %w", err)
	}
	return b, nil
}

func saveCheckpoint(out io.Writer, name string, head []byte) error {
	switch name {
	case "":
		return nil
	case "-":
		_, err := out.Write(head)
		return err
	}
	if err := os.WriteFile(name, head, 0o644); err != nil { // #nosec G306 -- a checkpoint is for everybody
		return fmt.Errorf("save: %w", err)
	}
	return nil
}
