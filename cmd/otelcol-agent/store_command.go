package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/otelcol-agent/otelcol-agent/internal/evidence"
	"github.com/otelcol-agent/otelcol-agent/internal/listing"
)

// storeCommand is what is done to a store itself.
func storeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "store",
		Short: "Look after the store: migrate, check, stats, prune, erase",
		Long:  "Looks after the evidence store. All of it works beside a running collector.",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return wrongUsage(cmd, errors.New("store must be followed by migrate, check, stats, prune or erase"))
		},
	}
	cmd.AddCommand(migrateCommand(), checkCommand(), statsCommand(), pruneCommand(), eraseCommand())
	for _, sub := range cmd.Commands() {
		sub.SilenceUsage = true
		sub.Args = func(cmd *cobra.Command, args []string) error {
			if err := cobra.NoArgs(cmd, args); err != nil {
				return wrongUsage(cmd, err)
			}
			return nil
		}
	}
	return cmd
}

// addStore adds the flags that name a store; writing says that the command signs
// what it does.
func addStore(cmd *cobra.Command, f *storeFlags, format *string, writing bool) {
	addCommon(cmd, &f.dsn, format)
	if writing {
		cmd.Flags().StringVar(&f.keyFile, "key-file", "", "signing key of the store's log (default the store's path with .key behind it)")
		cmd.Flags().BoolVar(&f.newKey, "new-key", false, "go on though another key signed the log so far; the log says so")
	}
}

// show writes v as JSON, or calls text.
func show(cmd *cobra.Command, format string, v any, text func(io.Writer) error) error {
	if format == "json" {
		return listing.WriteJSON(cmd.OutOrStdout(), v)
	}
	return text(cmd.OutOrStdout())
}

func migrateCommand() *cobra.Command {
	var store storeFlags
	var format string
	var dry bool
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "Bring the store's schema up to date",
		Long: "Brings the store's schema up to date, as a collector does when it starts. A store\n" +
			"of a later version is refused and left as it is.\n\n" +
			"In ClickHouse it also makes the tables, for collectors that may not (create_schema:\n" +
			"false); a dry run prints the statements, to be run by hand. The server deletes from\n" +
			"new tables what is older than --retention-evidence and --retention-records. Tables\n" +
			"that are there keep the retention they have, unless one of these flags is given:\n" +
			"then they get both, and the store's log says so.",
		Example: "  otelcol-agent store migrate --dry-run",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkFormat(cmd, format); err != nil {
				return err
			}
			if err := store.checkRetention(); err != nil {
				return wrongUsage(cmd, err)
			}
			store.retain = cmd.Flags().Changed("retention-evidence") || cmd.Flags().Changed("retention-records")
			e, err := store.engine()
			if err != nil {
				return err
			}
			m, err := e.Migrate(cmd.Context(), dry)
			if err != nil {
				return err
			}
			return show(cmd, format, m, func(w io.Writer) error {
				switch {
				case len(m.Steps) == 0:
					_, err = fmt.Fprintf(w, "schema %d is up to date\n", m.From)
				case dry:
					_, err = fmt.Fprintf(w, "schema %d would become %d: %s\n", m.From, m.To, strings.Join(m.Steps, ", "))
				default:
					_, err = fmt.Fprintf(w, "schema %d became %d: %s\n", m.From, m.To, strings.Join(m.Steps, ", "))
				}
				if m.Retained > 0 {
					_, err = fmt.Fprintf(w, "%d tables %s another retention\n", m.Retained, map[bool]string{true: "would get", false: "got"}[dry])
				}
				for _, s := range m.Statements {
					_, err = fmt.Fprintf(w, "\n%s;\n", s)
				}
				return err
			})
		},
	}
	addStore(cmd, &store, &format, true)
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only say what would be applied")
	store.retention(cmd)
	cmd.Flags().StringVar(&store.cluster, "cluster", "", "ClickHouse cluster to spread new tables over (default the one that the store is on)")
	return cmd
}

func checkCommand() *cobra.Command {
	var store storeFlags
	var format string
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Look for damage: pages or tables, rows that do not fit together, rows that cannot be read",
		Long: "Reads the whole store and names what is damaged; exit code 1 if anything is. That\n" +
			"rows say what was recorded is for verify.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkFormat(cmd, format); err != nil {
				return err
			}
			e, err := store.engine()
			if err != nil {
				return err
			}
			reader, err := e.Reader(cmd.Context())
			if err != nil {
				return err
			}
			defer reader.Close()
			checker, err := offered[evidence.Checker](reader, "check itself")
			if err != nil {
				return err
			}
			found := []evidence.Damage{}
			if err := checker.Check(cmd.Context(), func(d evidence.Damage) { found = append(found, d) }); err != nil {
				return err
			}
			damaged := 0
			for _, d := range found {
				if !d.Note {
					damaged++
				}
			}
			err = show(cmd, format, found, func(w io.Writer) error {
				for _, d := range found {
					line := strings.TrimSpace(d.Table+" "+d.Row) + ": " + d.Detail
					if d.Note {
						line = "note: " + line
					}
					fmt.Fprintln(w, listing.Inert(line))
				}
				if damaged == 0 {
					fmt.Fprintln(w, "nothing is damaged")
				}
				return nil
			})
			if err == nil && damaged > 0 {
				err = fmt.Errorf("damage found in %d places; copy the store away, then restore a backup", damaged)
			}
			return err
		},
	}
	addStore(cmd, &store, &format, false)
	return cmd
}

func statsCommand() *cobra.Command {
	var store storeFlags
	var format string
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Count rows and bytes",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkFormat(cmd, format); err != nil {
				return err
			}
			e, err := store.engine()
			if err != nil {
				return err
			}
			reader, err := e.Reader(cmd.Context())
			if err != nil {
				return err
			}
			defer reader.Close()
			statser, err := offered[evidence.Statser](reader, "count its rows")
			if err != nil {
				return err
			}
			s, err := statser.Stats(cmd.Context())
			if err != nil {
				return err
			}
			return show(cmd, format, s, func(w io.Writer) error { return writeStats(w, s) })
		},
	}
	addStore(cmd, &store, &format, false)
	return cmd
}

func writeStats(out io.Writer, s evidence.Stats) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "engine\t%s, schema %d\n", s.Engine, s.Schema)
	fmt.Fprintf(w, "bytes\t%d, of these free %d\n", s.Bytes, s.Free)
	if n := s.Rows["spans"]; n > 0 {
		fmt.Fprintf(w, "bytes a span\t%d\n", s.Bytes/n)
	}
	if !s.Oldest.IsZero() {
		fmt.Fprintf(w, "oldest\t%s\n", s.Oldest.Format(time.RFC3339))
	}
	if !s.Newest.IsZero() {
		fmt.Fprintf(w, "newest\t%s\n", s.Newest.Format(time.RFC3339))
	}
	if s.Leaves > 0 {
		fmt.Fprintf(w, "log\t%d leaves\n", s.Leaves)
	} else {
		fmt.Fprintln(w, "log\tnone")
	}
	about := ""
	if s.About {
		about = "about "
	}
	for _, table := range slices.Sorted(maps.Keys(s.Rows)) {
		fmt.Fprintf(w, "%s\t%s%s\n", table, about, listing.Count(s.Rows[table], "row"))
	}
	return w.Flush()
}
