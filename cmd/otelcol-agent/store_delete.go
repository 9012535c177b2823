package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/listing"
)

// pruneCommand deletes what is too old, as the collector does every hour.
func pruneCommand() *cobra.Command {
	var store storeFlags
	var format, oldEvidence, oldRecords string
	var dry, future bool
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Delete what is older than a limit, in small steps",
		Long: "Deletes spans and facts older than --evidence and log records older than --records,\n" +
			"and logs it. A collector does this every hour by its retention.",
		Example: "  otelcol-agent store prune --evidence 400d --records 30d",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkFormat(cmd, format); err != nil {
				return err
			}
			if oldEvidence == "" && oldRecords == "" {
				return wrongUsage(cmd, errors.New("prune needs --evidence or --records"))
			}
			now := time.Now()
			limits := [2]time.Time{time.Unix(0, 0), time.Unix(0, 0)}
			for i, text := range []string{oldEvidence, oldRecords} {
				if text == "" {
					continue // nothing is older than the beginning
				}
				limit, err := listing.ParseSince(text, now)
				if err != nil {
					flag := [2]string{"evidence", "records"}[i]
					return wrongUsage(cmd, fmt.Errorf("%s must be a duration like 9600h or 400d, an RFC 3339 time or a date, found %q", flag, text))
				}
				if limit.After(now) && !future {
					return wrongUsage(cmd, fmt.Errorf("%s is a time to come, %s, before which everything is; give --future if all of it is to go", [2]string{"evidence", "records"}[i], limit.Format(time.RFC3339)))
				}
				limits[i] = limit
			}
			e, err := store.engine()
			if err != nil {
				return err
			}
			writer, err := e.Writer(cmd.Context())
			if err != nil {
				return err
			}
			deleted := "deleted (spans, links, facts, log records, refused rows; verify counts no links and facts)"
			var n int64
			if dry {
				deleted = "are too old: spans, log records and refused rows, whose links and facts go too"
				var previewer evidence.PrunePreviewer
				if previewer, err = offered[evidence.PrunePreviewer](writer, "count what it would prune"); err == nil {
					n, err = previewer.Prunable(cmd.Context(), limits[0], limits[1])
				}
			} else {
				n, err = writer.Prune(cmd.Context(), limits[0], limits[1])
			}
			if err = errors.Join(err, writer.Close()); err != nil {
				return err
			}
			return show(cmd, format, map[string]int64{"rows": n}, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "%s %s\n", listing.Count(n, "row"), deleted)
				return err
			})
		},
	}
	addStore(cmd, &store, &format, true)
	cmd.Flags().StringVar(&oldEvidence, "evidence", "", "delete spans and facts older than this: 400d, 9600h, a date or an RFC 3339 time")
	cmd.Flags().StringVar(&oldRecords, "records", "", "delete log records older than this")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only count")
	cmd.Flags().BoolVar(&future, "future", false, "allow a time to come, before which everything is")
	return cmd
}

// eraseCommand forgets one subject.
func eraseCommand() *cobra.Command {
	var store storeFlags
	var format string
	var what evidence.Erasure
	cmd := &cobra.Command{
		Use:   "erase",
		Short: "Forget what is said of one subject, and log that it was",
		Long: "Deletes every row that has the subject's digest in any key, value or text. The\n" +
			"leaves of these rows stay in the log and say nothing of them but their ids; the\n" +
			"erasure is logged with a hash of the subject.\n\n" +
			"The subject is a digest as the evidence has it: a token [redacted:KIND:12hex] or its\n" +
			"12 hex digits, which match whatever the kind; hmac:32hex; or another digest. What it\n" +
			"is for an e-mail address: otelcol-agent redact --value --policy FILE. If nothing is\n" +
			"found the exit code is 1.",
		Example: "  otelcol-agent store erase --subject '[redacted:email:6b1f0c77a93e]' --dry-run",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkFormat(cmd, format); err != nil {
				return err
			}
			var err error
			if what.Subject, err = subjectOf(what.Subject); err != nil {
				return wrongUsage(cmd, err)
			}
			e, err := store.engine()
			if err != nil {
				return err
			}
			writer, err := e.Writer(cmd.Context())
			if err != nil {
				return err
			}
			eraser, err := offered[evidence.Eraser](writer, "erase")
			if err != nil {
				return errors.Join(err, writer.Close())
			}
			erased, err := eraser.Erase(cmd.Context(), what)
			if err = errors.Join(err, writer.Close()); err != nil {
				return err
			}
			err = show(cmd, format, erased, func(w io.Writer) error {
				done := "erased"
				if what.DryRun {
					done = "would be erased"
				}
				fmt.Fprintf(w, "%s: %d spans, %d records, %d facts, %d quarantined rows\n", done, erased.Spans, erased.Records, erased.Facts, erased.Refused)
				if erased.Lingering {
					fmt.Fprintln(w, "a reader still uses the store's old pages; run this again when it is closed, which then finds nothing")
				}
				return nil
			})
			if err == nil && erased == (evidence.Erased{Lingering: erased.Lingering}) {
				err = errors.New("nothing found: no row speaks of this subject; was its digest made with the key and for the tenant of this evidence?")
			}
			return err
		},
	}
	addStore(cmd, &store, &format, true)
	cmd.Flags().StringVar(&what.Subject, "subject", "", "digest that stands for the subject in the evidence: [redacted:KIND:12hex], 12hex, hmac:32hex")
	cmd.Flags().BoolVar(&what.WholeRuns, "runs", false, "also erase all other rows of the runs in which the subject is spoken of")
	cmd.Flags().BoolVar(&what.DryRun, "dry-run", false, "only count")
	return cmd
}
